"""A restore in words, laid out as Velero does it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from kedge.cli.backup.description import COLOURS, LOGGED, UNKNOWN
from kedge.cli.backup.spec import selector
from kedge.cli.description import NONE, Description, flag, listed
from kedge.cli.findings import (
    describe_operations,
    describe_resources,
    describe_results,
)
from kedge.cli.objects import duration_text, part, time_text
from kedge.cli.podvolumes import RESTORE_PHASES, describe_pod_volumes, uploader
from kedge.cli.program import as_called

if TYPE_CHECKING:
    from kedge.api.velero.restore import RestoreSpec
    from kedge.cli.restore.gathering import Gathered

EVERYWHERE: Final = "all namespaces found in the backup"
MORE: Final = "specify --details for more information"


def description(found: Gathered) -> str:
    """Describe one Restore."""
    status, spec = found.restore.status, found.restore.spec
    text = Description()
    text.metadata(found.plain)
    text.blank()
    _phase(text, found)
    text.blank()
    text.line("Started:", time_text(status.start_timestamp, UNKNOWN))
    text.line("Completed:", time_text(status.completion_timestamp, UNKNOWN))
    text.errors("Validation errors:", status.validation_errors)
    text.errors("Failure reason:", [status.failure_reason] if status.failure_reason else [])
    if status.warnings or status.errors:
        describe_results(text, status, found.results)
    text.blank()
    _spec(text, spec)
    _volumes(text, found)
    text.blank()
    # The spaces in front of some tabs are there as well.
    text.line("Existing Resource Policy: ", spec.existing_resource_policy or NONE)
    text.line("ItemOperationTimeout:", duration_text(spec.item_operation_timeout))
    text.blank()
    text.line("Preserve Service NodePorts:", flag(spec.preserve_node_ports, "auto"))
    _extras(text, spec)
    text.blank()
    _operations(text, found)
    if status.hook_status is not None:
        text.blank()
        text.line("HooksAttempted: ", str(status.hook_status.hooks_attempted))
        text.line("HooksFailed: ", str(status.hook_status.hooks_failed))
    if found.details:
        text.blank()
        describe_resources(text, "restore", found.resources)
    return str(text)


def _phase(text: Description, found: Gathered) -> None:
    status = found.restore.status
    phase = status.phase or "New"
    colour = {"fg": COLOURS[phase]} if phase in COLOURS else {}
    shown = phase
    if part(found.plain, "metadata", "deletionTimestamp"):
        shown += " (Deleting)"
    name = found.restore.metadata.name
    note = f" (run 'kedge restore logs {name}' for more information)" if phase in LOGGED else ""
    text.coloured("Phase:", shown, as_called(note), **colour)
    if status.progress is None:
        return
    before, after = "Total items to be restored:", "Items restored:"
    if phase == "InProgress":
        before, after = "Estimated total items to be restored:", "Items restored so far:"
    text.line(before, str(status.progress.total_items))
    text.line(after, str(status.progress.items_restored))


def _spec(text: Description, spec: RestoreSpec) -> None:
    namespaces = spec.included_namespaces
    text.line("Backup:", spec.backup_name)
    text.blank()
    text.line("Namespaces:")
    everywhere = namespaces == ["*"]
    text.line("Included:", listed(None if everywhere else namespaces, EVERYWHERE), depth=1)
    text.line("Excluded:", listed(spec.excluded_namespaces), depth=1)
    text.blank()
    text.line("Resources:")
    text.line("Included:", listed(spec.included_resources, "*"), depth=1)
    text.line("Excluded:", listed(spec.excluded_resources), depth=1)
    scope = flag(spec.include_cluster_resources, "auto", yes="included", no="excluded")
    text.line("Cluster-scoped:", scope, depth=1)
    text.blank()
    text.pairs("Namespace mappings:", spec.namespace_mapping)
    text.blank()
    text.line("Label selector:", selector(spec.label_selector))
    text.blank()
    either = [selector(one) for one in spec.or_label_selectors or ()]
    text.line("Or label selector:", " or ".join(either) or NONE)
    text.blank()
    text.line("Restore PVs:", flag(spec.restore_pvs, "auto"))


def _volumes(text: Description, found: Gathered) -> None:
    if found.pod_volumes:
        text.blank()
        more = "" if found.details else f" ({MORE})"
        text.line(f"{uploader(found.pod_volumes)} Restores{more}:")
        describe_pod_volumes(text, found.pod_volumes, RESTORE_PHASES, 1, found.details)
    loaded = found.volumes
    if loaded.is_absent:
        return
    if loaded.problem:
        verb = "reading" if loaded.is_unreadable else "getting"
        text.line(f"<error {verb} restore volume info: {loaded.problem}>", depth=1)
        return
    text.blank()
    infos = [one for one in loaded.value if one.get("restoreMethod") == "CSISnapshot"]
    if not infos:
        text.line("CSI Snapshot Restores: <none included>")
        return
    text.line("CSI Snapshot Restores:")
    for info in sorted(infos, key=lambda one: bool(one.get("snapshotDataMoved"))):
        _csi(text, info, found.details)


def _csi(text: Description, info: Mapping[str, Any], details: bool) -> None:
    text.line(f"{info.get('pvcNamespace') or ''}/{info.get('pvcName') or ''}:", depth=1)
    if info.get("snapshotDataMoved"):
        name, source = "Data Movement", info.get("snapshotDataMovementInfo") or {}
        rows = (
            ("Operation ID", "operationID"),
            ("Data Mover", "dataMover"),
            ("Uploader Type", "uploaderType"),
        )
    else:
        name, source = "Snapshot", info.get("csiSnapshotInfo") or {}
        rows = (
            ("Snapshot Content Name", "vscName"),
            ("Storage Snapshot ID", "snapshotHandle"),
            ("CSI Driver", "driver"),
        )
    if not details:
        text.line(f"{name}: {MORE}", depth=2)
        return
    text.line(f"{name}:", depth=2)
    for title, field in rows:
        text.line(f"{title}: {source.get(field) or ''}", depth=3)


def _extras(text: Description, spec: RestoreSpec) -> None:
    if spec.resource_modifier is not None:
        text.blank()
        text.line("Resource modifier:")
        text.line("Type:", spec.resource_modifier.kind, depth=1)
        text.line("Name:", spec.resource_modifier.name, depth=1)
    if spec.uploader_config is not None:
        text.blank()
        text.line("Uploader config:")
        if spec.uploader_config.write_sparse_files:
            text.line("Write Sparse Files:", "true", depth=1)
        if spec.uploader_config.parallel_files_download > 0:
            files = str(spec.uploader_config.parallel_files_download)
            text.line("Parallel Restore:", files, depth=1)


def _operations(text: Description, found: Gathered) -> None:
    status = found.restore.status
    attempted = status.restore_item_operations_attempted
    if not attempted:
        return
    title = "Restore Item Operations"
    if found.details:
        describe_operations(text, title, "Restore Item Action", found.operations)
        return
    text.line(
        f"{title}:",
        f"{status.restore_item_operations_completed} of {attempted} completed successfully, "
        f"{status.restore_item_operations_failed} failed ({MORE})",
    )
