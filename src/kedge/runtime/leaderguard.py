"""Refuses writes of a process that does not hold the lease, by its own clock, right now.

Another may begin `lease_seconds` after our last renewal. So writes begin for `renew_seconds` after
it and no longer, no byte is sent after that either, and what is under way is given up before the
rest has passed: by us, by the system, which drops what is not acknowledged, and by the server.
"""

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Final

from kedge.aio.clock import Clock
from kedge.client import Client, Request, Unreachable
from kedge.client.http import FREELY
from kedge.runtime.leadersettings import LeaderSettings

SPARE: Final = 0.25
"""The part of the margin by which what is under way ends before another may begin."""


class NotLeader(Exception):
    """A write was not sent, as this process does not hold the lease."""


class LeaderGuard:
    """Knows until when this process may write."""

    def __init__(self, settings: LeaderSettings, clock: Clock) -> None:
        """Refuse all writes, for now."""
        self._clock = clock
        self._name = f"{settings.namespace}/{settings.name}"
        self._renew_seconds = settings.renew_seconds
        self._margin_seconds = settings.margin_seconds
        self._end_seconds = settings.lease_seconds - SPARE * settings.margin_seconds
        self._renewed_at: float | None = None
        self._under_way = 0
        self._unsettled_until = float("-inf")
        self.is_closed = False

    def protect(self, client: Client) -> None:
        """Guard the writes of a client, which must not have been used before."""
        transport = client.transport
        transport.guard = self
        transport.fuse = self.may_send
        transport.unacknowledged_seconds = min(
            transport.unacknowledged_seconds, self._margin_seconds
        )

    def renew(self, sent_at: float) -> None:
        """Let writes pass from the time at which a renewal was sent that has been answered."""
        self._renewed_at = sent_at

    def close(self) -> None:
        """Refuse all that is to be sent from now on."""
        self.is_closed = True

    @property
    def expires_at(self) -> float | None:
        """The time from which on writes are refused; None: they have never been allowed."""
        return None if self._renewed_at is None else self._renewed_at + self._renew_seconds

    @property
    def holds(self) -> bool:
        """Whether this process may write now."""
        if self.is_closed or self._renewed_at is None:
            return False
        return self._clock.monotonic() < self._renewed_at + self._renew_seconds

    @property
    def is_settled(self) -> bool:
        """Whether all writes have been answered, or can not be done any more."""
        return not self._under_way and self._clock.monotonic() >= self._unsettled_until

    def may_send(self) -> bool:
        """Tell whether bytes may be sent: nothing at all is, once the lease was had and lost."""
        return self.holds or (self._renewed_at is None and not self.is_closed)

    def __call__(self, request: Request) -> AbstractContextManager[float | None]:
        """Look at an attempt before it is sent; raises NotLeader."""
        return self._permit(request) if request.is_write else FREELY

    @contextmanager
    def _permit(self, request: Request) -> Iterator[float]:
        now = self._clock.monotonic()
        if not self.holds or self._renewed_at is None:
            what = f"{request.method} {request.path}"
            raise NotLeader(f"{what} was not sent: this process does not hold lease {self._name}")
        end = self._renewed_at + self._end_seconds
        self._under_way += 1
        is_settled = False
        try:
            yield end - now
            is_settled = True
        except Unreachable:
            is_settled = True
            raise
        finally:
            self._under_way -= 1
            if not is_settled:
                self._unsettled_until = max(self._unsettled_until, end)
