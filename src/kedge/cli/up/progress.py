"""A line that tells what is being done: rewritten on a terminal, and not shown elsewhere."""

import sys

import click


class Progress:
    """One line on stderr."""

    def __init__(self) -> None:
        """Show it where a person looks."""
        self._is_shown = sys.stderr.isatty()

    def step(self, text: str) -> None:
        """Tell what comes now."""
        if self._is_shown:
            click.echo(f"\r\x1b[K{text} …", nl=False, err=True)

    def done(self) -> None:
        """Take the line away."""
        if self._is_shown:
            click.echo("\r\x1b[K", nl=False, err=True)
