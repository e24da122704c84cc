"""2,076 cases that were run through robfig/cron v3, forward and backward."""

from datetime import datetime, timedelta
from typing import Any

import pytest

from kedge.cron import CronError, Schedule, parse

Row = dict[str, Any]
SECOND = timedelta(seconds=1)


def schedule_of(row: Row) -> Schedule:
    """Parse the expression of a row."""
    return parse(row["expr"], zone=row["zone"])


def instants_of(row: Row) -> list[datetime]:
    """Read the expected instants of a row."""
    return [datetime.fromisoformat(text) for text in row["next"]]


def good(rows: list[Row]) -> list[Row]:
    """Keep the rows that the original accepts."""
    return [row for row in rows if "error" not in row]


def test_there_are_2076_rows(cron_rows: list[Row]) -> None:
    assert len(cron_rows) == 2076
    assert len(good(cron_rows)) == 2027


def test_next_gives_the_instants_of_the_original(cron_rows: list[Row]) -> None:
    wrong = []
    for row in good(cron_rows):
        schedule, moment = schedule_of(row), datetime.fromisoformat(row["after"])
        for expected in instants_of(row):
            found = schedule.next(moment)
            if found != expected:
                wrong.append((row["expr"], row["zone"], str(moment), str(expected), str(found)))
            moment = expected
    assert wrong == []


def test_prev_walks_the_same_instants_backward(cron_rows: list[Row]) -> None:
    wrong = []
    for row in good(cron_rows):
        schedule, instants = schedule_of(row), instants_of(row)
        moment = instants[-1] + timedelta(microseconds=1)
        if "@every" in row["expr"]:  # has no runs of its own, only distances
            moment = instants.pop()
        for expected in reversed(instants):
            found = schedule.prev(moment)
            if found != expected:
                wrong.append((row["expr"], row["zone"], str(moment), str(expected), str(found)))
            moment = expected
    assert wrong == []


def test_nothing_runs_between_the_question_and_its_answer(cron_rows: list[Row]) -> None:
    wrong = []
    for row in good(cron_rows):
        if "@every" not in row["expr"]:
            after, first = datetime.fromisoformat(row["after"]), instants_of(row)[0]
            found = schedule_of(row).prev(first)
            if found is None or found > after:
                wrong.append((row["expr"], row["zone"], str(first), str(found)))
    assert wrong == []


def test_between_covers_the_instants_and_no_others(cron_rows: list[Row]) -> None:
    wrong = []
    for row in good(cron_rows):
        instants = instants_of(row)
        found = list(schedule_of(row).between(instants[0], instants[-1] + SECOND))
        if found != instants:
            wrong.append((row["expr"], row["zone"], row["next"], list(map(str, found))))
    assert wrong == []


def test_every_instant_matches_and_the_second_behind_it_does_not(cron_rows: list[Row]) -> None:
    wrong = []
    for row in good(cron_rows):
        schedule = schedule_of(row)
        for instant in instants_of(row):
            aside = schedule.matches(instant + SECOND) and "@every" not in row["expr"]
            if not schedule.matches(instant) or aside:
                wrong.append((row["expr"], row["zone"], str(instant)))
    assert wrong == []


@pytest.mark.slow
def test_the_shortest_text_has_the_same_instants(cron_rows: list[Row]) -> None:
    wrong = []
    for row in good(cron_rows):
        text, moment = str(schedule_of(row)), datetime.fromisoformat(row["after"])
        again = parse(text)
        for expected in instants_of(row):
            if again.next(moment) != expected:
                wrong.append((row["expr"], row["zone"], text, str(expected)))
            moment = expected
    assert wrong == []


def test_what_the_original_refuses_is_refused_with_a_field_and_a_piece(
    cron_rows: list[Row],
) -> None:
    for row in cron_rows:
        if "error" in row:
            with pytest.raises(CronError) as caught:
                schedule_of(row)
            assert caught.value.field, row
            assert isinstance(caught.value.piece, str), row
