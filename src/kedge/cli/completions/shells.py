"""Completion for each shell, with names from the server among what is offered."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Final

import click
from click.shell_completion import (
    BashComplete,
    CompletionItem,
    FishComplete,
    ShellComplete,
    ZshComplete,
    _resolve_context,
    _resolve_incomplete,
    add_completion_class,
)


def completions(command: ShellComplete, args: list[str], incomplete: str) -> list[CompletionItem]:
    """Give what may stand in the place of the last word."""
    context = _resolve_context(command.cli, command.ctx_args, command.prog_name, args)
    about, incomplete = _resolve_incomplete(context, args, incomplete)
    if isinstance(about, click.Parameter):
        from kedge.cli.completions.words import offered

        with _entered(context):
            found = offered(context, about, incomplete)
        if found is not None:
            return [CompletionItem(one) for one in found]
    return about.shell_complete(context, incomplete)


@contextlib.contextmanager
def _entered(context: click.Context) -> Iterator[None]:
    """Make a context the current one, and leave it open."""
    with context.scope(cleanup=False):
        yield


class Bash(BashComplete):
    """For bash."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        """Give what may stand in the place of the last word."""
        return completions(self, args, incomplete)

    @staticmethod
    def _check_version() -> None:
        """Trust the script, which was made for this version."""


class Zsh(ZshComplete):
    """For zsh."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        """Give what may stand in the place of the last word."""
        return completions(self, args, incomplete)


class Fish(FishComplete):
    """For fish."""

    def get_completions(self, args: list[str], incomplete: str) -> list[CompletionItem]:
        """Give what may stand in the place of the last word."""
        return completions(self, args, incomplete)


SHELLS: Final = {"bash": Bash, "zsh": Zsh, "fish": Fish}


def register() -> None:
    """Put these in the place of click's own."""
    for name, shell in SHELLS.items():
        add_completion_class(shell, name)
