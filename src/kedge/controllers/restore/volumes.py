"""Says what a backup has of the data of volumes, which is not restored."""

from collections.abc import Sequence
from typing import Any, Final

from kedge.archive import layout
from kedge.engine.storage.errors import ContentError
from kedge.engine.storage.limited import read_list
from kedge.engine.storage.store import BackupStore
from kedge.kube.foreign import cut
from kedge.kube.kind import Object
from kedge.objects.errors import ObjectNotFound

SHOWN: Final = 5
"""So many names are told."""


async def volume_warnings(store: BackupStore, backup: str) -> list[str]:
    """Say in words which data of volumes a backup has, by whatever way; raises ObjectsError."""
    lists = _Lists(store)
    infos = await lists.read(layout.backup_volume_info(backup))
    found = {_claim(one) for one in infos if one.get("backupMethod") and not one.get("skipped")}
    if not found:
        pods = await lists.read(layout.backup_pod_volumes(backup))
        disks = await lists.read(layout.backup_snapshots(backup))
        found = {_volume(one) for one in pods} | {_disk(one) for one in disks}
    return [*lists.unreadable, *([_warning(sorted(found))] if found else [])]


class _Lists:
    """Reads the lists of a backup, and tells of those that nobody can read."""

    def __init__(self, store: BackupStore) -> None:
        self.unreadable: list[str] = []
        self._store = store

    async def read(self, key: str) -> list[Object]:
        """Read a list that may be missing; one that nobody can read is as good as empty."""
        try:
            found = await read_list(self._store, key)
        except ObjectNotFound:
            return []
        except ContentError as exc:
            text = f"the backup may have data of volumes that does not come back: {cut(str(exc))}"
            self.unreadable.append(text)
            return []
        return [one for one in found if isinstance(one, dict)]


def _warning(volumes: Sequence[str]) -> str:
    shown = ", ".join(volumes[:SHOWN]) + (", …" if len(volumes) > SHOWN else "")
    return (
        f"the backup has the data of {_count(volumes)}, which this version does not restore: "
        f"their claims come back without it ({cut(shown)})"
    )


def _count(volumes: Sequence[str]) -> str:
    return "one volume" if len(volumes) == 1 else f"{len(volumes)} volumes"


def _claim(info: Object) -> str:
    if info.get("pvcName"):
        return f"{info.get('pvcNamespace') or ''}/{info['pvcName']}"
    return str(info.get("pvName") or "?")


def _volume(backup: Object) -> str:
    spec: Any = backup.get("spec") or {}
    pod: Any = spec.get("pod") or {}
    return f"{pod.get('namespace') or ''}/{pod.get('name') or '?'}/{spec.get('volume') or '?'}"


def _disk(snapshot: Object) -> str:
    spec: Any = snapshot.get("spec") or {}
    return str(spec.get("persistentVolumeName") or "?")
