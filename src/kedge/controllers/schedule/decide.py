"""Decide what one Schedule needs now. Pure: no I/O, no clock, no logging.

A schedule is due when now is after the first instant that follows its base: the last backup, or
its creation where there was none, or the last skip where that is later. `skipImmediately` is
looked at when a schedule is first seen and when it goes from paused to unpaused: taken, it makes
now the base.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, TypeAlias

from kedge.controllers.schedule.timetable import Timetable

GRACE: Final = timedelta(minutes=1)
"""With `missed-runs: skip` and no deadline, a run that starts later than this counts as missed."""
SKEW: Final = timedelta(minutes=5)
"""By so much the clocks of two machines that work together may differ, as in Kerberos."""
INSTANT: Final = timedelta(milliseconds=1)
"""A schedule is due *after* its instant: we look again so much later."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a schedule whose spec is valid."""

    timetable: Timetable
    created: datetime
    last_backup: datetime | None = None
    last_skipped: datetime | None = None
    is_paused: bool = False
    pause_until: datetime | None = None
    is_new: bool = False
    """No reconcile has left a trace on it yet."""
    was_paused: bool = False
    """It was paused when it was last looked at."""
    skip: bool | None = None
    """`spec.skipImmediately`; None: what the server says."""
    is_skip_taken: bool = False
    """The skip in the spec was taken, and has only to be removed from it."""
    always_skip: bool = False
    """Skips as a standing policy, which leaves the spec alone."""
    skips_missed: bool = False
    deadline: timedelta | None = None
    """A run that could not start for so long is missed."""


@dataclass(frozen=True, slots=True)
class Child:
    """A Backup of the schedule."""

    name: str
    created: datetime
    is_finished: bool
    due: datetime | None = None
    """The instant it was made for; None: somebody made it by hand."""


@dataclass(frozen=True, slots=True)
class Hold:
    """It is paused; look again at `wake`, if that is set."""

    wake: datetime | None


@dataclass(frozen=True, slots=True)
class Skip:
    """Make now the base, and take the wish out of the spec; `next` is the run after that."""

    next: datetime
    clears_spec: bool
    last_backup: datetime | None
    moves_base: bool = True
    """Not so where that is done, and only the spec is left."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing is due before `next`."""

    next: datetime
    last_backup: datetime | None
    """That of the status, or of a run that it does not know of yet."""


@dataclass(frozen=True, slots=True)
class Missed:
    """The run of `due` is past its deadline; `count` runs were missed with it."""

    due: datetime
    count: int
    next: datetime
    last_backup: datetime | None


@dataclass(frozen=True, slots=True)
class Blocked:
    """A run is due, and waits for another Backup of the schedule to end."""

    due: datetime
    by: str
    next: datetime
    wake: datetime | None
    """When its deadline is past."""
    last_backup: datetime | None


@dataclass(frozen=True, slots=True)
class Run:
    """Make the Backup of `due`; `missed` runs before it were not made."""

    due: datetime
    missed: int
    next: datetime


Decision: TypeAlias = Hold | Skip | Wait | Missed | Blocked | Run


def decide(facts: Facts, children: Sequence[Child], now: datetime, skips: bool) -> Decision:
    """Compare a schedule with its Backups and the time; `skips` is the server's default."""
    if facts.is_paused or (facts.pause_until is not None and facts.pause_until > now):
        return Hold(None if facts.is_paused else facts.pause_until)
    has_no_base = _has_no_base(facts, now)
    facts = _put_right(facts, now)
    last_backup = _last_backup(facts, children, now)
    base = _base(facts, last_backup)
    is_due, following = next_run(facts.timetable, base, now)
    if has_no_base or _wants_skip(facts, now, is_due=is_due, skips=skips):
        clears = facts.skip is True and not facts.always_skip
        after = facts.timetable.next(now)
        return Skip(after, clears, last_backup, moves_base=not facts.is_skip_taken)
    if not is_due:
        return Wait(following, last_backup)
    return _due(facts, children, base, last_backup, now)


def plausible(instant: datetime | None, now: datetime) -> datetime | None:
    """Give a time as it is, unless a clock that was far ahead has left it: then it is just past.

    It must not stop all runs until it comes true, nor is the run of this very minute to be lost.
    """
    if instant is None or instant <= now + SKEW:
        return instant
    return now - GRACE


def _put_right(facts: Facts, now: datetime) -> Facts:
    """Take what a clock that was far ahead has left for what it can be."""
    last_skipped = plausible(facts.last_skipped, now)
    is_created = facts.created <= now + SKEW
    return replace(
        facts,
        created=facts.created if is_created else last_skipped or now,
        last_backup=plausible(facts.last_backup, now),
        last_skipped=last_skipped,
    )


def _has_no_base(facts: Facts, now: datetime) -> bool:
    """Tell whether all that is known is a creation that is yet to come: now is a better base."""
    is_fresh = facts.last_backup is None and facts.last_skipped is None
    return is_fresh and facts.created > now + SKEW


def is_run(due: datetime, created: datetime) -> bool:
    """Tell whether a Backup that is marked with an instant was made for it, and not long before.

    A clock that was ahead may have used up names of the time to come.
    """
    return created >= due - SKEW


def next_run(timetable: Timetable, base: datetime, now: datetime) -> tuple[bool, datetime]:
    """Tell whether a run is due, and give the first one after the base."""
    following = timetable.next(base)
    return now > following, following


def _due(
    facts: Facts,
    children: Sequence[Child],
    base: datetime,
    last_backup: datetime | None,
    now: datetime,
) -> Missed | Blocked | Run:
    due, before = facts.timetable.latest(base, now)
    following = facts.timetable.next(now)
    deadline = facts.deadline or (GRACE if facts.skips_missed else None)
    if deadline is not None and now - due > deadline:
        return Missed(due, before + 1, following, last_backup)
    running = next((child for child in children if not child.is_finished), None)
    if running is not None:
        wake = due + deadline + INSTANT if deadline is not None else None
        return Blocked(due, running.name, following, wake, last_backup)
    return Run(due, before, following)


def _last_backup(facts: Facts, children: Sequence[Child], now: datetime) -> datetime | None:
    """Give the time of the last run: what the status says, or a Backup that it missed.

    A crash may come between the making of a Backup and the status that tells of it. A Backup that
    was made by hand is not marked with an instant, and does not count.
    """
    last = facts.last_backup
    base = _base(facts, last)
    for child in children:
        due = child.due
        if due is not None and base < due <= now and is_run(due, child.created):
            made = min(max(child.created, due), now)
            last = made if last is None else max(last, made)
    return last


def _base(facts: Facts, last_backup: datetime | None) -> datetime:
    base = last_backup or facts.created
    if facts.last_skipped is not None and facts.last_skipped > base:
        base = facts.last_skipped
    return base


def _wants_skip(facts: Facts, now: datetime, *, is_due: bool, skips: bool) -> bool:
    """Tell whether the first run is to be skipped."""
    if facts.is_skip_taken:
        return True
    wish = facts.always_skip or (skips if facts.skip is None else facts.skip)
    if facts.is_new or facts.was_paused:
        return wish
    # On a schedule that runs: not in place of a run that is due, and once in an interval, so that
    # a tool that sets it again and again neither starves the schedule nor fights for the field.
    if facts.skip is not True or facts.always_skip or is_due:
        return False
    skipped = facts.last_skipped
    return skipped is None or facts.timetable.next(skipped) <= now
