"""Decide what a candidate does about a lease. Pure: no I/O, no clock, no logging.

Clocks of different machines are never compared: a lease has run out when a candidate has seen it
unchanged for as long as its holder promised, by the candidate's own elapsed time.
"""

from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from kedge.runtime.lease import Lease, Record

UNSEEN: Final = "(somebody)"


@dataclass(frozen=True, slots=True)
class View:
    """What a candidate has seen of the lease."""

    lease: Lease | None = None
    """The last that was there."""
    since: float = 0.0
    """When it was first seen to be as it is."""
    is_there: bool = False

    def seen(self, lease: Lease | None, now: float) -> "View":
        """Take in what the API has answered, at the time of the answer.

        A lease that somebody deleted is remembered: its holder may not know yet.
        """
        if lease is None:
            return replace(self, is_there=False)
        known = self.lease
        is_same = known is not None and known.record == lease.record and known.uid == lease.uid
        return View(lease, self.since if is_same else now, is_there=True)

    def overtaken(self, now: float) -> "View":
        """Take in that somebody has made the lease before us, whom we have not seen yet."""
        if self.lease is not None:
            return self
        return View(Lease({}, Record(holder=UNSEEN)), now)


@dataclass(frozen=True, slots=True)
class Candidate:
    """Who we are, and how we stand."""

    identity: str
    lease_seconds: int
    renew_seconds: float
    claim: str = ""
    """The time that we entered when we tried to take the lease: it tells our own lease from that
    of another process that has our identity."""
    renewed_at: float | None = None
    """When the renewal that was last answered had been sent; None: we do not lead."""

    def owns(self, record: Record) -> bool:
        """Tell whether it is this very process that is entered as the holder."""
        return record.holder == self.identity and record.acquired == self.claim != ""

    def expires_at(self) -> float:
        """Give the time from which on we write no more."""
        return float("-inf") if self.renewed_at is None else self.renewed_at + self.renew_seconds


@dataclass(frozen=True, slots=True)
class Write:
    """Take the lease or renew it: enter a record, in the place of an older one if there is."""

    record: Record
    over: Lease | None


@dataclass(frozen=True, slots=True)
class Wait:
    """Leave it to its holder, for this time at the least."""

    seconds: float
    holder: str


@dataclass(frozen=True, slots=True)
class Lost:
    """Lead no more."""

    why: str


Action: TypeAlias = Write | Wait | Lost


def decide(view: View, me: Candidate, now: float, stamp: str) -> Action:
    """Compare what was seen with the elapsed time; `stamp` is the wall clock, for the record."""
    is_leading = me.renewed_at is not None
    if is_leading and now >= me.expires_at():
        return Lost("it was not renewed in time")
    over = view.lease if view.is_there else None
    if view.lease is None:
        return Write(Record(me.identity, me.lease_seconds, stamp, stamp, 0), over)
    record = view.lease.record
    if me.owns(record):
        return Write(replace(record, seconds=me.lease_seconds, renewed=stamp), over)
    if is_leading:
        return Lost(f"{record.holder!r} has it" if record.holder else "somebody released it")
    if record.holder:
        left = view.since + (record.seconds or me.lease_seconds) - now
        if left > 0:
            return Wait(left, record.holder)
    term = record.transitions + 1
    return Write(Record(me.identity, me.lease_seconds, stamp, stamp, term), over)


def released(record: Record, stamp: str) -> Record:
    """Give the record of a lease that nobody holds, as client-go leaves it behind."""
    return Record("", 1, stamp, stamp, record.transitions)
