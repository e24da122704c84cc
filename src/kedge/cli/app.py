"""The command `kedge`: its table of commands, and what becomes of an error."""

import io
import sys
from typing import Any, NoReturn

import click

from kedge import __version__
from kedge.cli.lazy import Entry, LazyGroup

COMMANDS = {
    "cron": Entry("kedge.cli.cron.group:cron", "Ask questions about cron schedules."),
    "apiserver": Entry(
        "kedge.cli.apiserver:apiserver", "Run a Kubernetes API server with no cluster."
    ),
    "completion": Entry("kedge.cli.completion:completion", "Print a script for your shell's TAB."),
}


class App(LazyGroup):
    """The outermost group: every error that leaves it is one line and an exit code."""

    def main(self, *args: Any, **extra: Any) -> NoReturn:
        """Run and end the process: 0 fine, 1 failed, 2 wrong usage, 130 interrupted."""
        _survive_any_text()
        extra["standalone_mode"] = False
        try:
            code = super().main(*args, **extra)
        except Exception as error:  # noqa: BLE001 - the last stop: nobody above can do better
            from kedge.cli.errors import report

            code = report(error)
        sys.exit(code)


def _survive_any_text() -> None:
    """Write what an output cannot encode as escapes: arguments may hold any bytes."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


kedge = App(
    "kedge",
    COMMANDS,
    help="Scheduled, self-service, pre-warmed backup for Kubernetes.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
click.version_option(__version__, prog_name="kedge", message="%(prog)s %(version)s")(kedge)
