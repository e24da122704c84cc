"""Flags of `kedge server`, each a variable as well; and those of Velero that it refuses."""

from collections.abc import Callable
from typing import Any, Final, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])

VOLUMES: Final = "volume data is not saved by this version"
REFUSED: Final = {
    "--plugin-dir": "there are no plugins: providers are built in",
    "--profiler-address": "there is no Go profiler here",
    "--uploader-type": VOLUMES,
    "--default-volumes-to-fs-backup": VOLUMES,
    "--default-snapshot-move-data": VOLUMES,
    "--default-volume-snapshot-locations": VOLUMES,
    "--volume-group-snapshot-label-key": VOLUMES,
    "--fs-backup-timeout": VOLUMES,
    "--default-repo-maintain-frequency": VOLUMES,
    "--backup-repository-configmap": VOLUMES,
    "--repo-maintenance-job-configmap": VOLUMES,
    "--disable-informer-cache": "controllers work from caches, which keep only what they need",
    "--item-operation-sync-frequency": "nothing goes on aside of a backup: there are no plugins",
    "--item-block-worker-count": "items are saved as they are listed, not in blocks",
}
"""Flags of `velero server` that have no meaning here, and why."""


def flag(*names: str, others: tuple[str, ...] = (), **settings: Any) -> Callable[[F], F]:
    """Make an option that can be set by a variable as well: --log-level, KEDGE_LOG_LEVEL.

    Without that variable, `others` count.
    """
    variable = "KEDGE_" + names[-1].removeprefix("--").split("/")[0].replace("-", "_").upper()
    return click.option(*names, envvar=[variable, *others], show_envvar=True, **settings)


def address(text: str) -> tuple[str, int | None]:
    """Read an address to listen on: `:8085`, `127.0.0.1:0`, `[::]:8085`; empty: none.

    >>> address(":8085")
    ('0.0.0.0', 8085)
    >>> address("")
    ('0.0.0.0', None)
    """
    if not text:
        return "0.0.0.0", None
    host, separator, port = text.rpartition(":")
    if not separator or not port.isascii() or not port.isdigit() or int(port) > 65535:
        raise ValueError(f"{text!r} is no address: write HOST:PORT, :PORT, or nothing")
    return host.strip("[]") or "0.0.0.0", int(port)
