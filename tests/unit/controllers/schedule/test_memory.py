"""What a process remembers of its own deeds until its caches show them."""

from datetime import UTC, datetime, timedelta

from kedge.controllers.schedule.decide import Child
from kedge.controllers.schedule.memory import LAG_SECONDS, UNSEEN_SECONDS, Memory
from kedge.runtime import Key
from kedge.testing import FakeClock

KEY = Key("velero", "s")
OTHER = Key("velero", "t")
CHILD = Child("s-1", datetime(2026, 6, 1, tzinfo=UTC), is_finished=False)


def memory() -> tuple[Memory, FakeClock]:
    clock = FakeClock()
    return Memory(clock), clock


def test_a_version_before_our_write_is_behind_until_it_is_seen() -> None:
    known, _ = memory()
    known.wrote(KEY, "100")
    assert known.is_behind(KEY, "99")
    assert known.is_behind(KEY, "99")
    assert not known.is_behind(OTHER, "99")
    assert not known.is_behind(KEY, "100")
    assert not known.is_behind(KEY, "99"), "once it was seen the past is not looked for"


def test_versions_that_are_no_numbers_are_taken_as_they_come() -> None:
    known, _ = memory()
    known.wrote(KEY, "abc")
    assert not known.is_behind(KEY, "abb")


def test_a_store_that_has_gone_back_in_time_is_believed_in_the_end() -> None:
    known, clock = memory()
    known.wrote(KEY, "100")
    clock.advance(timedelta(seconds=LAG_SECONDS))
    assert not known.is_behind(KEY, "7")


def test_a_backup_is_there_from_its_making_until_it_is_seen() -> None:
    known, _ = memory()
    known.made(KEY, CHILD)
    assert list(known.with_made(KEY, [])) == [CHILD]
    assert list(known.with_made(OTHER, [])) == []
    late = Child(CHILD.name, CHILD.created - timedelta(hours=1), is_finished=True)
    told = Child(CHILD.name, CHILD.created, is_finished=True)
    assert list(known.with_made(KEY, [late])) == [told], "the time is ours until it was told"
    known.wrote(KEY, "7")
    assert list(known.with_made(KEY, [late])) == [late]
    assert list(known.with_made(KEY, [])) == [], "it was deleted since"


def test_a_backup_that_is_never_seen_is_forgotten() -> None:
    known, clock = memory()
    known.made(KEY, CHILD)
    clock.advance(timedelta(seconds=UNSEEN_SECONDS))
    assert list(known.with_made(KEY, [])) == []


def test_being_blocked_is_news_once() -> None:
    known, _ = memory()
    looks = [True, True, False, True]
    assert [known.blocks(KEY, is_blocked=one) for one in looks] == [True, False, False, True]


def test_a_schedule_that_is_gone_is_forgotten() -> None:
    known, _ = memory()
    known.wrote(KEY, "100")
    known.made(KEY, CHILD)
    known.blocks(KEY, is_blocked=True)
    known.forget(KEY)
    assert not known.is_behind(KEY, "1")
    assert list(known.with_made(KEY, [])) == []
    assert known.blocks(KEY, is_blocked=True)
