"""The flags of `kedge install` that say what is installed, and the settings made of them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from kedge.cli.flags import map_option, switch

if TYPE_CHECKING:
    from kedge.cli.install.settings import InstallSettings, Share

F = TypeVar("F", bound=Callable[..., Any])

MOST_REPLICAS: Final = 2**31 - 1


def _amount(name: str, default: str, text: str) -> Callable[[F], F]:
    """Make an option that has the name it has in Velero as well."""
    destination = name.replace("-", "_")
    return click.option(
        f"--{name}",
        f"--velero-{name}",
        destination,
        default=default,
        show_default=True,
        metavar="AMOUNT",
        help=text,
    )


def _read(ctx: click.Context, param: click.Parameter, given: str | None) -> str:
    """Read a duration as the server does, and give it as it was written."""
    from kedge.kube.durations import ZERO, DurationError, parse_duration

    if given is None:
        return ""
    try:
        duration = parse_duration(given)
    except DurationError as exc:
        raise click.BadParameter(f"{given!r} is not a duration; write it as 1h or 30m") from exc
    if duration < ZERO:
        raise click.BadParameter(f"{given!r} is negative")
    return given


_OPTIONS: Final[tuple[Callable[[Any], Any], ...]] = (
    click.option("--image", metavar="IMAGE", help="The server's.  [default: that of this version]"),
    click.option(
        "--replicas",
        type=click.IntRange(0, MOST_REPLICAS),
        metavar="N",
        help="Pods of the server; one works, the others stand by.  [default: as it is, at first 1]",
    ),
    switch(
        "--schedule-skip-immediately",
        help="Skip a run that is due when a Schedule is made or unpaused, if it says nothing.",
    ),
    switch("--restore-only", help="Make, delete and expire no Backups."),
    click.option(
        "--disable-controllers",
        default="",
        metavar="NAMES",
        help="Controllers that do not run, with commas between.",
    ),
    click.option(
        "--concurrent-backups",
        type=click.IntRange(1),
        metavar="N",
        help="Backups that run at once; never two of one namespace.  [default: 1]",
    ),
    click.option(
        "--garbage-collection-frequency",
        metavar="DURATION",
        callback=_read,
        help="When the deletion of an expired Backup that failed is tried again.  [default: 1h]",
    ),
    click.option(
        "--service-account-name",
        default="",
        metavar="NAME",
        help="Run as an account that is there, instead of making one.",
    ),
    map_option("--sa-annotations", help="Annotations of the service account."),
    map_option("--pod-annotations", help="Annotations of the server's pods."),
    map_option("--pod-labels", help="Labels of the server's pods."),
    click.option(
        "--server-priority-class-name",
        default="",
        metavar="NAME",
        help="The priority class of the server's pods.",
    ),
    _amount("pod-cpu-request", "100m", "What a pod is promised; 0: nothing."),
    _amount("pod-mem-request", "128Mi", "What a pod is promised; 0: nothing."),
    click.option(
        "--pod-ephemeral-storage-request",
        default="500Mi",
        show_default=True,
        metavar="AMOUNT",
        help="Disk that a pod is promised, for archives that are restored; 0: nothing.",
    ),
    _amount("pod-cpu-limit", "1", "What a pod may take at most; 0: no bound."),
    _amount("pod-mem-limit", "512Mi", "What a pod may take at most; 0: no bound."),
)


def what_is_installed(command: F) -> F:
    """Give a command all these flags."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def settings_of(namespace: str, flags: dict[str, Any]) -> "InstallSettings":
    """Put the flags together; raises Misuse and Failure."""
    from kedge.cli.install.settings import InstallSettings, ServerFlags
    from kedge.cli.install.storageflags import credentials_of, location_of
    from kedge.cli.operator.settings import IMAGE

    location = location_of(flags)
    return InstallSettings(
        namespace=namespace,
        image=IMAGE if flags["image"] is None else flags["image"],
        replicas=flags["replicas"],
        server=ServerFlags(
            schedule_skip_immediately=bool(flags["schedule_skip_immediately"]),
            restore_only=bool(flags["restore_only"]),
            disabled_controllers=flags["disable_controllers"],
            concurrent_backups=flags["concurrent_backups"],
            gc_frequency=flags["garbage_collection_frequency"],
        ),
        location=location,
        credentials=credentials_of(flags, location),
        volume_claim=flags["volume_claim"],
        download_url=flags["download_url"],
        service_account=flags["service_account_name"],
        account_annotations=flags["sa_annotations"],
        pod_annotations=flags["pod_annotations"],
        pod_labels=flags["pod_labels"],
        priority_class=flags["server_priority_class_name"],
        share=_share(flags),
    )


def _share(flags: dict[str, Any]) -> "Share":
    from kedge.cli.install.settings import Share

    return Share(
        flags["pod_cpu_request"],
        flags["pod_mem_request"],
        flags["pod_cpu_limit"],
        flags["pod_mem_limit"],
        flags["pod_ephemeral_storage_request"],
    )
