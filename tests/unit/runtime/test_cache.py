import asyncio
from collections.abc import Iterable

import msgspec
import pytest

from kedge.client.decoders import Event
from kedge.kube.kind import Kind, Object
from kedge.runtime.cache import Cache, CacheWriter
from kedge.runtime.entry import Change, Entry
from kedge.runtime.key import Key
from kedge.runtime.outputs import RESTARTED, SYNCED, Batch
from tests.unit.runtime.peers import BOAT, Raw, added, deleted, event, modified

A, B = Key("sea", "a"), Key("sea", "b")


class Spec(msgspec.Struct):
    size: int = 0


class Meta(msgspec.Struct):
    name: str = ""


class Boat(msgspec.Struct):
    metadata: Meta
    spec: Spec = msgspec.field(default_factory=Spec)


TYPED = BOAT.into(Boat)


def colours(entry: Entry[Object]) -> Iterable[str]:
    return [str(one) for one in entry.read().get("colours", ())]


class Bench:
    """A cache and its writer."""

    def __init__(self, **index: object) -> None:
        self.cache: Cache[Object] = Cache(BOAT, {"colour": colours, **index})  # type: ignore[dict-item]
        self.writer = CacheWriter(self.cache)

    def sync(self, *events: Event[Raw]) -> list[Change[Object]]:
        """Take in a whole list."""
        self.writer.take(RESTARTED)
        self.writer.take(Batch(events))
        return self.writer.take(SYNCED)

    def take(self, *events: Event[Raw]) -> list[Change[Object]]:
        """Take in events of a watch."""
        return self.writer.take(Batch(events))

    def versions(self) -> dict[str, str]:
        """Tell what is known."""
        return {one.key.name: one.meta.resource_version for one in self.cache.entries()}

    def found(self, value: str) -> list[str]:
        """Find by colour."""
        assert self.cache.count("colour", value) == len(self.cache.find("colour", value))
        return sorted(one.key.name for one in self.cache.find("colour", value))


def lines(changes: list[Change[Object]]) -> list[tuple[str, str | None, str | None]]:
    def version(entry: Entry[Object] | None) -> str | None:
        return entry.meta.resource_version if entry else None

    return [(one.key.name, version(one.old), version(one.new)) for one in changes]


@pytest.mark.asyncio
async def test_nothing_is_known_until_the_first_list_is_complete() -> None:
    bench = Bench()
    waiting = asyncio.ensure_future(bench.cache.synced())
    bench.writer.take(RESTARTED)
    assert bench.take(added("a", 1)) == []
    assert (len(bench.cache), bench.cache.is_synced, waiting.done()) == (0, False, False)
    assert lines(bench.writer.take(SYNCED)) == [("a", None, "1")]
    assert bench.cache.is_synced
    await asyncio.wait_for(waiting, 5)


def test_a_later_list_takes_the_place_of_what_was_known_in_one_step() -> None:
    bench = Bench()
    bench.sync(added("a", 1, colours=["red"]), added("b", 2, colours=["red"]))
    bench.writer.take(RESTARTED)
    bench.take(added("c", 3, colours=["red"]))
    bench.take(added("b", 4, colours=["blue"]))
    assert bench.versions() == {"a": "1", "b": "2"}
    assert bench.found("red") == ["a", "b"]
    changes = bench.writer.take(SYNCED)
    assert sorted(lines(changes), key=str) == [
        ("a", "1", None),
        ("b", "2", "4"),
        ("c", None, "3"),
    ]
    assert bench.versions() == {"c": "3", "b": "4"}
    assert (bench.found("red"), bench.found("blue")) == (["c"], ["b"])
    assert bench.cache.is_synced


def test_a_list_that_begins_anew_forgets_what_came_of_the_one_before() -> None:
    bench = Bench()
    bench.writer.take(RESTARTED)
    bench.take(added("a", 1))
    bench.sync(added("b", 2))
    assert bench.versions() == {"b": "2"}


def test_a_list_of_what_is_known_already_changes_nothing() -> None:
    bench = Bench()
    bench.sync(added("a", 1), added("b", 2))
    assert bench.sync(added("b", 2), added("a", 1)) == []


def test_a_list_with_another_object_of_the_same_name_is_a_change() -> None:
    bench = Bench()
    bench.sync(added("a", 1, uid="one"))
    assert lines(bench.sync(added("a", 1, uid="two"))) == [("a", "1", "1")]


def test_a_list_may_go_back_in_time() -> None:
    bench = Bench()
    bench.sync(added("a", 9))
    assert lines(bench.sync(added("a", 4))) == [("a", "9", "4")]
    assert lines(bench.take(modified("a", 5))) == [("a", "4", "5")]


def test_streamed_initial_events_may_change_and_delete() -> None:
    bench = Bench()
    bench.sync(added("a", 1), added("b", 2), modified("a", 3), deleted("b", 4))
    assert bench.versions() == {"a": "3"}


def test_events_create_change_and_delete() -> None:
    bench = Bench()
    bench.sync()
    assert lines(bench.take(added("a", 1), modified("a", 2))) == [("a", None, "1"), ("a", "1", "2")]
    assert lines(bench.take(deleted("a", 3))) == [("a", "3", None)]
    assert A not in bench.cache
    assert bench.take(deleted("a", 3)) == []


def test_a_deletion_may_have_the_version_of_the_last_change() -> None:
    bench = Bench()
    bench.sync(added("a", 1))
    assert len(bench.take(deleted("a", 1))) == 1
    assert bench.versions() == {}


@pytest.mark.parametrize(
    "late", [modified("a", 4), modified("a", 5), added("a", 3), deleted("a", 4)]
)
def test_events_that_come_twice_or_late_are_ignored(late: Event[Raw]) -> None:
    bench = Bench()
    bench.sync(added("a", 3))
    bench.take(modified("a", 5))
    assert bench.take(late) == []
    assert bench.versions() == {"a": "5"}


def test_an_object_that_was_made_anew_takes_the_place_of_the_old_one() -> None:
    bench = Bench()
    bench.sync(added("a", 3, uid="one"))
    assert lines(bench.take(added("a", 7, uid="two"))) == [("a", "3", "7")]


def test_versions_that_are_no_numbers_are_always_news() -> None:
    bench = Bench()
    bench.sync(added("a", "x9"))
    assert lines(bench.take(modified("a", "x1"))) == [("a", "x9", "x1")]


def test_indexes_follow_updates_and_deletions() -> None:
    bench = Bench()
    bench.sync(added("a", 1, colours=["red", "blue"]), added("b", 2, colours=["red"]))
    assert (bench.found("red"), bench.found("blue")) == (["a", "b"], ["a"])
    bench.take(modified("a", 3, colours=["green"]))
    assert (bench.found("red"), bench.found("blue"), bench.found("green")) == (["b"], [], ["a"])
    bench.take(deleted("b", 4, colours=["what", "ever"]), deleted("a", 5))
    assert [bench.found(one) for one in ("red", "green", "what")] == [[], [], []]
    assert bench.cache._found == {"colour": {}}


def test_an_index_is_asked_once_for_each_version() -> None:
    asked: list[str] = []

    def index(entry: Entry[Object]) -> Iterable[str]:
        asked.append(entry.meta.resource_version)
        return ("here", "here")

    bench = Bench(place=index)
    bench.sync(added("a", 1))
    bench.take(modified("a", 2))
    assert asked == ["1", "2"]
    found = bench.cache.find("place", "here")
    assert [one.meta.resource_version for one in found] == ["2"]
    bench.take(deleted("a", 3))
    assert (bench.cache.count("place", "here"), asked) == (0, ["1", "2"])


def test_an_unknown_index_is_an_error_and_an_unknown_value_is_none() -> None:
    bench = Bench()
    assert bench.found("pink") == []
    with pytest.raises(KeyError):
        bench.cache.find("size", "1")


def test_an_index_that_fails_leaves_out_that_object_only(caplog: pytest.LogCaptureFixture) -> None:
    def size(entry: Entry[Object]) -> list[str]:
        return [entry.read()["spec"]["size"]]

    bench = Bench(size=size)
    bench.sync(added("a", 1), added("b", 2, spec={"size": "big"}))
    bench.take(modified("a", 3), modified("b", 4, spec={"size": "big"}))
    assert bench.versions() == {"a": "3", "b": "4"}
    assert [one.key for one in bench.cache.find("size", "big")] == [B]
    assert {record.getMessage() for record in caplog.records} == {"an object could not be indexed"}


def test_a_filter_keeps_others_out_and_lets_go_of_what_fails_it_later() -> None:
    cache: Cache[Object] = Cache(BOAT)
    writer = CacheWriter(cache, lambda meta: (meta.labels or {}).get("keep") == "yes")
    yes, no = {"keep": "yes"}, {"keep": "no"}
    writer.take(RESTARTED)
    writer.take(Batch([added("a", 1, labels=yes), added("b", 2, labels=no)]))
    assert lines(writer.take(SYNCED)) == [("a", None, "1")]
    assert lines(writer.take(Batch([modified("b", 3, labels=yes)]))) == [("b", None, "3")]
    assert lines(writer.take(Batch([modified("a", 4, labels=no)]))) == [("a", "1", None)]
    # What came before must not throw out what came after.
    assert writer.take(Batch([modified("b", 2, labels=no)])) == []
    assert cache.keys() == [B]


def test_of_a_typed_object_only_the_fields_of_its_type_are_kept() -> None:
    cache = Cache(TYPED)
    writer = CacheWriter(cache)
    writer.take(RESTARTED)
    writer.take(Batch([added("a", 1, spec={"size": 3, "other": "x" * 1000}, status={"y": 1})]))
    writer.take(SYNCED)
    assert cache.get(A) == Boat(Meta("a"), Spec(3))
    entry = cache.entry(A)
    assert entry is not None
    assert len(entry.data) < 100
    assert entry.meta.resource_version == "1"


def deep(name: str, version: int) -> Event[Raw]:
    """Make an object that is nested more deeply than Python can follow."""
    nested = b"[" * 100_000 + b"]" * 100_000
    meta = b'{"name":"%b","namespace":"sea","resourceVersion":"%d"}' % (name.encode(), version)
    return Event("ADDED", Raw(b'{"metadata":' + meta + b',"spec":' + nested + b"}"))


@pytest.mark.parametrize(
    "misfit",
    [
        pytest.param(modified("a", 5, spec={"size": "many"}), id="wrong type"),
        pytest.param(modified("a", 5, spec=None), id="null"),
    ],
)
def test_a_misfit_is_left_out_with_a_warning(
    misfit: Event[Raw], caplog: pytest.LogCaptureFixture
) -> None:
    cache = Cache(TYPED)
    writer = CacheWriter(cache)
    writer.take(RESTARTED)
    writer.take(Batch([added("a", 1), added("b", 2)]))
    writer.take(SYNCED)
    (change,) = writer.take(Batch([misfit]))
    assert (change.key, change.is_deletion, cache.keys()) == (A, True, [B])
    (record,) = caplog.records
    assert record.getMessage() == "an object does not fit its type and is left out"
    assert record.__dict__["object"] == "sea/a"
    (change,) = writer.take(Batch([modified("a", 6, spec={"size": 1})]))
    assert (change.old, A in cache) == (None, True)


@pytest.mark.parametrize("kind", [BOAT, TYPED], ids=["plain", "typed"])
@pytest.mark.parametrize(
    "nonsense",
    [
        pytest.param(event("ADDED", {}), id="no metadata"),
        pytest.param(event("ADDED", 7), id="no object"),
        pytest.param(event("ADDED", {"metadata": {"name": 7}}), id="odd name"),
        pytest.param(event("ADDED", {"metadata": {"name": "a", "labels": [1]}}), id="odd labels"),
        pytest.param(Event("ADDED", Raw(b'{"metadata":{"name":"\xff"}}')), id="no text"),
        pytest.param(deep("a", 1), id="too deep"),
    ],
)
def test_nonsense_is_left_out_and_hurts_nobody(
    kind: Kind[object], nonsense: Event[Raw], caplog: pytest.LogCaptureFixture
) -> None:
    cache = Cache(kind)
    writer = CacheWriter(cache)
    writer.take(RESTARTED)
    writer.take(Batch([nonsense, added("b", 2)]))
    writer.take(SYNCED)
    assert writer.take(Batch([nonsense])) == []
    assert cache.keys() == [B]
    assert len(caplog.records) == 2


def test_a_plain_kind_keeps_what_would_fit_no_type() -> None:
    bench = Bench()
    bench.sync(added("a", 1, spec={"size": "many"}, colours=[]))
    assert bench.cache.get(A) is not None


def test_what_a_reader_changes_nobody_else_sees() -> None:
    bench = Bench()
    bench.sync(added("a", 1, colours=["red"]))
    mine = bench.cache.get(A)
    assert mine is not None
    mine["colours"].append("mine")
    theirs = bench.cache.get(A)
    assert theirs is not None
    assert theirs["colours"] == ["red"]


def test_entries_are_bytes_of_their_own() -> None:
    # A view would keep alive the whole answer that it was cut out of.
    bench = Bench()
    batch = msgspec.json.Decoder(list[Raw]).decode(
        msgspec.json.encode([msgspec.json.decode(added("a", 1).object), "x" * 100_000])
    )
    bench.sync(Event("ADDED", batch[0]))
    entry = bench.cache.entry(A)
    assert entry is not None
    assert type(entry.data) is bytes
    assert len(entry.data) < 200


def test_what_is_not_there_is_none() -> None:
    bench = Bench()
    assert (bench.cache.get(A), bench.cache.entry(A), A in bench.cache) == (None, None, False)


def test_objects_of_one_namespace_are_given_by_themselves() -> None:
    bench = Bench()
    other = {"metadata": {"name": "z", "namespace": "land", "resourceVersion": "2"}}
    bench.sync(added("a", 1), event("ADDED", other))
    assert [one.key.name for one in bench.cache.entries("land")] == ["z"]
    assert len(list(bench.cache.entries())) == len(bench.cache) == 2


def test_entries_may_be_walked_while_the_cache_changes() -> None:
    bench = Bench()
    bench.sync(added("a", 1), added("b", 2))
    seen = []
    for one in bench.cache.entries():
        bench.take(deleted("b", 9), added("c", 10))
        seen.append(one.key.name)
    assert seen == ["a", "b"]
