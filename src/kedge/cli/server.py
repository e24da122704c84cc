"""`kedge server`: all controllers, on the cluster of the kubeconfig or of the pod."""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kedge.cli.loop import run_loop, stop_signal
from kedge.cli.operator.engineflags import engine_flags, engine_settings_of
from kedge.cli.operator.flags import REFUSED, address, flag
from kedge.cli.refusing import RefusingCommand

if TYPE_CHECKING:
    from kedge.cli.operator.settings import OperatorSettings
    from kedge.client.where import Access
    from kedge.runtime.leadersettings import LeaderSettings


@click.command(cls=RefusingCommand, refused=REFUSED)
@flag(
    "-n",
    "--namespace",
    others=("VELERO_NAMESPACE",),
    default="velero",
    show_default=True,
    help="Where Schedules and Backups live.",
)
@flag(
    "--kubeconfig",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="A kubeconfig; without it as kubectl finds one, and in a pod the cluster of the pod.",
)
@flag("--kubecontext", metavar="NAME", help="The context of the kubeconfig.")
@flag(
    "--schedule-skip-immediately/--no-schedule-skip-immediately",
    default=False,
    help="Skip a run that is due when a Schedule is made or unpaused, unless the Schedule says.",
)
@flag(
    "--disable-controllers",
    multiple=True,
    metavar="NAMES",
    help="Controllers that do not run, with commas between.",
)
@flag(
    "--restore-only/--no-restore-only",
    default=False,
    help="Make, delete and expire no Backups: backup, backup-deletion, gc and schedule do not run.",
)
@engine_flags
@flag(
    "--warmup-image",
    default="",
    metavar="IMAGE",
    help="The image of the container that holds a pod of a PreScaledCronJob until its run.  "
    "[default: that of this version]",
)
@flag(
    "--metrics-address",
    default=":8085",
    show_default=True,
    metavar="ADDRESS",
    help="Where /metrics, /livez, /readyz and /healthz are served; empty: nowhere.",
)
@flag(
    "--leader-elect/--no-leader-elect",
    default=True,
    show_default=True,
    help="Work only while holding the Lease, so that two can run.",
)
@flag(
    "--leader-elect-lease-seconds",
    default=15,
    show_default=True,
    help="How long others wait for a leader that is silent.",
)
@flag(
    "--leader-elect-renew-seconds",
    default=10.0,
    show_default=True,
    help="After so long without a renewal a leader stops.",
)
@flag(
    "--leader-elect-retry-seconds",
    default=2.0,
    show_default=True,
    help="How often a leader renews, and others try.",
)
@flag(
    "--client-qps",
    default=0.0,
    show_default=True,
    help="Requests per second; 0: no limit but those of workers and of the API server.",
)
@flag("--client-burst", default=100, show_default=True, help="Requests at once after a rest.")
@flag(
    "--client-page-size",
    default=500,
    show_default=True,
    help="Objects in one page of a list, thrice as many in long ones of backups; 0: all in one.",
)
@flag("--max-concurrent-k8s-connections", default=30, show_default=True, help="Open connections.")
@flag(
    "--log-level",
    default="info",
    show_default=True,
    type=click.Choice(["debug", "info", "warning", "error"]),
    help="The least that is logged.",
)
@flag(
    "--log-format",
    default="text",
    show_default=True,
    type=click.Choice(["text", "json"]),
    help="How it is logged.",
)
def server(**flags: Any) -> None:
    """Run all controllers on a cluster.

    Two or more may run: one works, the others stand by with full caches. SIGTERM lets what is
    under way come to its end.
    """
    from kedge.aio.clock import SystemClock
    from kedge.cli.logs import configure
    from kedge.client.where import ConfigError, find

    configure(flags["log_format"], flags["log_level"])
    try:
        settings = settings_of(flags)
    except ValueError as exc:
        raise click.UsageError(str(exc)) from exc
    try:
        access = find(
            flags["kubeconfig"],
            context=flags["kubecontext"],
            environ=os.environ,
            clock=SystemClock(),
        )
    except ConfigError as exc:
        raise click.ClickException(str(exc)) from exc
    # uvloop writes past the check at the socket that refuses writes once the lead is lost.
    run_loop(_serve(access, settings), fast=False)


def settings_of(flags: dict[str, Any]) -> "OperatorSettings":
    """Put the flags together; raises ValueError that names the flag."""
    from kedge.cli.operator.settings import (
        IMAGE,
        RESTORE_ONLY,
        OperatorSettings,
        disabled_of,
    )
    from kedge.cli.references import image_problem
    from kedge.client.settings import ClientSettings
    from kedge.controllers.prescaled.controller import PrescaledSettings
    from kedge.controllers.schedule.controller import ScheduleSettings
    from kedge.runtime.manager import ManagerSettings
    from kedge.runtime.serving import ServingSettings
    from kedge.runtime.watcher import WatchSettings

    _check_numbers(flags)
    disabled = disabled_of(",".join(flags["disable_controllers"]))
    if flags["restore_only"]:
        disabled |= RESTORE_ONLY
    try:
        serving = ServingSettings(*address(flags["metrics_address"]))
    except ValueError as exc:
        raise ValueError(f"--metrics-address: {exc}") from exc
    image = flags["warmup_image"] or IMAGE
    if problem := image_problem("--warmup-image", image):
        raise ValueError(problem)
    return OperatorSettings(
        namespace=flags["namespace"],
        disabled=disabled,
        position_period=flags["queue_position_period"],
        client=ClientSettings(
            per_second=flags["client_qps"],
            burst=flags["client_burst"],
            page=flags["client_page_size"],
            connections=flags["max_concurrent_k8s_connections"],
        ),
        leader=_leader(flags) if flags["leader_elect"] else None,
        serving=serving,
        manager=ManagerSettings(watch=WatchSettings(page=flags["client_page_size"])),
        schedules=ScheduleSettings(skip_immediately=flags["schedule_skip_immediately"]),
        engine=engine_settings_of(flags),
        prescaled=PrescaledSettings(image),
    )


def _leader(flags: dict[str, Any]) -> "LeaderSettings":
    from kedge.cli.operator.settings import LEASE
    from kedge.runtime.leadersettings import LeaderSettings, unique_identity

    seconds = (flags[f"leader_elect_{name}_seconds"] for name in ("lease", "renew", "retry"))
    try:
        return LeaderSettings(LEASE, flags["namespace"], unique_identity(), *seconds)
    except ValueError as exc:
        named = re.sub(r"\b([a-z]+)_seconds", r"--leader-elect-\1-seconds", str(exc))
        raise ValueError(named) from exc


def _check_numbers(flags: dict[str, Any]) -> None:
    if flags["client_qps"] < 0:
        raise ValueError("--client-qps must not be negative")
    if flags["client_burst"] <= 0:
        raise ValueError("--client-burst must be positive")
    if flags["client_page_size"] < 0:
        raise ValueError("--client-page-size must not be negative")
    if flags["max_concurrent_k8s_connections"] <= 0:
        raise ValueError("--max-concurrent-k8s-connections must be positive")


async def _serve(access: "Access", settings: "OperatorSettings") -> None:
    from kedge.cli.operator.run import operator, plain_errors, run_until

    stop = stop_signal()
    with plain_errors():
        async with operator(access, settings) as manager:
            await run_until(stop, manager)
