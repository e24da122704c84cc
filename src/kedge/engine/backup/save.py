"""Saves objects: what is left out, what is changed, what is needed beside them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from kedge.api.velero.labels import EXCLUDE_FROM_BACKUP
from kedge.archive.errors import ArchiveError
from kedge.archive.item import Place
from kedge.engine.backup.actions import Action
from kedge.engine.backup.archive import Archive
from kedge.engine.backup.filters import NAMESPACES
from kedge.engine.backup.items import Head, Meta, Raw
from kedge.engine.backup.prepare import Prepared
from kedge.engine.backup.progress import Progress
from kedge.engine.backup.saved import Type, key_of
from kedge.engine.journal import Journal
from kedge.kube.foreign import cut

LABELLED: Final = f"it has the label {EXCLUDE_FROM_BACKUP}=true"
DELETED: Final = "it is being deleted"
OUTSIDE: Final = "its namespace is not in the backup"
NOT_INCLUDED: Final = "its resource is not in the backup"
NOT_NAMED: Final = "its name is not one that the resource policy asks for"


@dataclass
class Saver:
    """Puts objects into an archive, each once."""

    prepared: Prepared
    archive: Archive
    journal: Journal
    progress: Progress
    actions: Mapping[str, Action]
    skipped: dict[str, int] = field(default_factory=dict)
    """How many objects were left out, by the reason."""
    _inside: dict[str, bool] = field(default_factory=dict)

    async def save(self, type_: Type, raw: Raw, head: Head) -> None:
        """Save an object, unless it is left out or there, and send what has come together."""
        self.put(type_, raw, head)
        if self.archive.is_due:
            await self.archive.send()

    def put(self, type_: Type, raw: Raw, head: Head) -> None:
        """Put an object into the archive, unless it is left out or there."""
        meta = head.metadata
        key = key_of(meta.namespace, meta.name)
        if key in type_.saved or key in type_.refused:
            return
        why = self.reason(type_, meta)
        if why:
            self.skipped[why] = self.skipped.get(why, 0) + 1
            return
        try:
            data = type_.typing.whole(raw, head)
            action = self.actions.get(type_.name)
            if action is not None:
                data = action(data, meta)
            place = Place(type_.name, meta.namespace, meta.name)
            self.archive.add(place, type_.resource.kind.version, data)
        except (ArchiveError, ValueError, RecursionError) as exc:
            self.fail(type_, meta, exc)
            return
        type_.saved[key] = None
        self.progress.count()

    def reason(self, type_: Type, meta: Meta) -> str:
        """Say why an object is left out; empty if it is not."""
        if meta.labels is not None and meta.labels.get(EXCLUDE_FROM_BACKUP) == "true":
            return LABELLED
        if meta.namespace:
            if not self.is_inside(meta.namespace):
                return OUTSIDE
            if not type_.included:
                return NOT_INCLUDED
        elif type_.excluded and type_.name != NAMESPACES:
            return NOT_INCLUDED
        if not self.has_name(type_, meta.namespace, meta.name):
            return NOT_NAMED
        return DELETED if meta.deletion_timestamp is not None else ""

    def is_inside(self, namespace: str) -> bool:
        """Tell whether a namespace is in the backup."""
        known = self._inside.get(namespace)
        if known is None:
            known = self._inside[namespace] = self.prepared.namespaces.has(namespace)
        return known

    def has_name(self, type_: Type, namespace: str, name: str) -> bool:
        """Tell whether a policy leaves an object in the backup by its name."""
        choice = self.prepared.choice
        return choice.is_plain or choice.has_name(type_.name, namespace, name)

    def fail(self, type_: Type, meta: Meta, why: Exception) -> None:
        """Tell that an object could not be saved."""
        self.journal.error(
            "Error backing up item",
            resource=type_.name,
            namespace=meta.namespace,
            name=meta.name,
            error=cut(str(why)),
        )
