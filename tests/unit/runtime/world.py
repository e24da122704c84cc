"""A collection with a history, behind a server that does all that goes wrong with servers."""

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

from kedge.client import BadAnswer, Disconnected, Following, Page, Selection, Unreachable
from kedge.client.lines import Item
from kedge.kube.errors import Expired, InternalError
from kedge.kube.kind import Kind
from tests.unit.runtime.peers import Raw, boat, bookmark, event, failed, raw

T = TypeVar("T")
NAMES = ("a", "b", "c", "d")
Draw = Callable[[Sequence[Any]], Any]
"""Chooses one of some things."""
Fate = Sequence[str]
LISTS: Fate = ("fine", "fine", "fine", "cut", "expired", "error", "stale", "change", "compact")
WATCHES: Fate = ("fine", "fine", "cut", "expired", "unreachable", "change", "compact")
BATCHES: Fate = (
    *("fine", "fine", "fine", "change", "change", "change", "twice", "bookmark"),
    *("cut", "end", "expired", "error", "garbage", "compact"),
)


class World:
    """Objects, all that ever happened to them, and a server which misbehaves for a while."""

    def __init__(self, draw: Draw, troubles: int) -> None:
        self._draw = draw
        self._troubles = troubles
        self.version = 10
        self.floor = 0
        """What is older is forgotten."""
        self.objects: dict[str, dict[str, Any]] = {}
        self.history: list[tuple[int, str, dict[str, Any]]] = []
        self.snapshots: dict[int, dict[str, dict[str, Any]]] = {10: {}}
        self.quiet = asyncio.Event()
        """All is told, and nothing more will happen."""

    def change(self) -> None:
        """Let something happen to one object."""
        name = self._draw(NAMES)
        self.version += self._draw((1, 1, 3, 95))
        is_there = name in self.objects
        if is_there and self._draw((True, False)):
            kind, made = "DELETED", boat(name, self.version, uid=self._uid(name))
            del self.objects[name]
        else:
            uid = self._uid(name) if is_there else f"uid-{self.version}"
            kind, made = "MODIFIED" if is_there else "ADDED", boat(name, self.version, uid=uid)
            self.objects[name] = made
        self.history.append((self.version, kind, made))
        self.snapshots[self.version] = dict(self.objects)

    def compact(self) -> None:
        """Forget the history."""
        self.floor = self.version

    def truth(self) -> dict[str, str]:
        """Give the version of each object."""
        return {name: one["metadata"]["resourceVersion"] for name, one in self.objects.items()}

    def fate(self, fates: Fate) -> str:
        """Choose what happens; after some troubles all is well."""
        if self._troubles == 0:
            return "fine"
        self._troubles -= 1
        chosen: str = self._draw(fates)
        if chosen == "change":
            self.change()
        elif chosen == "compact":
            self.compact()
        return chosen

    async def page(self, kind: Kind[Raw], selection: Selection, size: int, token: str) -> Page[Raw]:
        fate = self.fate(LISTS)
        _raise(fate)
        version, _, start = token.partition(":") if token else (str(self.version), "", "0")
        if fate == "stale" and not token:
            version = str(self._draw(sorted(self.snapshots)))
        if token and int(version) < self.floor:
            raise Expired("the list is too old")
        names = sorted(self.snapshots[int(version)])
        end = int(start) + size if size else len(names)
        items = [raw(self.snapshots[int(version)][name]) for name in names[int(start) : end]]
        return Page(items, version, f"{version}:{end}" if end < len(names) else "")

    @asynccontextmanager
    async def watch(
        self, kind: Kind[Raw], selection: Selection, following: Following
    ) -> AsyncIterator["WorldWatch"]:
        _raise(self.fate(WATCHES))
        if following.initial:
            yield WorldWatch(
                self, self.version, [*self._all(), bookmark(self.version, is_end=True)]
            )
            return
        if int(following.version) < self.floor:
            raise Expired("the version is too old")
        yield WorldWatch(self, int(following.version), [])

    def _all(self) -> list[Item[Raw]]:
        return [event("ADDED", one) for one in self.objects.values()]

    def _uid(self, name: str) -> str:
        uid: str = self.objects[name]["metadata"]["uid"]
        return uid


class WorldWatch:
    """Tells what happened after a version."""

    def __init__(self, world: World, version: int, first: list[Item[Raw]]) -> None:
        self._world = world
        self._version = version
        self._first = first
        self._sent: list[Item[Raw]] = []
        self._aborted = asyncio.Event()

    async def batch(self) -> Sequence[Item[Raw]]:
        while True:
            fate = self._world.fate(BATCHES)
            match fate:
                case "end":
                    return []
                case "expired":
                    return [*self._news(), failed(Expired("too old"))]
                case "error":
                    return [*self._news(), failed(InternalError("stumbled"))]
            _raise(fate)
            items = self._items(fate)
            if items:
                return items
            if self._world._troubles == 0:
                self._world.quiet.set()
                await self._aborted.wait()

    def abort(self) -> None:
        self._aborted.set()

    def _items(self, fate: str) -> list[Item[Raw]]:
        if self._first:
            cut = max(1, len(self._first) // 2)
            first, self._first = self._first[:cut], self._first[cut:]
            return first
        news = self._news()
        # Some of what was told before comes again, and then what is new.
        again = self._sent[-2:] if fate == "twice" else []
        self._sent += news
        mark = [bookmark(self._version)] if fate == "bookmark" else []
        return [*again, *news, *mark]

    def _news(self) -> list[Item[Raw]]:
        new = [one for one in self._world.history if one[0] > self._version]
        self._version = new[-1][0] if new else self._version
        return [event(kind, obj) for _, kind, obj in new]


def _raise(fate: str) -> None:
    match fate:
        case "cut":
            raise Disconnected("cut")
        case "unreachable":
            raise Unreachable("down")
        case "garbage":
            raise BadAnswer("garbage")
        case "error":
            raise InternalError("stumbled")
        case "expired":
            raise Expired("too old")
