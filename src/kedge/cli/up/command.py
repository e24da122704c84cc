"""`kedge up`: one command from nothing to a running Kedge."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from kedge.cli.flags import FlagCommand, switch
from kedge.cli.listening import listening_options, names_for
from kedge.cli.loop import run_loop, stop_signal

if TYPE_CHECKING:
    from kedge.cli.up.run import Plan

FOLDER: Final = "kedge-data"
"""Where everything is kept unless it is said otherwise."""


@click.command(cls=FlagCommand)
@click.option(
    "--data",
    default=FOLDER,
    show_default=True,
    metavar="DIR",
    help="Folder for everything that is kept; :memory: keeps nothing.",
)
@listening_options
@click.option(
    "--demo", is_flag=True, help="Load a small example, so that there is something to see."
)
@switch(
    "--schedule-skip-immediately",
    help="Skip a run that is due when a Schedule is made or unpaused, unless the Schedule says.",
)
@click.option(
    "--metrics-address",
    default="",
    metavar="ADDRESS",
    help="Where metrics and health are served, such as :8085.  [default: nowhere]",
)
@click.option(
    "--log-level",
    default="warning",
    show_default=True,
    type=click.Choice(["debug", "info", "warning", "error"]),
    help="The least that is logged.",
)
def up(**flags: Any) -> None:
    """Run all of Kedge, with no cluster at hand.

    A Kubernetes API on SQLite, our kinds, and all controllers, in one process. kubectl and every
    other client work with the kubeconfig that it names. Ctrl-C ends it; started again, it goes on
    where it was.
    """
    from kedge.cli.logs import configure

    configure("text", flags["log_level"])
    run_loop(_serve(flags))


async def _serve(flags: dict[str, Any]) -> None:
    import tempfile

    from kedge.cli.up.run import serve

    with tempfile.TemporaryDirectory(prefix="kedge-") as scratch:
        await serve(plan_of(flags, Path(scratch)), stop_signal())


def plan_of(flags: dict[str, Any], scratch: Path) -> "Plan":
    """Put the flags together; what is not kept goes into a folder that is removed."""
    from kedge.apiserver.settings import MEMORY, ServerSettings
    from kedge.cli.operator.flags import address
    from kedge.cli.operator.settings import OperatorSettings
    from kedge.cli.up.run import Plan
    from kedge.controllers.schedule.controller import ScheduleSettings
    from kedge.runtime.serving import ServingSettings

    try:
        metrics = ServingSettings(*address(flags["metrics_address"]))
    except ValueError as exc:
        raise click.UsageError(f"--metrics-address: {exc}") from exc
    data, host = flags["data"], flags["host"]
    objects = (scratch if data == MEMORY else Path(data)).resolve() / "objects"
    schedules = ScheduleSettings(skip_immediately=bool(flags["schedule_skip_immediately"]))
    return Plan(
        ServerSettings(data, host, flags["port"], flags["kubeconfig"], None, names_for(host)),
        OperatorSettings(serving=metrics, schedules=schedules),
        objects,
        flags["demo"],
        "" if data == MEMORY else _again(data),
    )


def _again(data: str) -> str:
    import shlex

    return "kedge up" if data == FOLDER else f"kedge up --data {shlex.quote(data)}"
