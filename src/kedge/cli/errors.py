"""Turn an exception into one line on stderr and an exit code.

A user's mistake is a `click.ClickException` (exit 1) or a `click.UsageError` (exit 2) by the time
it is here, and what went wrong with a cluster a `Failure`. Anything else is a fault of ours, and
says how to see more of it.
"""

import os
import sys

import click

from kedge.cli.codes import INTERRUPTED
from kedge.cli.program import as_called
from kedge.cli.screen import visible

LONGEST = 500
"""Characters of a message: it may repeat an argument of any size."""
FAILED = "An error occurred: "
"""How Velero's command begins such a line."""


class Failure(click.ClickException):
    """What went wrong with a cluster, in the words of Velero's users; one line a problem."""

    head = FAILED

    def __init__(self, *problems: str) -> None:
        # Where it is written, nobody knows any more what was typed.
        self.problems = tuple(map(as_called, problems))
        super().__init__("; ".join(self.problems))


class Bare(Failure):
    """What Velero's command says without the usual beginning."""

    head = ""


class Misuse(Failure):
    """Options or arguments that do not go together."""

    exit_code = 2


def report(error: Exception) -> int:
    """Write one line about an error, and return the exit code it means."""
    if isinstance(error, click.Abort):
        return INTERRUPTED  # click has ended the line that shows ^C
    if isinstance(error, Failure):
        for problem in error.problems:
            first, *more = problem.splitlines() or [""]
            complain(first, head=error.head)
            for line in more:
                complain(line, head="")
        return error.exit_code
    if isinstance(error, click.UsageError):
        complain(_without_stop(error.format_message()), hint=_hint(error))
        return error.exit_code
    if isinstance(error, click.ClickException):
        complain(error.format_message())
        return error.exit_code
    if os.environ.get("KEDGE_DEBUG") == "1":
        import traceback

        traceback.print_exception(error)
    if isinstance(error, OverflowError):
        complain("a time is outside the years 1 to 9999")
    elif isinstance(error, OSError):
        _forget_output()
        complain(error.strerror or str(error))
    else:
        hint = " (KEDGE_DEBUG=1 shows where)"
        complain(f"internal error: {type(error).__name__}: {error}", hint)
    return 1


def complain(message: str, hint: str = "", head: str = "kedge: ") -> None:
    """Write `kedge: message` as exactly one line on stderr."""
    if len(message) > LONGEST:
        message = message[:LONGEST] + "..."
    click.echo(f"{head}{visible(as_called(message))}{hint}", err=True)


def _without_stop(message: str) -> str:
    """Bring a message of click to our form: one line, lower case, no full stop."""
    message = " ".join(message.split()).rstrip(".")
    return message[:1].lower() + message[1:]


def _hint(error: click.UsageError) -> str:
    return f" (see '{error.ctx.command_path} --help')" if error.ctx else ""


def _forget_output() -> None:
    """Send what is still unwritten to nowhere, or Python complains again when it ends."""
    try:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (OSError, AttributeError, ValueError):
        return  # there is no output, or it is not a file
