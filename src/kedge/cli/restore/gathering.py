"""All that there is to tell about one restore: the object, what belongs to it, and its files."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kedge.cli.loaded import ABSENT, Documents, Loaded, Resources, Results, load_all, related
from kedge.cli.restore.kind import typed

if TYPE_CHECKING:
    from kedge.api.velero.restore import Restore
    from kedge.cli.download import Fetching
    from kedge.client import Client
    from kedge.kube.kind import Object

WITHOUT_FILES = frozenset({"", "New", "FailedValidation", "InProgress"})
"""Phases in which a restore has no files yet, or never had any: nobody is asked for them."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """What was found."""

    plain: Object
    restore: Restore
    details: bool = False
    pod_volumes: list[Object] = field(default_factory=list)
    results: Loaded = ABSENT
    operations: Loaded = ABSENT
    resources: Loaded = ABSENT
    volumes: Loaded = ABSENT


async def gather(client: Client, restore: Object, how: Fetching, *, details: bool) -> Gathered:
    """Find all that there is to tell; what can not be had is told in its place."""
    from kedge.cli.download import Files

    read = typed(restore)
    found: dict[str, Loaded] = {}
    if read.status.phase not in WITHOUT_FILES:
        files = await Files.of_restore(client, restore, how)
        found = await load_all(files, restore["metadata"]["name"], _wanted(read, details))
    volumes = await _pod_volumes(client, restore)
    return Gathered(restore, read, details, pod_volumes=volumes, **found)


def _wanted(restore: Restore, details: bool) -> dict[str, tuple[str, Any]]:
    status = restore.status
    wanted: dict[str, tuple[str, Any]] = {"volumes": ("RestoreVolumeInfo", Documents)}
    if status.warnings or status.errors:
        wanted["results"] = ("RestoreResults", Results)
    if details:
        wanted["resources"] = ("RestoreResourceList", Resources)
        if status.restore_item_operations_attempted:
            wanted["operations"] = ("RestoreItemOperations", Documents)
    return wanted


async def _pod_volumes(client: Client, restore: Object) -> list[Object]:
    from kedge.api.velero.labels import RESTORE_NAME, valid_name
    from kedge.api.velero.pod_volume_restore import POD_VOLUME_RESTORE

    labels = f"{RESTORE_NAME}={valid_name(restore['metadata']['name'])}"
    return await related(client, POD_VOLUME_RESTORE.into(dict), "restore", restore, labels)
