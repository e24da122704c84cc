from datetime import UTC, timedelta

from kedge.aio.clock import Clock, SystemClock


def test_the_system_clock_tells_aware_instants_that_do_not_go_back() -> None:
    clock: Clock = SystemClock()
    first, second = clock.now(), clock.now()
    assert first.tzinfo is UTC
    assert timedelta(0) <= second - first
