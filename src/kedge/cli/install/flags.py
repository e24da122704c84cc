"""The flags of `kedge install` that say what is installed, and the settings made of them."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from kedge.cli.flags import map_option, switch

if TYPE_CHECKING:
    from kedge.cli.install.settings import InstallSettings

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
    _amount("pod-cpu-limit", "1", "What a pod may take at most; 0: no bound."),
    _amount("pod-mem-limit", "512Mi", "What a pod may take at most; 0: no bound."),
)


def what_is_installed(command: F) -> F:
    """Give a command all these flags."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def settings_of(namespace: str, flags: dict[str, Any]) -> "InstallSettings":
    """Put the flags together."""
    from kedge.cli.install.settings import InstallSettings, Share
    from kedge.cli.operator.settings import IMAGE

    return InstallSettings(
        namespace=namespace,
        image=IMAGE if flags["image"] is None else flags["image"],
        replicas=flags["replicas"],
        schedule_skip_immediately=flags["schedule_skip_immediately"],
        service_account=flags["service_account_name"],
        account_annotations=flags["sa_annotations"],
        pod_annotations=flags["pod_annotations"],
        pod_labels=flags["pod_labels"],
        priority_class=flags["server_priority_class_name"],
        share=Share(
            flags["pod_cpu_request"],
            flags["pod_mem_request"],
            flags["pod_cpu_limit"],
            flags["pod_mem_limit"],
        ),
    )
