from datetime import timedelta

import pytest

from kedge.client.requests import EVERYTHING, Selection
from kedge.controllers.backup.recency import RECENT_SECONDS, Recency
from kedge.engine.backup.bound import Bound
from kedge.runtime import Key
from kedge.testing.clock import FakeClock

KEY = Key("velero", "b")


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def recency(clock: FakeClock) -> Recency:
    return Recency(clock)


def seen(bound: Bound, **versions: str) -> Bound:
    """Have lists be read."""
    for resource, version in versions.items():
        bound.saw((resource, EVERYTHING), version)
    return bound


def learned(recency: Recency, before: str, after: str, **versions: str) -> None:
    recency.learn(seen(Bound(), **versions), before, after)


def waiting(recency: Recency) -> Bound:
    """Begin a backup that was asked for long ago."""
    recency.arrived(KEY, "1")
    return recency.bound(KEY, "9999")


def test_the_lists_of_the_first_backup_are_exact(recency: Recency) -> None:
    recency.arrived(KEY, "10")
    assert recency.bound(KEY, "12").of("secrets") == ""


def test_those_of_one_that_follows_have_seen_our_last_writes(
    recency: Recency, clock: FakeClock
) -> None:
    learned(recency, "20", "29", secrets="25", pods="20", jobs="29")
    recency.arrived(KEY, "15")
    recency.wrote("29")
    clock.advance(timedelta(seconds=1))
    recency.wrote("31")
    bound = recency.bound(KEY, "40")
    assert [bound.of(name) for name in ("secrets", "pods", "jobs")] == ["29"] * 3


def test_what_was_not_read_yet_is_read_exactly(recency: Recency) -> None:
    learned(recency, "20", "29", secrets="25")
    recency.wrote("29")
    assert waiting(recency).of("pods") == ""


def test_lists_are_never_older_than_the_backup(recency: Recency) -> None:
    learned(recency, "20", "29", secrets="25")
    recency.wrote("29")
    recency.arrived(KEY, "100")
    assert recency.bound(KEY, "102").of("secrets") == "100"


def test_a_backup_of_which_nothing_is_known_is_as_new_as_it_is_now(recency: Recency) -> None:
    learned(recency, "20", "29", secrets="25")
    recency.wrote("29")
    recency.arrived(KEY, "20")
    recency.left(KEY)
    assert recency.bound(KEY, "102").of("secrets") == "102"


def test_after_a_rest_lists_are_exact(recency: Recency, clock: FakeClock) -> None:
    learned(recency, "20", "29", secrets="25")
    recency.wrote("29")
    clock.advance(timedelta(seconds=RECENT_SECONDS + 0.1))
    assert waiting(recency).of("secrets") == ""


@pytest.mark.parametrize(
    ("version", "why"),
    [
        ("19", "before what was written first"),
        ("30", "after what was written last"),
        ("3", "a smaller number, not only a smaller text"),
        ("250", "a larger number, not only a larger text"),
        ("", "none"),
        ("2a", "no number"),
    ],
)
def test_another_store_is_known_by_its_versions(recency: Recency, version: str, why: str) -> None:
    learned(recency, "20", "29", secrets="25", events=version)
    recency.wrote("29")
    bound = waiting(recency)
    assert (bound.of("secrets"), bound.of("events")) == ("29", ""), why


def test_what_fits_later_by_chance_is_still_another_store(recency: Recency) -> None:
    learned(recency, "20", "29", events="1000")
    learned(recency, "990", "1010", events="1000")
    recency.wrote("1010")
    assert waiting(recency).of("events") == ""


def test_what_fitted_by_chance_is_found_out(recency: Recency) -> None:
    learned(recency, "20", "29", events="25", pods="25")
    recency.wrote("29")
    bound = waiting(recency)
    recency.learn(seen(bound, events="5000", pods="29"), "30", "33")
    recency.wrote("33")
    later = waiting(recency)
    assert (later.of("events"), later.of("pods")) == ("", "29")


def test_a_list_that_is_as_old_as_it_may_be_shares_the_store(recency: Recency) -> None:
    learned(recency, "20", "29", pods="25")
    recency.wrote("29")
    recency.learn(seen(waiting(recency), pods="29"), "40", "44")
    recency.wrote("44")
    assert waiting(recency).of("pods") == "29"


def test_one_of_several_lists_of_a_kind_is_enough_to_doubt(recency: Recency) -> None:
    bound = seen(Bound(), pods="25")
    bound.saw(("pods", EVERYTHING), "7")
    recency.learn(bound, "20", "29")
    recency.wrote("29")
    assert waiting(recency).of("pods") == ""


def test_a_server_that_refuses_a_version_is_asked_exactly_from_then_on(recency: Recency) -> None:
    learned(recency, "20", "29", pods="25")
    recency.wrote("29")
    bound = waiting(recency)
    bound.refused.add("pods")
    assert bound.of("pods") == ""
    recency.learn(seen(bound, pods="41"), "40", "44")
    recency.wrote("44")
    assert waiting(recency).of("pods") == ""


HERE, THERE = ("pods", Selection("here")), ("pods", Selection("there"))


def ended(recency: Recency, bound: Bound, version: str, before: str, after: str) -> None:
    """End a backup that has found no pods in one namespace, and some in the other."""
    bound.saw(HERE, version, is_empty=True)
    bound.saw(THERE, version)
    recency.learn(bound, before, after)
    recency.wrote(after)


def test_what_was_empty_is_so_for_whom_it_is_new_enough(recency: Recency) -> None:
    recency.wrote("20")
    ended(recency, Bound(), "25", "20", "29")
    bound = waiting(recency)
    assert (bound.version, bound.is_empty(HERE), bound.is_empty(THERE)) == ("20", True, False)
    assert not bound.is_empty(("jobs", Selection("here")))


@pytest.mark.parametrize(("arrived", "is_empty"), [("24", True), ("25", True), ("26", False)])
def test_what_was_empty_before_a_backup_was_asked_for_is_looked_at_again(
    recency: Recency, arrived: str, is_empty: bool
) -> None:
    recency.wrote("20")
    ended(recency, Bound(), "25", "20", "29")
    recency.arrived(KEY, arrived)
    assert recency.bound(KEY, "9999").is_empty(HERE) == is_empty


def test_what_was_empty_is_looked_at_again_after_a_while(
    recency: Recency, clock: FakeClock
) -> None:
    recency.wrote("20")
    ended(recency, Bound(), "25", "20", "29")
    clock.advance(timedelta(seconds=RECENT_SECONDS / 2))
    recency.wrote("40")
    assert waiting(recency).is_empty(HERE)
    clock.advance(timedelta(seconds=RECENT_SECONDS / 2 + 0.1))
    assert waiting(recency).version == "40"
    assert not waiting(recency).is_empty(HERE)
    clock.advance(timedelta(seconds=RECENT_SECONDS))
    assert waiting(recency) == Bound()


def test_what_is_kept_in_another_store_is_always_looked_at(recency: Recency) -> None:
    recency.wrote("20")
    ended(recency, Bound(), "2500", "20", "29")
    assert not waiting(recency).is_empty(HERE)
    bound = waiting(recency)
    bound.refused.add("pods")
    assert not bound.is_empty(HERE)
