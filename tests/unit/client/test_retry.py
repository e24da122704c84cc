import pytest

from kedge.aio.backoff import Backoff
from kedge.client.errors import BadAnswer, ClientError, DeadlineExceeded, Disconnected, Unreachable
from kedge.client.requests import Request
from kedge.client.responses import Response
from kedge.client.retry import Outcome, Retrying
from kedge.client.where import ConfigError, LoginFailed, NothingConfigured

SAFE = Request("GET", "/x", repeatable=True)
UNSAFE = Request("POST", "/x")
STEADY = Backoff(first=1.0, most=8.0, jitter=0.0)
RETRYING = Retrying(attempts=5, backoff=STEADY)


@pytest.mark.parametrize(
    ("outcome", "safe", "unsafe"),
    [
        (Response(429, b""), True, True),
        (Response(500, b""), True, False),
        (Response(502, b""), True, False),
        (Response(503, b""), True, False),
        (Response(504, b""), True, False),
        (Response(501, b""), False, False),
        (Response(200, b""), False, False),
        (Response(302, b""), False, False),
        (Response(400, b""), False, False),
        (Response(401, b""), False, False),
        (Response(403, b""), False, False),
        (Response(404, b""), False, False),
        (Response(409, b""), False, False),
        (Response(410, b""), False, False),
        (Response(422, b""), False, False),
        (Unreachable("x"), True, True),
        (LoginFailed("x"), True, True),
        (Disconnected("x"), True, False),
        (DeadlineExceeded("x"), True, False),
        (BadAnswer("x"), True, False),
        (ConfigError("x"), False, False),
        (NothingConfigured("x"), False, False),
        (ClientError("x"), True, False),
    ],
    ids=lambda value: repr(value)[:30],
)
def test_what_is_sent_again(outcome: Outcome, safe: bool, unsafe: bool) -> None:
    assert (RETRYING.delay(SAFE, outcome, 1) is not None) is safe
    assert (RETRYING.delay(UNSAFE, outcome, 1) is not None) is unsafe


def test_each_wait_is_longer_up_to_a_bound() -> None:
    waits = [Retrying(99, STEADY).delay(SAFE, Response(503, b""), n) for n in range(1, 7)]
    assert waits == [1.0, 2.0, 4.0, 8.0, 8.0, 8.0]


def test_the_last_attempt_is_the_last() -> None:
    assert RETRYING.delay(SAFE, Response(503, b""), 4) is not None
    assert RETRYING.delay(SAFE, Response(503, b""), 5) is None
    assert Retrying(attempts=1).delay(SAFE, Response(429, b""), 1) is None


@pytest.mark.parametrize("draw", [0.0, 0.5, 1.0])
def test_the_server_names_the_time_and_jitter_spreads_the_crowd(draw: float) -> None:
    backoff = Backoff(first=100.0, jitter=0.5, draw=lambda: draw)
    response = Response(429, b"", {"retry-after": "7"})
    assert Retrying(backoff=backoff).delay(UNSAFE, response, 1) == 7.0 + 0.5 * draw


def test_no_time_at_all_is_a_time_too() -> None:
    assert RETRYING.delay(UNSAFE, Response(429, b"", {"retry-after": "0"}), 1) == 0.0


def test_a_server_that_wants_too_much_time_is_not_asked_again() -> None:
    patient = Retrying(backoff=STEADY, patience_seconds=60)
    assert patient.delay(SAFE, Response(429, b"", {"retry-after": "60"}), 1) == 60.0
    assert patient.delay(SAFE, Response(429, b"", {"retry-after": "61"}), 1) is None
    assert patient.delay(SAFE, Response(429, b"", {"retry-after": "9" * 999}), 1) is None


@pytest.mark.parametrize("text", ["soon", "-3", "1e3", "Wed, 21 Oct 2015 07:28:00 GMT"])
def test_a_time_that_can_not_be_read_counts_as_none(text: str) -> None:
    assert RETRYING.delay(SAFE, Response(503, b"", {"retry-after": text}), 2) == 2.0


def test_a_wish_for_time_does_not_make_a_write_safe() -> None:
    assert RETRYING.delay(UNSAFE, Response(503, b"", {"retry-after": "1"}), 1) is None


def test_the_usual_settings_spread_out() -> None:
    waits = {Retrying().delay(SAFE, Response(503, b""), 1) for _ in range(50)}
    assert len(waits) > 1
    assert all(wait is not None and 0.2 <= wait <= 0.3 for wait in waits)
