from kedge.apiserver.http.query import ListOptions
from kedge.apiserver.verbs.watch import Alarms, Plan


def alarms(seconds: float, bookmarks: bool) -> Alarms:
    return Alarms(Plan(ListOptions(bookmarks=bookmarks), 0, False, False, seconds), 100.0)


def times(one: Alarms) -> list[tuple[float, bool]]:
    """When it rings, and whether a bookmark is due."""
    found = []
    while not one.over:
        when = one.next
        found.append((when, one.ring()))
    return found


def test_without_bookmarks_only_the_end_rings() -> None:
    assert times(alarms(150, bookmarks=False)) == [(250.0, False)]


def test_bookmarks_come_every_minute_and_shortly_before_the_end() -> None:
    assert times(alarms(150, bookmarks=True)) == [
        (160.0, True),
        (220.0, True),
        (248.0, True),
        (250.0, False),
    ]


def test_a_short_watch_has_a_bookmark_before_its_end() -> None:
    assert times(alarms(10, bookmarks=True)) == [(108.0, True), (110.0, False)]


def test_a_very_short_watch_has_none() -> None:
    assert times(alarms(1, bookmarks=True)) == [(101.0, False)]


def test_the_initial_events_are_followed_by_one_more_bookmark() -> None:
    plan = Plan(ListOptions(bookmarks=True), 0, True, True, 30)
    assert times(Alarms(plan, 100.0)) == [(101.0, True), (128.0, True), (130.0, False)]
