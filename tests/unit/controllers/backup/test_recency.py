from datetime import timedelta

import pytest

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
        bound.saw(resource, version)
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
    bound.saw("pods", "7")
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
