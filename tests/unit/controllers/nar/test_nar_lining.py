"""The line of Velero Restores follows what a watch tells."""

from datetime import timedelta
from typing import Any

import msgspec
import pytest

from kedge.client.decoders import Event
from kedge.controllers.nar.heads import RESTORES, VeleroRestore
from kedge.controllers.nar.lining import THE_LINE, Lining, owner_of
from kedge.kube.kind import Object
from kedge.runtime import Cache, Key
from kedge.runtime.cache import CacheWriter
from kedge.runtime.outputs import Batch, Restarted, Synced
from kedge.selfservice.marks import NAR, annotations_for, labels_for
from kedge.selfservice.publish import Line, Publishing
from kedge.selfservice.queue import Queue
from kedge.testing import FakeClock

HOME = "velero"


class World:
    """A cache that the test fills, and the line that hears of it."""

    def __init__(self, *, first: int = 2, by_name: bool = False) -> None:
        self.clock = FakeClock()
        cache: Cache[VeleroRestore] = Cache(RESTORES)
        self.writer = CacheWriter(cache)
        line = Line(Queue(by_name=by_name), Publishing(first, 5.0))
        self.lining = Lining(line, cache, self.clock, HOME)
        self.version = 0
        for output in (Restarted(), Synced()):
            self.writer.take(output)

    def tell(self, kind: str, name: str, status: Object | None = None, **meta: Any) -> list[Key]:
        self.version += 1
        metadata = {
            "name": name,
            "namespace": HOME,
            "uid": f"u-{name}",
            "resourceVersion": str(self.version),
            "creationTimestamp": "2030-01-01T00:00:00Z",
            "labels": labels_for(NAR, name),
            "annotations": annotations_for(NAR, "shop", f"nar-{name}"),
            **meta,
        }
        raw = msgspec.Raw(msgspec.json.encode({"metadata": metadata, "status": status or {}}))
        woken: list[Key] = []
        for change in self.writer.take(Batch([Event(kind, raw)])):
            woken += self.lining.heard(change)
        return woken

    def places(self, *names: str) -> list[int | None]:
        return [self.lining.line.position(name) for name in names]


def key(name: str) -> Key:
    return Key("shop", f"nar-{name}")


def test_one_that_comes_wakes_its_own_and_nobody_else() -> None:
    world = World()
    assert world.tell("ADDED", "a") == [key("a")]
    assert world.tell("ADDED", "b") == [key("b")]
    assert world.places("a", "b") == [1, 2]


def test_one_whose_marks_are_changed_wakes_whom_it_was_made_for_before() -> None:
    world = World()
    world.tell("ADDED", "a")
    assert world.tell("MODIFIED", "a", labels={}) == [key("a")]
    world.tell("MODIFIED", "a")
    moved = annotations_for(NAR, "shop", "another")
    assert world.tell("MODIFIED", "a", annotations=moved) == [key("a"), Key("shop", "another")]


def test_one_that_ends_wakes_those_behind_it() -> None:
    world = World()
    for name in "abcd":
        world.tell("ADDED", name)
    assert world.tell("MODIFIED", "a", {"phase": "Completed"}) == [key("a"), THE_LINE]
    assert world.lining.due() == [key("b"), key("c"), key("d")]
    assert world.lining.wait_seconds() is None


def test_progress_wakes_its_own_only() -> None:
    world = World()
    for name in "abcd":
        world.tell("ADDED", name)
    assert world.tell("MODIFIED", "a", {"phase": "InProgress"}) == [key("a")]
    progress = {"phase": "InProgress", "progress": {"itemsRestored": 3}}
    assert world.tell("MODIFIED", "a", progress) == [key("a")]


def test_one_that_is_deleted_lets_the_others_move_up() -> None:
    world = World()
    for name in "abc":
        world.tell("ADDED", name)
    assert THE_LINE in world.tell("DELETED", "a")
    assert world.places("a", "b", "c") == [None, 1, 2]


def test_one_that_waits_and_is_on_its_way_out_is_in_nobodys_way() -> None:
    world = World()
    for name in "ab":
        world.tell("ADDED", name)
    world.tell("MODIFIED", "a", deletionTimestamp="2030-01-01T00:00:01Z")
    assert world.places("a", "b") == [0, 1]


def test_the_rest_of_the_line_is_told_when_it_is_time() -> None:
    world = World()
    for name in "abcde":
        world.tell("ADDED", name)
    world.tell("MODIFIED", "a", {"phase": "Failed"})
    world.lining.due()
    world.tell("MODIFIED", "b", {"phase": "Failed"})
    assert world.lining.due() == [key("c"), key("d")]
    assert world.lining.wait_seconds() == pytest.approx(5)
    assert world.lining.position("e", 4, is_due=False) == 4
    assert world.lining.position("e", 4, is_due=True) == 3
    assert world.lining.position("e", None, is_due=False) == 3
    assert world.lining.position("c", 4, is_due=False) == 1
    world.clock.advance(timedelta(seconds=5))
    assert world.lining.due() == [key("e")]


def test_a_server_that_was_started_anew_goes_by_name() -> None:
    world = World(by_name=True)
    for name in ("run", "b", "a"):
        world.tell("ADDED", name)
    status = {
        "phase": "Failed",
        "failureReason": 'found a restore with status "InProgress" during the server starting',
        "completionTimestamp": "2030-01-01T00:01:00Z",
    }
    world.tell("MODIFIED", "run", status)
    assert world.places("a", "b") == [1, 2]


def test_what_was_made_for_nobody_is_in_the_line_and_wakes_nobody() -> None:
    world = World()
    assert world.tell("ADDED", "admins", labels={}) == []
    world.tell("ADDED", "a")
    assert world.places("admins", "a") == [1, 2]


def test_an_owner_is_known_only_by_a_whole_mark() -> None:
    assert owner_of(VeleroRestore()) is None
