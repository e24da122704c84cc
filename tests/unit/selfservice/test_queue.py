"""Positions in the line are exact, whatever comes, goes and changes."""

from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.api.velero.backup import BackupPhase
from kedge.api.velero.restore import RestorePhase
from kedge.selfservice.queue import (
    Member,
    Queue,
    Span,
    Standing,
    restart_told,
    standing,
)

PHASES = {
    "": Standing.WAITING,
    "New": Standing.WAITING,
    "Queued": Standing.WAITING,
    "ReadyToStart": Standing.RUNNING,
    "InProgress": Standing.RUNNING,
    "WaitingForPluginOperations": Standing.AFTER,
    "WaitingForPluginOperationsPartiallyFailed": Standing.AFTER,
    "Finalizing": Standing.AFTER,
    "FinalizingPartiallyFailed": Standing.AFTER,
    "Completed": Standing.DONE,
    "PartiallyFailed": Standing.DONE,
    "Failed": Standing.DONE,
    "FailedValidation": Standing.DONE,
    "Deleting": Standing.DONE,
}


def waiting(name: str, second: int = 0, version: int = 0, position: int = 0) -> Member:
    created = f"2030-01-01T00:00:{second:02d}Z"
    return Member(name, f"uid-{name}", Standing.WAITING, created, str(version), position)


def is_now(member: Member, standing: Standing) -> Member:
    return replace(member, standing=standing)


def line(*members: Member, by_name: bool = False) -> Queue:
    queue = Queue(by_name=by_name)
    for member in members:
        queue.put(member)
    return queue


def positions(queue: Queue, *names: str) -> list[int | None]:
    return [queue.position(name) for name in names]


@pytest.mark.parametrize("phase", [*BackupPhase, *RestorePhase, ""])
def test_each_phase_has_a_standing(phase: str) -> None:
    assert standing(phase) is PHASES[phase]
    assert standing(phase, is_completed=True) is Standing.DONE


@pytest.mark.parametrize("phase", ["", "New", "Queued"])
def test_what_waits_and_is_deleted_will_not_start(phase: str) -> None:
    assert standing(phase, is_leaving=True) is Standing.DONE


def test_what_runs_and_is_deleted_still_runs() -> None:
    assert standing("InProgress", is_leaving=True) is Standing.RUNNING


def test_a_phase_that_nobody_knows_keeps_nobody_waiting() -> None:
    assert standing("Polishing") is Standing.AFTER


def test_alone_it_is_the_first() -> None:
    assert positions(line(waiting("a")), "a") == [1]


def test_one_that_came_before_is_ahead() -> None:
    assert positions(line(waiting("b", 2), waiting("a", 1)), "a", "b") == [1, 2]


def test_one_that_is_done_is_at_zero() -> None:
    assert positions(line(is_now(waiting("a"), Standing.DONE), waiting("b", 1)), "a", "b") == [0, 1]


def test_one_that_runs_is_at_one_though_others_run_too() -> None:
    first, second = (is_now(waiting(name), Standing.RUNNING) for name in "ab")
    assert positions(line(first, second, waiting("c", 1)), "a", "b", "c") == [1, 1, 3]


def test_one_that_is_finalized_is_in_nobodys_way() -> None:
    assert positions(line(is_now(waiting("a"), Standing.AFTER), waiting("b")), "a", "b") == [1, 1]


def test_what_was_made_in_one_second_goes_by_its_version() -> None:
    queue = line(waiting("a", version=10), waiting("b", version=9), waiting("c", version=100))
    assert list(queue.names()) == ["b", "a", "c"]
    assert positions(queue, "b", "a", "c") == [1, 2, 3]


def test_versions_that_are_no_numbers_still_make_an_order() -> None:
    queue = line(*(replace(waiting(name), version=f"v{name}") for name in "cab"))
    assert list(queue.names()) == ["a", "b", "c"]


def test_a_later_version_of_one_that_waits_does_not_move_it_back() -> None:
    queue = line(waiting("a", version=1), waiting("b", version=2))
    assert not queue.put(waiting("a", version=3))
    assert list(queue.names()) == ["a", "b"]


def test_another_object_of_the_same_name_is_at_the_end() -> None:
    queue = line(waiting("a", version=1), waiting("b", version=2))
    queue.put(replace(waiting("a", version=3), uid="another"))
    assert list(queue.names()) == ["b", "a"]


def test_the_servers_own_line_goes_before_age() -> None:
    queue = line(waiting("old", 1), waiting("b", 9, position=2), waiting("a", 8, position=7))
    assert list(queue.names()) == ["b", "a", "old"]
    assert positions(queue, "b", "a", "old") == [1, 2, 3]


def test_places_of_the_servers_line_that_are_written_anew_move_nobody() -> None:
    queue = line(*(waiting(name, position=n) for n, name in enumerate("abcd", 2)))
    for n, name in enumerate("abcd", 1):
        assert not queue.put(waiting(name, position=n, version=90 + n))


def test_who_starts_does_not_move_those_behind() -> None:
    queue = line(waiting("a", 1), waiting("b", 2), waiting("c", 3))
    assert not queue.put(is_now(waiting("a", 1), Standing.RUNNING))
    assert positions(queue, "a", "b", "c") == [1, 2, 3]


def test_who_starts_out_of_turn_moves_those_before() -> None:
    queue = line(waiting("a", 1), waiting("b", 2), waiting("c", 3))
    assert queue.put(is_now(waiting("b", 2), Standing.RUNNING)) == Span(0, 1)
    assert positions(queue, "a", "b", "c") == [2, 1, 3]


def test_one_that_is_deleted_lets_those_behind_move_up() -> None:
    queue = line(waiting("a", 1), waiting("b", 2), waiting("c", 3))
    assert queue.remove("b") == Span(1, 2)
    assert positions(queue, "a", "b", "c") == [1, None, 2]


def test_nobody_moves_where_a_stranger_goes() -> None:
    assert not line(waiting("a")).remove("b")


def test_after_a_restart_who_waited_goes_by_name_and_who_came_by_age() -> None:
    queue = line(waiting("b", 1), waiting("a", 2), waiting("z", 30), by_name=True)
    queue.restarted("2030-01-01T00:00:20Z")
    queue.put(waiting("y", 31))
    assert list(queue.names()) == ["a", "b", "z", "y"]
    assert not queue.restarted("2030-01-01T00:00:10Z")


def test_a_line_that_survives_restarts_is_not_changed_by_one() -> None:
    queue = line(waiting("b", 1), waiting("a", 2))
    assert not queue.restarted("2030-01-01T00:00:20Z")
    assert list(queue.names()) == ["b", "a"]


def test_one_that_was_interrupted_tells_of_a_restart() -> None:
    reason = 'found a backup with status "InProgress" during the server starting, mark it'
    assert restart_told("Failed", reason, "2030") == "2030"
    assert restart_told("Failed", reason, None) == ""
    assert restart_told("Failed", "no space", "2030") == ""
    assert restart_told("Completed", reason, "2030") == ""


@dataclass
class Naive:
    """Counts anew each time."""

    members: dict[str, Member] = field(default_factory=dict)

    def position(self, name: str) -> int:
        member = self.members[name]
        if member.standing is not Standing.WAITING:
            return 0 if member.standing is Standing.DONE else 1
        running = sum(one.standing is Standing.RUNNING for one in self.members.values())
        waiting = [one for one in self.members.values() if one.standing is Standing.WAITING]
        return 1 + running + sum(_sorting(one) < _sorting(member) for one in waiting)

    def all(self) -> dict[str, int]:
        return {name: self.position(name) for name in self.members}


def _sorting(one: Member) -> tuple[object, ...]:
    return one.position <= 0, one.position, one.created, int(one.version), one.uid, one.name


NAMES = st.sampled_from([f"n{n}" for n in range(12)])
CHANGES = st.tuples(
    NAMES,
    st.sampled_from([*Standing, None]),
    st.integers(0, 3),
    st.integers(0, 3),
    st.sampled_from([0, 0, 1, 2, 3]),
)


@given(st.lists(CHANGES, max_size=60))
def test_it_agrees_with_counting_anew_and_names_exactly_those_that_moved(
    changes: list[tuple[str, Standing | None, int, int, int]],
) -> None:
    queue, naive = Queue(), Naive()
    for name, stands, second, version, place in changes:
        before = naive.all()
        if stands is None:
            naive.members.pop(name, None)
            span = queue.remove(name)
        else:
            member = Member(name, name, stands, f"2030-01-01T00:00:0{second}Z", str(version), place)
            span = queue.put(member)
            old = naive.members.get(name)
            if old is not None and old.standing is Standing.WAITING:
                member = replace(member, version=old.version)
            naive.members[name] = member
        after = naive.all()
        assert {one: queue.position(one) for one in after} == after
        moved = {one for one in after if one != name and before.get(one) != after[one]}
        assert set(queue.names(*span)) - {name} == moved
        ranks = [queue.rank(one) for one in queue.names()]
        assert ranks == list(range(queue.waiting))
