from datetime import UTC, datetime, timedelta

from kedge.store.marks import KEPT, Marks

START = datetime(2026, 1, 1, tzinfo=UTC)
MINUTE = timedelta(minutes=1)


def test_an_instant_has_the_revision_of_the_last_mark_before_it() -> None:
    marks = Marks()
    assert marks.at(START) == 0
    for minute in range(5):
        marks.add(START + minute * MINUTE, minute * 10)
    assert marks.at(START - MINUTE) == 0
    assert marks.at(START + 2 * MINUTE) == 20
    assert marks.at(START + 2.5 * MINUTE) == 20
    assert marks.at(START + timedelta(days=1)) == 40


def test_a_clock_that_goes_back_adds_no_mark() -> None:
    marks = Marks()
    marks.add(START + MINUTE, 10)
    marks.add(START, 20)
    assert marks.at(START) == 0
    assert marks.at(START + MINUTE) == 10


def test_old_marks_are_forgotten() -> None:
    marks = Marks()
    for minute in range(KEPT + 1):
        marks.add(START + minute * MINUTE, minute + 1)
    assert marks.at(START) == 0
    assert marks.at(START + MINUTE) == 2
