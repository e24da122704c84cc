"""A click group that knows the names of its commands, and imports them when they are run."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any, NamedTuple

import click


class Entry(NamedTuple):
    """Where a command is, and the line that help shows for it."""

    where: str
    """`module:attribute`."""
    short_help: str


class LazyGroup(click.Group):
    """A group whose help costs no import; run without a command, it prints that help."""

    def __init__(
        self,
        name: str,
        entries: dict[str, Entry],
        aliases: Mapping[str, str] | None = None,
        **attrs: Any,
    ) -> None:
        attrs.setdefault("callback", _help_when_alone)
        attrs.setdefault("subcommand_metavar", "COMMAND [ARGS]...")
        super().__init__(name, invoke_without_command=True, **attrs)
        self.entries = entries
        self.aliases = aliases or {}
        """Other names that are understood, and not listed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """List the names in the order of the table: what is used most comes first."""
        return list(self.entries)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command."""
        cmd_name = self.aliases.get(cmd_name, cmd_name)
        if cmd_name not in self.entries:
            return None
        module, _, attribute = self.entries[cmd_name].where.partition(":")
        command = getattr(import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is named; click knows no names that could be meant instead."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = self._near(args[0])
            if not near:
                raise
            meant = " or ".join(map(repr, near))
            raise click.UsageError(
                f"No such command {args[0]!r}. Did you mean {meant}?", ctx
            ) from error

    def _near(self, name: str) -> list[str]:
        from difflib import get_close_matches

        if name in self.entries:
            return []
        near = get_close_matches(name, [*self.entries, *self.aliases])
        return list(dict.fromkeys(self.aliases.get(one, one) for one in near))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the command list of the help from the table alone."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.short_help) for name, entry in self.entries.items()])


def _help_when_alone() -> None:
    context = click.get_current_context()
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
