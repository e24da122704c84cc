"""`kedge warmup` with click: for its help, for mistakes, and for words that need more reading."""

import os
from typing import Any

import click

from kedge.cli.instants import now
from kedge.cli.output import write
from kedge.cli.warmup.asked import OPTIONS, Asked, Mistake


def _options(callback: Any) -> Any:
    for name, (metavar, text) in reversed(OPTIONS.items()):
        callback = click.option(name, metavar=metavar, help=text)(callback)
    return callback


@click.command("warmup")
@_options
def warmup(**given: str | None) -> None:
    """Hold a pod until the instant of its run.

    For an init container: it ends with 0 when the run is due, or at once when that is past. The
    minute of the warm-up is read from the name of the Job; the run is LEAD later, or without LEAD
    the first of EXPR from there on. Where the name has no minute, it is the first run of EXPR that
    is not before LEAD less 90 seconds from now.
    """
    from kedge.cli.warmup.run import wait

    values = {f"--{key.replace('_', '-')}": value for key, value in given.items() if value}
    try:
        wait(Asked(values, os.environ), now=now, say=lambda line: write(f"{line}\n"))
    except Mistake as exc:
        raise click.UsageError(f"invalid {exc.name}: {exc}", click.get_current_context()) from exc
