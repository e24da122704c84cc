"""The line stays in order while Backups come, change and go; and knows which places are right."""

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from kedge.api.velero.backup import BackupPhase
from kedge.controllers.queue.line import RUNNING, Line, Member, Place

PHASES = [
    BackupPhase.NEW,
    BackupPhase.QUEUED,
    BackupPhase.QUEUED,
    BackupPhase.READY_TO_START,
    BackupPhase.IN_PROGRESS,
    BackupPhase.FINALIZING,
]


def queued(name: str, position: int) -> Member:
    return Member(("velero", name), BackupPhase.QUEUED, position, ("", 0), ((), ()))


def line_of(members: Iterable[Member]) -> Line:
    made = Line()
    for one in members:
        made.put(one)
    return made


def test_only_what_is_behind_a_change_is_looked_at_again() -> None:
    line = line_of(queued(str(n), n) for n in range(1, 101))
    assert (line.moves(), line.unsettled) == ([], 0)
    line.remove(("velero", "98"))
    assert line.unsettled == 2
    assert line.moves() == [Place(("velero", "99"), 98), Place(("velero", "100"), 99)]
    line.put(queued("99", 98))
    assert line.moves() == [Place(("velero", "100"), 99)]
    line.put(queued("100", 99))
    assert (line.moves(), line.unsettled) == ([], 0)


def test_a_place_that_was_given_is_right_where_it_is() -> None:
    line = line_of([queued("a", 1), queued("b", 3), queued("c", 4)])
    assert len(line.moves()) == 2
    assert line.is_at(Place(("velero", "a"), 1))
    assert not line.is_at(Place(("velero", "b"), 2))
    assert line.is_at(Place(("velero", "gone"), 2))


def test_the_last_place_is_that_of_whoever_has_one() -> None:
    assert Line().last == 0
    assert line_of([queued("none", 0)]).last == 0
    assert line_of([queued("none", 0), queued("a", 7), queued("b", 3)]).last == 7


members = st.builds(
    Member,
    st.tuples(st.just("velero"), st.sampled_from("abcdefgh")),
    st.sampled_from(PHASES),
    st.integers(-1, 9),
    st.tuples(st.just(""), st.integers(0, 3)),
    st.just(((), ())),
    st.sampled_from([False, False, False, True]),
)
steps = st.lists(st.one_of(members, st.sampled_from("abcdefgh"), st.none()), max_size=40)


def turn(one: Member) -> tuple[object, ...]:
    return one.position <= 0, one.position, one.age, one.name


@given(steps)
def test_it_is_as_if_all_had_been_put_in_order_anew(steps: list[Member | str | None]) -> None:
    line, known = Line(), dict[tuple[str, str], Member]()
    for step in steps:
        if isinstance(step, Member):
            line.put(step)
            known[step.name] = step
        elif step is not None:
            line.remove(("velero", step))
            known.pop(("velero", step), None)
        queue, new = (
            sorted((m for m in known.values() if m.phase == p and not m.is_leaving), key=turn)
            for p in (BackupPhase.QUEUED, BackupPhase.NEW)
        )
        assert list(line.waiting()) == queue + new
        assert list(line.new()) == new
        running = {m.name for m in known.values() if m.phase in RUNNING}
        assert {m.name for m in line.running} == running
        assert line.last == max((m.position for m in queue if m.position > 0), default=0)
        wrong = [Place(m.name, n) for n, m in enumerate(queue, 1) if m.position != n]
        assert line.unsettled >= len(wrong)
        if step is None:  # now and then somebody asks
            assert line.moves() == wrong
