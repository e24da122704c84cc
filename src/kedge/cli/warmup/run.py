"""`kedge warmup` from its start to its end, without click."""

import os
import signal
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from kedge.cli.codes import TERMINATED
from kedge.cli.durations import span
from kedge.cli.warmup.asked import Asked, Mistake, plain_options
from kedge.cli.warmup.hold import hold_until
from kedge.cli.warmup.target import target_of

SECOND = timedelta(seconds=1)


def warmed_up(args: list[str]) -> bool:
    """Wait for the run; False, and nothing done, where the arguments need more than we import."""
    signal.signal(signal.SIGTERM, _stop)
    given = plain_options(args)
    if given is None:
        return False
    try:
        wait(Asked(given, os.environ))
    except Mistake:
        return False
    return True


def present() -> datetime:
    """Return what the clock on the wall shows, which is what the sleep goes by."""
    return datetime.fromtimestamp(time.clock_gettime(time.CLOCK_REALTIME), UTC)


def log(line: str) -> None:
    """Write a line to stdout; that nobody can read it is no reason to fail."""
    try:
        os.write(1, f"{line}\n".encode(errors="backslashreplace"))
    except OSError:
        return


def wait(
    asked: Asked,
    now: Callable[[], datetime] = present,
    hold: Callable[[datetime], None] = hold_until,
    say: Callable[[str], None] = log,
) -> None:
    """Return at the instant of the run, or at once if that has passed."""
    start = now()
    target = target_of(asked, start)
    left = target.at - start
    run = f"the run at {_stamp(target.at)}"
    if left <= -SECOND:
        say(f"late by {span(-left, units=4)} for {run} ({target.source})")
        return
    if left > timedelta(0):
        say(f"warming up for {run}, in {span(left, units=4)} ({target.source})")
        hold(target.at)
    say(f"{run} starts")


def _stamp(instant: datetime) -> str:
    return instant.replace(tzinfo=None, microsecond=0).isoformat() + "Z"


def _stop(*_: object) -> None:
    # Not 0, which would tell the kubelet that the pod may go on to its work.
    log("stopped by SIGTERM before the run")
    raise SystemExit(TERMINATED)
