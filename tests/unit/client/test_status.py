from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import timedelta

import msgspec
import pytest
import pytest_asyncio

from kedge.client import Client, StatusChange, Writing, patches
from kedge.kube import errors
from kedge.kube.kind import plain
from kedge.testing import FakeClock
from tests.unit.client.peer import Seen, client, reply, serving

BOATS = plain("sea.example.org/v1", "Boat", "boats")
BOAT = {"metadata": {"name": "a", "namespace": "ns"}, "status": {"afloat": True}}
ROOT = "/apis/sea.example.org/v1"
WHOLE = f"{ROOT}/namespaces/ns/boats/a"
CHANGE = patches.merge({"status": {"afloat": True}})


@dataclass
class Sea:
    """A server whose kind has a status subresource, or none."""

    has_kind: bool = True
    has_status: bool = True
    has_boat: bool = True
    seen: list[Seen] = field(default_factory=list)

    async def answer(self, seen: Seen) -> bytes:
        self.seen.append(seen)
        if not self.has_kind:
            return reply(404, b"404 page not found")
        if seen.path == ROOT:
            names = ["boats", "boats/status"] if self.has_status else ["boats"]
            return reply(200, {"resources": [{"name": name} for name in names]})
        if seen.path.endswith("/status") and not self.has_status:
            return reply(404, b"404 page not found")
        if not self.has_boat:
            return reply(404, errors.not_found("sea.example.org", "boats", "a").status)
        return reply(200, BOAT)

    @property
    def writes(self) -> list[str]:
        return [seen.path for seen in self.seen if seen.method != "GET"]

    @property
    def lookups(self) -> int:
        return sum(seen.path == ROOT for seen in self.seen)


@dataclass
class Shore:
    sea: Sea
    clock: FakeClock
    kube: Client


@pytest_asyncio.fixture
async def shore() -> AsyncIterator[Shore]:
    sea, clock = Sea(), FakeClock()
    async with serving(sea.answer) as peer, client(peer, clock) as kube:
        yield Shore(sea, clock, kube)


@pytest.mark.asyncio
async def test_the_status_goes_to_the_subresource(shore: Shore) -> None:
    writing = Writing("me", dry_run=True)
    assert await shore.kube.patch_status(BOATS, "a", CHANGE, "ns", writing) == BOAT
    assert await shore.kube.update_status(BOATS, BOAT) == BOAT
    assert shore.sea.writes == [f"{WHOLE}/status"] * 2
    assert shore.sea.lookups == 1
    patch, put = shore.sea.seen[1:]
    assert patch.headers["Content-Type"] == "application/merge-patch+json"
    assert dict(patch.query) == {"fieldManager": "me", "dryRun": "All"}
    assert msgspec.json.decode(put.body)["kind"] == "Boat"


@pytest.mark.asyncio
async def test_the_status_is_a_part_of_the_object_where_there_is_no_subresource(
    shore: Shore,
) -> None:
    shore.sea.has_status = False
    await shore.kube.patch_status(BOATS, "a", CHANGE, "ns")
    await shore.kube.update_status(BOATS, BOAT)
    assert shore.sea.writes == [WHOLE] * 2
    assert shore.sea.lookups == 1


@pytest.mark.asyncio
async def test_a_subresource_that_was_taken_away_is_noticed_at_once(shore: Shore) -> None:
    await shore.kube.patch_status(BOATS, "a", CHANGE, "ns")
    shore.sea.has_status = False
    assert await shore.kube.patch_status(BOATS, "a", CHANGE, "ns") == BOAT
    assert shore.sea.writes == [f"{WHOLE}/status"] * 2 + [WHOLE]
    assert shore.sea.lookups == 2


@pytest.mark.asyncio
async def test_a_subresource_that_was_added_is_noticed_after_a_while(shore: Shore) -> None:
    shore.sea.has_status = False
    await shore.kube.patch_status(BOATS, "a", CHANGE, "ns")
    shore.sea.has_status = True
    shore.clock.advance(timedelta(seconds=30))
    await shore.kube.patch_status(BOATS, "a", CHANGE, "ns")
    assert shore.sea.writes == [WHOLE, f"{WHOLE}/status"]


@pytest.mark.asyncio
@pytest.mark.parametrize("has_status", [True, False])
async def test_an_object_that_is_not_there_is_not_looked_for_elsewhere(
    shore: Shore, has_status: bool
) -> None:
    shore.sea.has_status, shore.sea.has_boat = has_status, False
    with pytest.raises(errors.NotFound, match='"a" not found'):
        await shore.kube.patch_status(BOATS, "a", CHANGE, "ns")
    assert len(shore.sea.writes) == 1
    assert shore.sea.lookups == 1


@pytest.mark.asyncio
async def test_a_kind_that_is_gone_altogether_is_not_found(shore: Shore) -> None:
    await shore.kube.patch_status(BOATS, "a", CHANGE, "ns")
    shore.sea.has_kind = False
    with pytest.raises(errors.NotFound):
        await shore.kube.patch_status(BOATS, "a", CHANGE, "ns")
    assert shore.sea.lookups == 2


@pytest.mark.asyncio
async def test_several_are_changed_in_turn_and_each_failure_stays_in_its_place(
    shore: Shore,
) -> None:
    changes = [StatusChange(name, "ns", CHANGE) for name in ("a", "b")]
    assert await shore.kube.patch_statuses(BOATS, changes) == [BOAT, BOAT]
    paths = [f"{ROOT}/namespaces/ns/boats/{name}" for name in ("a", "b")]
    assert shore.sea.writes == [f"{path}/status" for path in paths]
    shore.sea.has_boat = False
    found = await shore.kube.patch_statuses(BOATS, changes)
    assert all(isinstance(one, errors.NotFound) for one in found)
    shore.sea.has_boat, shore.sea.has_status = True, False
    shore.sea.seen.clear()
    assert await shore.kube.patch_statuses(BOATS, changes) == [BOAT, BOAT]
    assert {*paths} <= {*shore.sea.writes}, "the subresource was taken away"
    assert await shore.kube.patch_statuses(BOATS, []) == []
