import asyncio
from datetime import timedelta

import pytest

from kedge.client import Client, Disconnected, Request, Unreachable
from kedge.client.where import explicit
from kedge.runtime.leaderguard import LeaderGuard, NotLeader
from kedge.runtime.leadersettings import LeaderSettings
from kedge.testing import FakeClock

WRITES = [Request(method, "/api/v1/things") for method in ("POST", "PUT", "PATCH", "DELETE")]
READS = [Request(method, "/api/v1/things") for method in ("GET", "HEAD")]
WRITE = WRITES[0]


def made() -> tuple[LeaderGuard, FakeClock]:
    clock = FakeClock()
    clock.advance(timedelta(seconds=100))
    return LeaderGuard(LeaderSettings("boat", "sea", "me"), clock), clock


def refuses(guard: LeaderGuard) -> bool:
    try:
        with guard(WRITE):
            return False
    except NotLeader:
        return True


@pytest.mark.parametrize("request_", WRITES, ids=lambda one: one.method)
def test_a_write_of_one_who_never_led_is_refused(request_: Request) -> None:
    guard, _ = made()
    with pytest.raises(NotLeader, match="does not hold lease sea/boat"), guard(request_):
        pass


@pytest.mark.parametrize("request_", READS, ids=lambda one: one.method)
def test_reads_pass_always_and_for_any_time(request_: Request) -> None:
    guard, _ = made()
    with guard(request_) as seconds:
        assert seconds is None
    guard.close()
    with guard(request_) as seconds:
        assert seconds is None


def test_writes_pass_for_the_time_to_renew_and_no_longer() -> None:
    guard, clock = made()
    guard.renew(clock.monotonic())
    clock.advance(timedelta(seconds=9.999))
    assert not refuses(guard)
    clock.advance(timedelta(seconds=0.001))
    assert refuses(guard)
    guard.renew(clock.monotonic())
    assert not refuses(guard)


def test_the_time_counts_from_the_sending_of_the_renewal() -> None:
    guard, clock = made()
    guard.renew(clock.monotonic() - 8)
    clock.advance(timedelta(seconds=2))
    assert refuses(guard)


@pytest.mark.parametrize("later", [0.0, 5.0, 9.9])
def test_a_write_ends_before_another_may_begin(later: float) -> None:
    guard, clock = made()
    guard.renew(clock.monotonic())
    clock.advance(timedelta(seconds=later))
    with guard(WRITE) as seconds:
        assert seconds == pytest.approx(13.75 - later)


def test_nothing_passes_when_it_is_closed() -> None:
    guard, clock = made()
    guard.renew(clock.monotonic())
    guard.close()
    assert refuses(guard)
    guard.renew(clock.monotonic())
    assert refuses(guard)
    assert not guard.may_send()


def test_no_byte_is_sent_after_the_lead_but_before_it_they_are() -> None:
    guard, clock = made()
    assert guard.may_send()
    guard.renew(clock.monotonic())
    assert guard.may_send()
    clock.advance(timedelta(seconds=10))
    assert not guard.may_send()


def test_a_write_that_was_answered_is_settled() -> None:
    guard, clock = made()
    guard.renew(clock.monotonic())
    with guard(WRITE):
        assert not guard.is_settled
    assert guard.is_settled


@pytest.mark.parametrize("failure", [Disconnected("x"), asyncio.CancelledError(), TimeoutError()])
def test_a_write_without_an_answer_is_settled_when_it_can_not_be_done_any_more(
    failure: BaseException,
) -> None:
    guard, clock = made()
    guard.renew(clock.monotonic())
    with pytest.raises(type(failure)), guard(WRITE):
        raise failure
    assert not guard.is_settled
    clock.advance(timedelta(seconds=13.75))
    assert guard.is_settled


def test_a_write_that_was_never_sent_is_settled() -> None:
    guard, clock = made()
    guard.renew(clock.monotonic())
    with pytest.raises(Unreachable), guard(WRITE):
        raise Unreachable("x")
    assert guard.is_settled


@pytest.mark.asyncio
async def test_a_client_is_guarded_down_to_its_sockets() -> None:
    guard, _ = made()
    async with Client(explicit("http://127.0.0.1:1")) as client:
        guard.protect(client)
        transport = client.transport
        assert transport.unacknowledged_seconds == 5.0
        assert transport.fuse()
        with pytest.raises(NotLeader):
            await client.send(WRITE)
        guard.close()
        assert not transport.fuse()
