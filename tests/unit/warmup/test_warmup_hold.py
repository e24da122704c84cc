"""The sleep itself, on the machine's clock; instants are near, and nothing is said of how long."""

import os
import signal
import threading
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from kedge.cli.warmup import hold
from kedge.cli.warmup.hold import hold_until
from kedge.cli.warmup.run import present

SOON = timedelta(milliseconds=30)
NEVER = timedelta(days=300)


class Stopped(Exception):
    """What a handler raises."""


@pytest.fixture(params=["timer", "no timer"])
def sleep(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Sleep both ways: with the timer of Linux, and as any other system does."""
    if request.param == "no timer":
        monkeypatch.setattr(hold, "_timer", lambda _: None)
    return str(request.param)


@pytest.fixture
def stopping() -> Iterator[None]:
    """Let SIGTERM raise."""

    def stop(*_: object) -> None:
        raise Stopped

    before = signal.signal(signal.SIGTERM, stop)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.usefixtures("sleep")
def test_it_ends_at_the_instant_and_not_before() -> None:
    instant = present() + SOON
    hold_until(instant)
    assert present() >= instant


@pytest.mark.usefixtures("sleep")
@pytest.mark.parametrize("past", [timedelta(0), timedelta(seconds=1), timedelta(days=10_000)])
def test_an_instant_that_is_past_is_not_waited_for(past: timedelta) -> None:
    hold_until(present() - past)


@pytest.mark.usefixtures("sleep", "stopping")
def test_a_signal_ends_it() -> None:
    threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGTERM)).start()
    with pytest.raises(Stopped):
        hold_until(present() + NEVER)


@pytest.mark.usefixtures("sleep")
def test_a_signal_that_means_nothing_does_not_end_it() -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGUSR1, lambda number, _: seen.append(number))
    instant = present() + 10 * SOON
    threading.Timer(0.02, os.kill, (os.getpid(), signal.SIGUSR1)).start()
    try:
        hold_until(instant)
    finally:
        signal.signal(signal.SIGUSR1, before)
    assert present() >= instant
    assert seen == [signal.SIGUSR1]


@pytest.mark.usefixtures("sleep")
def test_nothing_is_left_open() -> None:
    before = sorted(os.listdir("/dev/fd"))
    hold_until(present() + SOON)
    assert sorted(os.listdir("/dev/fd")) == before
    assert signal.set_wakeup_fd(-1) == -1


def test_a_clock_that_is_put_back_is_slept_for_again(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = iter([100.0, 99.99, 100.02])
    monkeypatch.setattr(hold, "_timer", lambda _: None)
    monkeypatch.setattr(time, "clock_gettime", lambda _: next(shown))
    hold_until(datetime.fromtimestamp(100.01, UTC))
    assert list(shown) == []


@pytest.mark.skipif(not os.path.exists("/proc/self/fd"), reason="Linux tells what a file is")
def test_on_linux_the_timer_follows_the_clock_on_the_wall() -> None:
    at = time.clock_gettime(time.CLOCK_REALTIME) + 1000
    timer = hold._timer(at)
    assert timer is not None
    with open(f"/proc/self/fdinfo/{timer}") as file:
        facts = dict(line.strip().split(": ", 1) for line in file if ": " in line)
    os.close(timer)
    assert (facts["clockid"], facts["settime flags"]) == (str(time.CLOCK_REALTIME), "01")
