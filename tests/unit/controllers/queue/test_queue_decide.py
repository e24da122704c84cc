"""Who enters, starts and moves up: by example, and against the rules in their own words."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.api.velero.backup import BackupPhase, BackupSpec
from kedge.controllers.queue.decide import ENTRIES, Plan, decide, follower
from kedge.controllers.queue.line import Filter, Line, Member, Place
from kedge.engine.backup.namespaces import namespaces_of

CLUSTER = ("a", "b", "c-1", "c-2")
EVERYTHING: Filter = ((), ())


def member(
    name: str,
    phase: str = BackupPhase.QUEUED,
    position: int = 0,
    included: Sequence[str] = (),
    excluded: Sequence[str] = (),
) -> Member:
    namespaces = (tuple(included), tuple(excluded))
    return Member(("velero", name), phase, position, ("2030-01-01T00:00:00Z", 1), namespaces)


def new(name: str, second: int = 0, version: int = 1) -> Member:
    age = (f"2030-01-01T00:00:{second:02}Z", version)
    return replace(member(name, BackupPhase.NEW), age=age)


def resolve(wanted: Filter) -> frozenset[str]:
    spec = BackupSpec(included_namespaces=list(wanted[0]), excluded_namespaces=list(wanted[1]))
    return namespaces_of(spec, CLUSTER)


def line(members: Iterable[Member]) -> Line:
    made = Line()
    for one in members:
        made.put(one)
    return made


def plan(*members: Member, limit: int = 1) -> Plan:
    return decide(line(members), resolve, limit)


def started(*members: Member, limit: int = 1) -> list[str]:
    return [name for _, name in plan(*members, limit=limit).start]


def placed(places: Sequence[Place]) -> dict[str, int]:
    return {place.name[1]: place.position for place in places}


def test_nothing_is_done_with_nothing() -> None:
    assert plan() == Plan([], [])
    assert Line().moves() == []


def test_new_ones_enter_at_the_end_the_oldest_first() -> None:
    found = plan(
        member("x", position=4),
        new("late", 9),
        new("z", 1, version=5),
        new("a", 1, version=6),
        member("r", BackupPhase.IN_PROGRESS),
    )
    assert placed(found.enter) == {"z": 5, "a": 6, "late": 7}


def test_the_first_in_the_queue_starts_when_there_is_room() -> None:
    queue = [member("second", position=2), member("first", position=1)]
    assert started(*queue) == ["first"]
    for phase in (BackupPhase.READY_TO_START, BackupPhase.IN_PROGRESS):
        assert started(*queue, member("running", phase)) == []
    assert started(*queue, member("past", BackupPhase.FINALIZING)) == ["first"]


@pytest.mark.parametrize("limit", [0, -3, 1])
def test_a_limit_below_one_is_one(limit: int) -> None:
    queue = [member(name, position=n, included=[name]) for n, name in enumerate("ab", 1)]
    assert started(*queue, limit=limit) == ["a"]


def test_as_many_start_as_there_is_room_for_if_they_share_no_namespace() -> None:
    queue = [
        member("1", position=1, included=["a"]),
        member("2", position=2, included=["a", "b"]),
        member("3", position=3, included=["b"]),
        member("4", position=4, included=["c-*"]),
        member("5", position=5, included=["none"]),
    ]
    assert started(*queue, limit=9) == ["1", "4", "5"]
    assert started(*queue, limit=2) == ["1", "4"]
    running = member("r", BackupPhase.IN_PROGRESS, included=["c-2"])
    assert started(*queue, running, limit=9) == ["1", "5"]


def test_one_that_waits_for_an_earlier_one_does_not_start_before_it() -> None:
    running = member("r", BackupPhase.IN_PROGRESS, included=["a"])
    queue = [
        member("1", position=1, included=["a", "b"]),
        member("2", position=2, included=["b"]),
        member("3", position=3, included=["c-1"]),
    ]
    assert started(running, *queue, limit=3) == ["3"]


def test_a_bad_pattern_is_about_no_namespace() -> None:
    running = member("r", BackupPhase.IN_PROGRESS)
    assert started(running, member("bad", position=1, included=["a["]), limit=2) == ["bad"]


def test_excluded_namespaces_do_not_count() -> None:
    running = member("r", BackupPhase.READY_TO_START, included=["a"])
    assert started(running, member("x", position=1, excluded=["a"]), limit=2) == ["x"]
    assert started(running, member("x", position=1, excluded=["b"]), limit=2) == []


def test_places_move_up_to_where_they_are() -> None:
    running = member("r", BackupPhase.IN_PROGRESS)
    queue = [member(str(n), position=n * 2) for n in range(1, 4)]
    assert placed(line([running, *queue]).moves()) == {"1": 1, "2": 2, "3": 3}
    assert placed(line([running, member("x", position=1), *queue[1:]]).moves()) == {"2": 2, "3": 3}


def test_who_enters_comes_behind_the_last_place_that_was_given() -> None:
    queue = [member(str(n), position=n * 2) for n in range(1, 4)]
    found = plan(member("r", BackupPhase.IN_PROGRESS), *queue, new("n"))
    assert placed(found.enter) == {"n": 7}


def test_a_few_enter_at_once() -> None:
    many = [new(str(n), n) for n in range(3 * ENTRIES)]
    found = plan(member("r", BackupPhase.IN_PROGRESS), *many)
    assert placed(found.enter) == {str(n): n + 1 for n in range(ENTRIES)}


def test_places_that_are_held_twice_or_not_at_all_are_put_right() -> None:
    running = member("r", BackupPhase.IN_PROGRESS)
    found = line([running, member("b", position=1), member("a", position=1), member("none")])
    assert placed(found.moves()) == {"b": 2, "none": 3}


def test_one_that_is_being_deleted_neither_enters_nor_starts_but_runs_on() -> None:
    leaving = [replace(one, is_leaving=True) for one in (new("n"), member("q", position=1))]
    found = plan(*leaving, member("next", position=2))
    assert found == Plan([("velero", "next")], [])
    running = replace(member("r", BackupPhase.IN_PROGRESS), is_leaving=True)
    assert started(running, member("next", position=1)) == []


NAMES = st.sampled_from(["a", "b", "c-1", "c-2", "c-*", "*", "[ab]", "x", "b["])
PHASES = st.sampled_from(
    [
        BackupPhase.NEW,
        BackupPhase.QUEUED,
        BackupPhase.QUEUED,
        BackupPhase.QUEUED,
        BackupPhase.READY_TO_START,
        BackupPhase.IN_PROGRESS,
        BackupPhase.FINALIZING,
        BackupPhase.COMPLETED,
    ]
)
FILTERS = st.tuples(
    st.lists(NAMES, max_size=2).map(tuple),
    st.lists(st.sampled_from(["a", "c-1", "c-?"]), max_size=1).map(tuple),
)


@st.composite
def crowds(draw: st.DrawFn) -> list[Member]:
    count = draw(st.integers(0, 8))
    places = draw(st.permutations(range(1, count + 3)))
    return [
        Member(
            ("velero", f"b{n}"),
            draw(PHASES),
            places[n],
            ("2030-01-01T00:00:00Z", n),
            draw(FILTERS),
            draw(st.booleans()) and draw(st.booleans()),
        )
        for n in range(count)
    ]


def is_waiting(one: Member) -> bool:
    return one.phase in (BackupPhase.QUEUED, BackupPhase.NEW) and not one.is_leaving


def turn(one: Member) -> tuple[bool, int]:
    """Order those that wait: whoever has a place comes before whoever is new."""
    return one.phase == BackupPhase.NEW, one.position


def may_start(one: Member, crowd: Sequence[Member], limit: int, *, seen: int = 0) -> bool:
    """Follow the three rules of one backup, in their own words."""
    if not is_waiting(one):
        return False
    running = [x for x in crowd if x.phase in (BackupPhase.READY_TO_START, BackupPhase.IN_PROGRESS)]
    earlier = [x for x in crowd if is_waiting(x) and turn(x) < turn(one)]
    if len(running) >= max(limit, 1):
        return False
    own = resolve(one.namespaces)
    if any(own & resolve(other.namespaces) for other in running + earlier):
        return False
    return not any(may_start(other, crowd, limit) for other in earlier)


@given(crowds(), st.integers(-1, 4))
def test_those_start_that_the_rules_let_start(crowd: list[Member], limit: int) -> None:
    found = decide(line(crowd), resolve, limit)
    now = list(crowd)
    for name in found.start:
        (one,) = [x for x in now if x.name == name]
        assert may_start(one, now, limit)
        now = [x for x in now if x.name != name]
        now.append(replace(one, phase=BackupPhase.READY_TO_START))
    assert not any(may_start(one, now, limit) for one in now)


def _written(one: Member, found: Plan, moves: Sequence[Place]) -> Member:
    """Write what is due."""
    if one.name in found.start:
        return replace(one, phase=BackupPhase.READY_TO_START, position=0)
    places = {place.name: place.position for place in [*found.enter, *moves]}
    if one.name in places:
        return replace(one, phase=BackupPhase.QUEUED, position=places[one.name])
    return one


@given(crowds(), st.integers(0, 4))
def test_once_all_is_written_places_count_from_one_and_nothing_is_left_to_do(
    crowd: list[Member], limit: int
) -> None:
    order = [
        x.name
        for x in sorted(crowd, key=lambda x: x.position)
        if x.phase == BackupPhase.QUEUED and not x.is_leaving
    ]
    now = line(crowd)
    while True:
        found = decide(now, resolve, limit)
        moves = now.moves() if found == Plan([], []) else []
        if found == Plan([], []) and not moves:
            break
        crowd = [_written(one, found, moves) for one in crowd]
        for one in crowd:
            now.put(one)
    assert now.unsettled == 0
    queued = [x for x in crowd if x.phase == BackupPhase.QUEUED and not x.is_leaving]
    assert sorted(x.position for x in queued) == list(range(1, len(queued) + 1))
    left = [x.name for x in sorted(queued, key=lambda x: x.position) if x.name in order]
    assert left == [name for name in order if name in left]


def after(name: str, *members: Member, limit: int = 1) -> str | None:
    found = follower(("velero", name), line(members), resolve, limit)
    return None if found is None else found[1]


def test_the_first_in_the_queue_follows() -> None:
    runs = member("runs", BackupPhase.IN_PROGRESS, included=["a"])
    queue = [member("second", position=2, included=["b"]), member("first", position=1)]
    assert after("runs", runs, *queue) == "first"
    assert after("runs", runs) is None


def test_none_follows_that_waits_for_another_that_runs() -> None:
    runs = [member(name, BackupPhase.IN_PROGRESS, included=[name]) for name in ("a", "b")]
    waits = [member("w1", position=1, included=["b"]), member("w2", position=2, included=["a"])]
    assert after("a", *runs, *waits, limit=2) == "w2"
    assert after("b", *runs, *waits, limit=2) == "w1"
    assert after("b", *runs, waits[1], limit=2) is None


def test_one_that_has_no_place_yet_follows_where_nobody_has() -> None:
    runs = member("runs", BackupPhase.IN_PROGRESS)
    assert after("runs", runs, new("new")) == "new"
    assert after("runs", runs, new("new"), member("first", position=1)) == "first"


@given(crowds(), st.integers(1, 3))
def test_who_follows_is_who_starts_then(members: list[Member], limit: int) -> None:
    whole = line(members)
    for one in whole.running:
        left = line([each for each in members if each.name != one.name])
        starts = decide(left, resolve, limit).start
        expected = starts[0] if starts else None
        assert follower(one.name, whole, resolve, limit) == expected
