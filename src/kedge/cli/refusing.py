"""Commands that know the flags of others, and say why those have no meaning here."""

from collections.abc import Mapping
from typing import Any

import click

from kedge.cli.flags import FlagCommand


class RefusingCommand(FlagCommand):
    """Gives the reason for a flag that others have; with or without a value behind it."""

    def __init__(self, *args: Any, refused: Mapping[str, str], **attrs: Any) -> None:
        super().__init__(*args, **attrs)
        self.refused = refused

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments; raises UsageError."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            reason = self.refused.get(error.option_name)
            if reason is None:
                raise
            message = f"{error.option_name} has no meaning here: {reason}"
            raise click.UsageError(message, ctx) from error
