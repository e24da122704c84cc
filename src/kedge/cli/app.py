"""The command `kedge`: its table of commands, and what becomes of an error."""

import io
import os
import sys
from typing import Any, NoReturn

import click

from kedge import __version__
from kedge.cli.connection import connection_options, given_options
from kedge.cli.flags import FlagGroup
from kedge.cli.lazy import Entry

COMMANDS = {
    "up": Entry("kedge.cli.up.command:up", "Run all of Kedge, with no cluster at hand."),
    "server": Entry("kedge.cli.server:server", "Run all controllers on a cluster."),
    "install": Entry("kedge.cli.install.command:install", "Install Kedge on a cluster."),
    "status": Entry(
        "kedge.cli.status.command:status",
        "Tell what ran, what runs next, what waits and what is wrong.",
    ),
    "doctor": Entry(
        "kedge.cli.doctor.command:doctor",
        "Look for what keeps Kedge from working, and say what to do.",
    ),
    "uninstall": Entry("kedge.cli.uninstall.command:uninstall", "Take Kedge off a cluster."),
    "schedule": Entry("kedge.cli.schedule.group:schedule", "Work with schedules."),
    "backup": Entry("kedge.cli.backup.group:backup", "Work with backups."),
    "restore": Entry("kedge.cli.restore.group:restore", "Work with restores."),
    "backup-location": Entry("kedge.cli.location.group:location", "Work with storage locations."),
    "prescaled": Entry(
        "kedge.cli.prescaled.group:prescaled", "Work with jobs that start on warm nodes."
    ),
    "nab": Entry("kedge.cli.nab.group:nab", "Back up your own namespace."),
    "nar": Entry("kedge.cli.nar.group:nar", "Restore your own namespace."),
    "nabsl": Entry("kedge.cli.nabsl.group:nabsl", "Bring a bucket for backups of your namespace."),
    "create": Entry("kedge.cli.verbs:create", "Create objects."),
    "get": Entry("kedge.cli.verbs:get", "List objects."),
    "describe": Entry("kedge.cli.verbs:describe", "Tell all about objects."),
    "delete": Entry("kedge.cli.verbs:delete", "Delete objects."),
    "cron": Entry("kedge.cli.cron.group:cron", "Ask questions about cron schedules."),
    "warmup": Entry("kedge.cli.warmup.command:warmup", "Hold a pod until the instant of its run."),
    "apiserver": Entry(
        "kedge.cli.apiserver:apiserver", "Run a Kubernetes API server with no cluster."
    ),
    "version": Entry(
        "kedge.cli.version:version", "Print the version of this command and of the server."
    ),
    "completion": Entry("kedge.cli.completion:completion", "Print a script for your shell's TAB."),
}
ALIASES = {
    "schedules": "schedule",
    "backups": "backup",
    "restores": "restore",
    "backup-locations": "backup-location",
    "prescaledcronjob": "prescaled",
    "prescaledcronjobs": "prescaled",
    "pscj": "prescaled",
    "nonadminbackup": "nab",
    "nonadminbackups": "nab",
    "nonadminrestore": "nar",
    "nonadminrestores": "nar",
    "nonadminbackupstoragelocation": "nabsl",
    "nonadminbackupstoragelocations": "nabsl",
}
SPEAKERS = frozenset(
    {
        "install",
        "uninstall",
        "schedule",
        "backup",
        "restore",
        "backup-location",
        "prescaled",
        "nab",
        "nar",
        "nabsl",
        "create",
        "get",
        "describe",
        "delete",
        "doctor",
        "status",
        "version",
    }
)
"""Commands that take the options of the connection from the left of their name, too."""


class App(FlagGroup):
    """The outermost group: every error that leaves it is one line and an exit code."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import one command; refuse options in front of it that it would not heed."""
        given = given_options(ctx)
        if given and cmd_name in self.entries and cmd_name not in SPEAKERS:
            raise click.UsageError(f"'{cmd_name}' takes no {' or '.join(given)} in front of it")
        return super().get_command(ctx, cmd_name)

    def _main_shell_completion(self, *args: Any, **extra: Any) -> None:
        """Answer a shell that completes a line, with names from the server as well."""
        if any(name.endswith("_COMPLETE") for name in os.environ):
            from kedge.cli.completions.shells import register

            register()
        super()._main_shell_completion(*args, **extra)

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
    ALIASES,
    help="Scheduled, self-service, pre-warmed backup for Kubernetes.",
    context_settings={"help_option_names": ["-h", "--help"]},
)
connection_options(kedge)
click.version_option(__version__, prog_name="kedge", message="%(prog)s %(version)s")(kedge)
