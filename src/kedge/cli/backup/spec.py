"""The spec of a Backup, or the template of a Schedule, in words; laid out as Velero does it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kedge.cli.description import NONE, Description, flag, listed
from kedge.cli.objects import duration_text, selector_text

if TYPE_CHECKING:
    from kedge.api.velero.backup import BackupHook, BackupHookGroup, BackupSpec
    from kedge.api.velero.selector import LabelSelector

MOVER = "velero"


def describe_policy(text: Description, spec: BackupSpec) -> None:
    """Add which rules there are, and how data is sent, each where there is something to say."""
    if spec.resource_policy is not None:
        text.blank()
        text.line("Resource policies:")
        text.line("Type:", spec.resource_policy.kind, depth=1)
        text.line("Name:", spec.resource_policy.name, depth=1)
    if spec.uploader_config is not None and spec.uploader_config.parallel_files_upload > 0:
        text.blank()
        text.line("Uploader config:")
        files = str(spec.uploader_config.parallel_files_upload)
        text.line("Parallel files upload:", files, depth=1)


def describe_spec(text: Description, spec: BackupSpec, unsaid: str = "") -> None:
    """Add what is saved, how, and for how long.

    `unsaid` stands for what nobody has said yet, in place of nothing at all.
    """

    def length(said: str) -> str:
        return duration_text(said) if said or not unsaid else unsaid

    text.line("Namespaces:")
    text.line("Included:", listed(spec.included_namespaces, "*"), depth=1)
    text.line("Excluded:", listed(spec.excluded_namespaces), depth=1)
    text.blank()
    _resources(text, spec)
    text.blank()
    text.line("Label selector:", selector(spec.label_selector))
    text.blank()
    either = [selector(one) for one in spec.or_label_selectors or ()]
    text.line("Or label selector:", " or ".join(either) or NONE)
    text.blank()
    text.line("Storage Location:", spec.storage_location or unsaid)
    text.blank()
    text.line("Velero-Native Snapshot PVs:", flag(spec.snapshot_volumes, "auto"))
    if spec.default_volumes_to_fs_backup is not None:
        text.line("File System Backup (Default):", flag(spec.default_volumes_to_fs_backup, ""))
    text.line("Snapshot Move Data:", flag(spec.snapshot_move_data, "auto"))
    text.line("Data Mover:", spec.datamover or MOVER)
    text.blank()
    text.line("TTL:", length(spec.ttl))
    text.blank()
    text.line("CSISnapshotTimeout:", length(spec.csi_snapshot_timeout))
    text.line("ItemOperationTimeout:", length(spec.item_operation_timeout))
    text.blank()
    _hooks(text, spec)
    if spec.ordered_resources:
        text.blank()
        text.line("OrderedResources:")
        for kind in sorted(spec.ordered_resources):
            text.line(f"{kind}: {spec.ordered_resources[kind]}", depth=1)


def selector(found: LabelSelector | None) -> str:
    """Write a selector as text."""
    return selector_text(msgspec.to_builtins(found)) if found is not None else NONE


def _resources(text: Description, spec: BackupSpec) -> None:
    text.line("Resources:")
    is_old = spec.included_resources or spec.excluded_resources
    if is_old or spec.include_cluster_resources is not None:
        scope = flag(spec.include_cluster_resources, "auto", yes="included", no="excluded")
        text.line("Included:", listed(spec.included_resources, "*"), depth=1)
        text.line("Excluded:", listed(spec.excluded_resources), depth=1)
        text.line("Cluster-scoped:", scope, depth=1)
        return
    rows = (
        ("Included cluster-scoped:", listed(spec.included_cluster_scoped_resources)),
        ("Excluded cluster-scoped:", listed(spec.excluded_cluster_scoped_resources)),
        ("Included namespace-scoped:", listed(spec.included_namespace_scoped_resources, "*")),
        ("Excluded namespace-scoped:", listed(spec.excluded_namespace_scoped_resources)),
    )
    for name, value in rows:
        text.line(name, value, depth=1)


def _hooks(text: Description, spec: BackupSpec) -> None:
    groups = spec.hooks.resources if spec.hooks is not None else None
    if not groups:
        text.line("Hooks:", NONE)
        return
    text.line("Hooks:")
    text.line("Resources:", depth=1)
    for group in groups:
        _hook_group(text, group)


def _hook_group(text: Description, group: BackupHookGroup) -> None:
    text.line(f"{group.name}:", depth=2)
    text.line("Namespaces:", depth=3)
    text.line("Included:", listed(group.included_namespaces, "*"), depth=4)
    text.line("Excluded:", listed(group.excluded_namespaces), depth=4)
    text.blank()
    text.line("Resources:", depth=3)
    text.line("Included:", listed(group.included_resources, "*"), depth=4)
    text.line("Excluded:", listed(group.excluded_resources), depth=4)
    text.blank()
    text.line("Label selector:", selector(group.label_selector), depth=3)
    for when, hooks in (("Pre", group.pre), ("Post", group.post)):
        for hook in hooks or ():
            _hook(text, when, hook)


def _hook(text: Description, when: str, hook: BackupHook) -> None:
    if hook.exec is None:
        return
    text.blank()
    text.line(f"{when} Exec Hook:", depth=3)
    text.line("Container:", hook.exec.container, depth=4)
    text.line("Command:", " ".join(hook.exec.command or ()), depth=4)
    text.line("On Error:", hook.exec.on_error, depth=4)
    text.line("Timeout:", duration_text(hook.exec.timeout), depth=4)
