"""Objects that others need: fetched one by one, unless a list had them."""

from asyncio import TaskGroup
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

import msgspec

from kedge.archive.item import Place
from kedge.client.client import Client
from kedge.client.errors import ClientError
from kedge.engine.backup.items import Meta, Unreadable, head_of
from kedge.engine.backup.listing import outcome
from kedge.engine.backup.save import Saver
from kedge.engine.backup.saved import Type, key_of
from kedge.engine.journal import Journal
from kedge.kube.errors import ApiError, NotFound
from kedge.kube.foreign import cut

AT_ONCE: Final = 16
"""Objects that are asked for at the same time."""
NOT_FOUND: Final = "Additional item was not found in Kubernetes API, can't back it up"


@dataclass
class Needs:
    """What saved objects need, and is not saved yet."""

    client: Client
    saver: Saver
    journal: Journal
    open: set[Place] = field(default_factory=set)

    def add(self, places: Iterable[Place]) -> None:
        """Remember places; what may not be saved is forgotten at once."""
        self.open.update(place for place in places if self._may_have(place))

    async def settle(self) -> None:
        """Save all that is needed, and what that needs in turn."""
        while self.open:
            places = sorted(place for place in self.open if not self._is_done(place))
            self.open.clear()
            for start in range(0, len(places), AT_ONCE):
                await self._fetch(places[start : start + AT_ONCE], optional=False)

    async def settle_optional(self, places: Iterable[Place]) -> None:
        """Save those of these objects that are there; not to be there is no fault."""
        wanted = [place for place in sorted(places) if not self._is_done(place)]
        for start in range(0, len(wanted), AT_ONCE):
            await self._fetch(wanted[start : start + AT_ONCE], optional=True)

    def _may_have(self, place: Place) -> bool:
        type_ = self.saver.prepared.types.get(place.resource)
        if type_ is None or not self.saver.has_name(type_, place.namespace, place.name):
            return False
        if not place.namespace:
            return not type_.excluded
        return type_.included and self.saver.is_inside(place.namespace)

    def _is_done(self, place: Place) -> bool:
        type_ = self._type(place)
        key = key_of(place.namespace, place.name)
        return key in type_.saved or key in type_.refused

    async def _fetch(self, places: list[Place], *, optional: bool) -> None:
        async with TaskGroup() as group:
            tasks = [group.create_task(outcome(self._get, place)) for place in places]
        for place, task in zip(places, tasks, strict=True):
            found = task.result()
            if isinstance(found, msgspec.Raw):
                await self._save(place, found)
            elif not (optional and isinstance(found, NotFound)):
                self._tell(place, found)

    async def _save(self, place: Place, found: msgspec.Raw) -> None:
        try:
            head = head_of(found)
        except Unreadable as exc:
            self.saver.fail(self._type(place), Meta(place.name, place.namespace), exc)
        else:
            await self.saver.save(self._type(place), found, head)

    async def _get(self, place: Place) -> msgspec.Raw:
        kind = self._type(place).resource.kind.raw
        return await self.client.get(kind, place.name, place.namespace or None)

    def _type(self, place: Place) -> Type:
        return self.saver.prepared.types[place.resource]

    def _tell(self, place: Place, why: ApiError | ClientError) -> None:
        facts = {"resource": place.resource, "namespace": place.namespace, "name": place.name}
        if isinstance(why, NotFound):
            self.journal.warning(NOT_FOUND, **facts)
        else:
            self.journal.error("Error getting additional item", **facts, error=cut(str(why)))
