"""Objects that are saved before others of their resource, in an order that the spec names."""

from asyncio import TaskGroup
from dataclasses import dataclass
from typing import Final

import msgspec

from kedge.client.client import Client
from kedge.client.errors import ClientError
from kedge.engine.backup.items import Head, Raw, Unreadable, head_of
from kedge.engine.backup.listing import outcome
from kedge.engine.backup.prepare import Prepared
from kedge.engine.backup.saved import Type, place_of
from kedge.engine.journal import Journal
from kedge.kube.errors import ApiError, NotFound
from kedge.kube.foreign import cut

AT_ONCE: Final = 16
"""Objects that are asked for at the same time."""


@dataclass(frozen=True, slots=True)
class Ordered:
    """Fetches the objects that come first."""

    client: Client
    names: dict[str, str]
    """For a resource: `namespace/name,namespace/name`."""
    prepared: Prepared
    journal: Journal

    async def first(self, type_: Type) -> list[tuple[Raw, Head]]:
        """Give the objects of a resource that come first; what is not there is warned of."""
        keys = self._keys(type_)
        found = []
        for start in range(0, len(keys), AT_ONCE):
            part = keys[start : start + AT_ONCE]
            async with TaskGroup() as group:
                tasks = [group.create_task(outcome(self._get, type_, key)) for key in part]
            for key, task in zip(part, tasks, strict=True):
                item = self._wanted(type_, key, task.result())
                if item is not None:
                    found.append(item)
        return found

    def _keys(self, type_: Type) -> list[str]:
        kind = type_.resource.kind
        for name, text in self.names.items():
            if name == kind.plural or self.prepared.served.resolve(name) == type_.resource:
                keys = (key.strip() for key in text.split(","))
                return list(dict.fromkeys(key for key in keys if key))
        return []

    async def _get(self, type_: Type, key: str) -> msgspec.Raw:
        place, kind = place_of(type_.name, key), type_.resource.kind
        is_possible = bool(place.namespace) == kind.namespaced and "/" not in place.namespace
        if not is_possible or not place.name:
            raise NotFound(f"{key!r} is no place of {type_.name}")
        return await self.client.get(kind.raw, place.name, place.namespace or None)

    def _wanted(
        self, type_: Type, key: str, found: msgspec.Raw | ApiError | ClientError
    ) -> tuple[Raw, Head] | None:
        place = place_of(type_.name, key)
        facts = {"resource": type_.name, "namespace": place.namespace, "name": place.name}
        try:
            if isinstance(found, ApiError | ClientError):
                raise found
            head = head_of(found)
        except NotFound:
            head = None
        except (ApiError, ClientError, Unreadable) as exc:
            self.journal.error("Error getting item", **facts, error=cut(str(exc)))
            return None
        if isinstance(found, msgspec.Raw) and head is not None and self._is_selected(type_, head):
            return found, head
        self.journal.warning(f"Cannot find resource '{key}'.", **facts)
        return None

    def _is_selected(self, type_: Type, head: Head) -> bool:
        meta = head.metadata
        if meta.namespace and not self.prepared.namespaces.has(meta.namespace):
            return False
        return self.prepared.choice.selects(type_.name, meta)
