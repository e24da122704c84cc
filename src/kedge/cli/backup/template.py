"""What was said about a backup, as the spec of a Backup or the template of a Schedule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kedge.cli.connection import namespace
from kedge.cli.errors import Failure, Misuse
from kedge.cli.flags import read_selector

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.kind import Object

ALL = ("*",)
MIXED = (
    "include-resources, exclude-resources and include-cluster-resources are old filter parameters.",
    "include-cluster-scoped-resources, exclude-cluster-scoped-resources, "
    "include-namespace-scoped-resources and exclude-namespace-scoped-resources "
    "are new filter parameters.",
    "They cannot be used together",
)


@dataclass(frozen=True, slots=True)
class Filters:
    """The values of the options; empty or None where nothing was said."""

    ttl: str
    include_namespaces: list[str]
    exclude_namespaces: list[str]
    include_resources: list[str]
    exclude_resources: list[str]
    include_cluster_resources: bool | None
    include_cluster_scoped_resources: list[str]
    exclude_cluster_scoped_resources: list[str]
    include_namespace_scoped_resources: list[str]
    exclude_namespace_scoped_resources: list[str]
    selector: str
    or_selector: list[str]
    storage_location: str
    volume_snapshot_locations: list[str]
    snapshot_volumes: bool | None
    snapshot_move_data: bool | None
    data_mover: str
    default_volumes_to_fs_backup: bool | None
    ordered_resources: dict[str, str]
    csi_snapshot_timeout: str
    item_operation_timeout: str
    resource_policies_configmap: str
    parallel_files_upload: int


def spec_of(filters: Filters) -> Object:
    """Make the spec of a Backup; raises Misuse where options do not go together."""
    from kedge.cli.backup.namespaces import check_namespaces

    _check_together(filters)
    included = filters.include_namespaces or list(ALL)
    check_namespaces(included, filters.exclude_namespaces)
    wanted = {
        "includedNamespaces": included,
        "excludedNamespaces": filters.exclude_namespaces,
        "includedResources": filters.include_resources,
        "excludedResources": filters.exclude_resources,
        "includeClusterResources": filters.include_cluster_resources,
        "includedClusterScopedResources": filters.include_cluster_scoped_resources,
        "excludedClusterScopedResources": filters.exclude_cluster_scoped_resources,
        "includedNamespaceScopedResources": filters.include_namespace_scoped_resources,
        "excludedNamespaceScopedResources": filters.exclude_namespace_scoped_resources,
        "labelSelector": read_selector(filters.selector) if filters.selector else None,
        "orLabelSelectors": [read_selector(one) for one in filters.or_selector],
        "snapshotVolumes": filters.snapshot_volumes,
        "ttl": filters.ttl,
        "storageLocation": filters.storage_location,
        "volumeSnapshotLocations": filters.volume_snapshot_locations,
        "defaultVolumesToFsBackup": filters.default_volumes_to_fs_backup,
        "orderedResources": filters.ordered_resources,
        "csiSnapshotTimeout": filters.csi_snapshot_timeout,
        "itemOperationTimeout": filters.item_operation_timeout,
        "resourcePolicy": _policy(filters.resource_policies_configmap),
        "snapshotMoveData": filters.snapshot_move_data,
        "datamover": filters.data_mover,
        "uploaderConfig": _uploader(filters.parallel_files_upload),
    }
    return {name: value for name, value in wanted.items() if value is False or value}


def _check_together(filters: Filters) -> None:
    if filters.selector and filters.or_selector:
        raise Misuse("either a 'selector' or an 'or-selector' can be specified, but not both")
    old = filters.include_resources or filters.exclude_resources
    new = (
        filters.include_cluster_scoped_resources
        or filters.exclude_cluster_scoped_resources
        or filters.include_namespace_scoped_resources
        or filters.exclude_namespace_scoped_resources
    )
    if new and (old or filters.include_cluster_resources is not None):
        raise Misuse("\n".join(MIXED))


def _policy(name: str) -> dict[str, Any] | None:
    return {"kind": "configmap", "name": name} if name else None


def _uploader(files: int) -> dict[str, Any] | None:
    return {"parallelFilesUpload": files} if files else None


async def check_locations(client: Client, filters: Filters) -> None:
    """Fail where a location that is named is not there: no backup could be made."""
    from kedge.api.velero.snapshot_location import VOLUME_SNAPSHOT_LOCATION
    from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
    from kedge.cli.selection import missing
    from kedge.kube.errors import NotFound

    named = (
        [(BACKUP_STORAGE_LOCATION, filters.storage_location)] if filters.storage_location else []
    )
    kinds = [(kind.into(dict), name) for kind, name in named]
    kinds += [(VOLUME_SNAPSHOT_LOCATION.into(dict), n) for n in filters.volume_snapshot_locations]
    problems = []
    for kind, name in kinds:
        try:
            await client.get(kind, name, namespace())
        except NotFound as exc:
            problems.append(missing(kind, exc))
        except ValueError as exc:
            problems.append(str(exc))
    if problems:
        raise Failure(*problems)
