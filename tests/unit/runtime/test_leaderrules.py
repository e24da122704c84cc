import pytest

from kedge.runtime.leaderrules import (
    Action,
    Candidate,
    Lost,
    View,
    Wait,
    Write,
    decide,
    released,
)
from kedge.runtime.lease import Lease, Record

STAMP = "2030-01-01T00:00:00.000000Z"
OLD = "2029-12-31T23:59:59.000000Z"


def lease(record: Record, uid: str = "u") -> Lease:
    return Lease({"metadata": {"uid": uid}}, record)


def held_by(holder: str, acquired: str = OLD, seconds: int = 15, transitions: int = 3) -> Lease:
    return lease(Record(holder, seconds, acquired, OLD, transitions))


ME = Candidate("me", 15, 10.0)
CLAIMED = Candidate("me", 15, 10.0, claim=OLD)
LEADING = Candidate("me", 15, 10.0, claim=OLD, renewed_at=100.0)
FRESH = Record("me", 15, STAMP, STAMP, 0)
NEXT = Record("me", 15, STAMP, STAMP, 4)
RENEWED = Record("me", 15, OLD, STAMP, 3)


def seen(found: Lease, since: float = 100.0, *, is_there: bool = True) -> View:
    return View(found, since, is_there)


OTHER = held_by("other")
MINE = held_by("me")
FREE = lease(Record("", 1, OLD, OLD, 3))
TIMELESS = lease(Record("other", 0, OLD, OLD, 3))


@pytest.mark.parametrize(
    ("view", "me", "now", "action"),
    [
        pytest.param(View(), ME, 0.0, Write(FRESH, None), id="never seen: make it"),
        pytest.param(seen(FREE), ME, 100.0, Write(NEXT, FREE), id="released: take it at once"),
        pytest.param(seen(OTHER), ME, 100.0, Wait(15.0, "other"), id="just seen: wait for all"),
        pytest.param(seen(OTHER), ME, 114.5, Wait(0.5, "other"), id="not yet run out"),
        pytest.param(seen(OTHER), ME, 115.0, Write(NEXT, OTHER), id="run out: take it"),
        pytest.param(
            seen(held_by("other", seconds=60)),
            ME,
            115.0,
            Wait(45.0, "other"),
            id="the holder's promise counts, not ours",
        ),
        pytest.param(seen(TIMELESS), ME, 110.0, Wait(5.0, "other"), id="no promise: ours"),
        pytest.param(
            seen(OTHER, is_there=False), ME, 110.0, Wait(5.0, "other"), id="deleted: not free yet"
        ),
        pytest.param(
            seen(OTHER, is_there=False), ME, 115.0, Write(NEXT, None), id="deleted and run out"
        ),
        pytest.param(
            seen(MINE), ME, 101.0, Wait(14.0, "me"), id="our name, another process: as any other"
        ),
        pytest.param(
            seen(MINE), CLAIMED, 101.0, Write(RENEWED, MINE), id="the answer was lost: it is ours"
        ),
        pytest.param(
            seen(MINE), CLAIMED, 999.0, Write(RENEWED, MINE), id="ours, however old, in our term"
        ),
        pytest.param(seen(MINE), LEADING, 109.9, Write(RENEWED, MINE), id="renew"),
        pytest.param(
            seen(MINE), LEADING, 110.0, Lost("it was not renewed in time"), id="too late to renew"
        ),
        pytest.param(
            seen(MINE, is_there=False),
            LEADING,
            105.0,
            Write(RENEWED, None),
            id="deleted under us: make it again, in the same term",
        ),
        pytest.param(seen(OTHER), LEADING, 101.0, Lost("'other' has it"), id="taken from us"),
        pytest.param(
            seen(held_by("me", acquired=STAMP)),
            LEADING,
            101.0,
            Lost("'me' has it"),
            id="taken by another process of our name",
        ),
        pytest.param(
            seen(FREE), LEADING, 101.0, Lost("somebody released it"), id="released under us"
        ),
    ],
)
def test_decides(view: View, me: Candidate, now: float, action: Action) -> None:
    assert decide(view, me, now, STAMP) == action


def test_a_lease_is_as_old_as_we_have_known_it() -> None:
    view = View().seen(OTHER, 10.0)
    assert view.since == 10.0
    assert view.seen(OTHER, 12.0).since == 10.0
    assert view.seen(held_by("other", seconds=16), 12.0).since == 12.0


def test_a_lease_that_was_made_anew_is_another_one() -> None:
    view = View().seen(OTHER, 10.0)
    assert view.seen(lease(OTHER.record, uid="v"), 12.0).since == 12.0


def test_labels_of_a_lease_do_not_make_it_younger() -> None:
    view = View().seen(OTHER, 10.0)
    touched = Lease({"metadata": {"uid": "u", "labels": {"a": "b"}}}, OTHER.record)
    assert view.seen(touched, 12.0) == View(touched, 10.0, True)


def test_a_lease_that_was_deleted_is_remembered() -> None:
    view = View().seen(OTHER, 10.0).seen(None, 12.0)
    assert view == View(OTHER, 10.0, False)


def test_one_who_is_overtaken_in_making_it_waits_as_if_it_had_seen_a_holder() -> None:
    view = View().overtaken(10.0)
    assert isinstance(decide(view, ME, 24.9, STAMP), Wait)
    assert isinstance(decide(view, ME, 25.0, STAMP), Write)


def test_one_who_is_overtaken_keeps_what_it_has_seen() -> None:
    view = View().seen(OTHER, 10.0)
    assert view.overtaken(12.0) is view


def test_a_released_lease_is_as_client_go_leaves_it() -> None:
    assert released(OTHER.record, STAMP) == Record("", 1, STAMP, STAMP, 3)
