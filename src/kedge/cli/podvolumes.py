"""Volumes of pods whose files are saved or brought back, grouped by phase and pod."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kedge.cli.objects import part

if TYPE_CHECKING:
    from kedge.cli.description import Description
    from kedge.kube.kind import Object

BACKUP_PHASES = (
    "Completed", "Failed", "Canceled", "In Progress", "Canceling", "Prepared", "Accepted", "New",
)  # fmt: skip
RESTORE_PHASES = (
    "Completed", "Canceled", "Failed", "In Progress", "Prepared", "Accepted", "New",
)  # fmt: skip
"""The order in which they are told."""


def by_phase(volumes: Sequence[Object], order: Sequence[str]) -> dict[str, list[Object]]:
    """Group volumes by their phase; one that Velero does not tell of is left out."""
    found: dict[str, list[Object]] = {phase: [] for phase in order}
    for one in volumes:
        phase = str(part(one, "status", "phase") or "New")
        phase = "In Progress" if phase == "InProgress" else phase
        if phase in found:
            found[phase].append(one)
    return {phase: some for phase, some in found.items() if some}


def by_pod(volumes: Sequence[Object], phase: str) -> dict[str, list[str]]:
    """Give the names of the volumes of each pod, with how much there is of them."""
    found: dict[str, list[str]] = {}
    for one in volumes:
        pod = part(one, "spec", "pod") or {}
        label = f"{pod.get('namespace') or ''}/{pod.get('name') or ''}"
        found.setdefault(label, []).append(_volume(one, phase))
    return found


def _volume(one: Object, phase: str) -> str:
    name = str(part(one, "spec", "volume") or "")
    total = part(one, "status", "progress", "totalBytes") or 0
    done = part(one, "status", "progress", "bytesDone") or 0
    grown = part(one, "status", "incrementalBytes") or 0
    if phase == "In Progress" and total:
        return f"{name} ({done / total * 100:.2f}%)"
    if phase == "Completed" and grown > 0:
        return f"{name} (size: {total}, incremental size: {grown})"
    if phase == "Completed" and total > 0:
        return f"{name} (size: {total})"
    return name


def uploader(volumes: Sequence[Object]) -> str:
    """Say who moves the data: it is the same for all."""
    return str(part(volumes[0], "spec", "uploaderType") or "")


def describe_pod_volumes(
    text: Description, volumes: Sequence[Object], order: Sequence[str], depth: int, details: bool
) -> None:
    """Add how many volumes there are in each phase, or with details which."""
    for phase, some in by_phase(volumes, order).items():
        if not details:
            text.line(f"{phase}:", str(len(some)), depth=depth)
            continue
        text.line(f"{phase}:", depth=depth)
        pods = by_pod(some, phase)
        for label in sorted(pods):
            text.line(f"{label}: {', '.join(sorted(pods[label]))}", depth=depth + 1)
