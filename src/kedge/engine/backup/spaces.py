"""Saves the Namespace objects: those that are asked for, and those of what is saved."""

from contextlib import aclosing
from dataclasses import dataclass
from typing import Final

import msgspec

from kedge.engine.backup.filters import NAMESPACES
from kedge.engine.backup.items import Head, Meta, Raw, Unreadable, head_of
from kedge.engine.backup.listing import FAILURES, Lister, Query
from kedge.engine.backup.namespaces import Namespaces
from kedge.engine.backup.prepare import Prepared
from kedge.engine.backup.save import Saver
from kedge.engine.backup.saved import Type
from kedge.engine.journal import Journal
from kedge.kube.foreign import cut
from kedge.kube.selectors import Selector

ACTIVE: Final = "Active"


class _Status(msgspec.Struct):
    phase: str = ""


class _Namespace(msgspec.Struct):
    status: _Status = msgspec.field(default_factory=_Status)


def is_asked_for(
    meta: Meta, phase: str, namespaces: Namespaces, selectors: tuple[Selector, ...]
) -> bool:
    """Tell whether a namespace is wanted for itself, by its labels or by its name. Pure."""
    if phase != ACTIVE:
        return False
    if any(one.matches(meta.labels) for one in selectors):
        return True
    # Where all namespaces are meant and labels are given, the labels are the filter.
    return not (selectors and namespaces.everything) and namespaces.has(meta.name)


@dataclass(frozen=True, slots=True)
class SpaceSaver:
    """Saves Namespace objects after all others: by then it is known who has objects."""

    prepared: Prepared
    lister: Lister
    saver: Saver
    journal: Journal

    async def save(self, seen: set[str]) -> None:
        """Save namespaces that are asked for, and those in which objects were seen."""
        type_ = self.prepared.types.get(NAMESPACES)
        if type_ is None or not type_.included:
            return
        known = self.prepared.existing
        if known.objects is not None and seen <= known.names:
            for raw in known.objects:
                await self._save(type_, raw, seen)
            return
        # There are very many, or there is a namespace with objects that was made since.
        try:
            async with aclosing(self.lister.pages(Query(type_.resource))) as pages:
                async for page in pages:
                    for raw in page.items:
                        await self._save(type_, raw, seen)
        except FAILURES as exc:
            self.journal.error("Error listing items", resource=NAMESPACES, error=cut(str(exc)))

    async def _save(self, type_: Type, raw: Raw, seen: set[str]) -> None:
        try:
            head = head_of(raw)
        except Unreadable as exc:
            self.saver.fail(type_, Meta(), exc)
            return
        if head.metadata.name in seen or self._is_asked_for(raw, head):
            await self.saver.save(type_, raw, head)

    def _is_asked_for(self, raw: Raw, head: Head) -> bool:
        try:
            phase = msgspec.json.decode(raw, type=_Namespace).status.phase
        except ValueError:
            phase = ""
        prepared = self.prepared
        return is_asked_for(head.metadata, phase, prepared.namespaces, prepared.selectors)
