"""Leader election by a Lease, as client-go does it: take it, renew it, and stop when it is lost."""

import asyncio
import logging
import random
from collections.abc import Callable, Coroutine
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any, Final

from kedge.aio.clock import Clock, SystemClock
from kedge.client import Client, ClientError, Request
from kedge.kube.errors import AlreadyExists, ApiError, Conflict, NotFound
from kedge.kube.foreign import cut
from kedge.kube.times import format_micro_time
from kedge.runtime.leaderguard import LeaderGuard, NotLeader
from kedge.runtime.leaderrules import Candidate, Lost, View, Wait, Write, decide, released
from kedge.runtime.leadersettings import LeaderSettings
from kedge.runtime.lease import Lease, Leases

__all__ = ["Leader", "LeaderSettings", "LeaseLost", "NotLeader"]

logger = logging.getLogger(__name__)

MOVED: Final = (AlreadyExists, Conflict, NotFound)
"""Somebody else was there in the meantime: look again at once."""
LOOKS: Final = 2
"""In one try; who is overtaken twice waits."""
SPREAD: Final = 0.2
"""The share by which a wait grows at random, so that candidates do not come all at once."""


class LeaseLost(Exception):
    """The leader is the leader no more: the process must stop, and may start anew."""


def _unreported(is_leading: bool) -> None:
    pass


class Leader:
    """A candidate, and the leader while `leading` is set.

    Put `guard` on every client that writes as the leader (`protect` does all that is to be done).
    """

    def __init__(
        self,
        leases: Leases,
        settings: LeaderSettings,
        clock: Clock | None = None,
        report: Callable[[bool], None] = _unreported,
        draw: Callable[[], float] = random.random,
    ) -> None:
        """Stand for election when it is run; `report` hears when we lead and when no more."""
        self.settings = settings
        self.leading = asyncio.Event()
        self._leases = leases
        self._clock = clock or SystemClock()
        self._report = report
        self._draw = draw
        self._guard = LeaderGuard(settings, self._clock)
        self._view = View()
        self._me = Candidate(
            settings.identity, settings.lease_seconds, float(settings.renew_seconds)
        )
        self._is_failing = False
        report(False)

    @property
    def holder(self) -> str:
        """Who was last seen to hold the lease; empty: nobody."""
        return self._view.lease.record.holder if self._view.lease else ""

    @property
    def term(self) -> int:
        """How often the lease had changed hands when we last saw it; each leader has its own."""
        return self._view.lease.record.transitions if self._view.lease else 0

    @property
    def is_leading(self) -> bool:
        """Whether this process holds the lease now, by its own clock."""
        return self._guard.holds

    def guard(self, request: Request) -> AbstractContextManager[float | None]:
        """Look at an attempt before it is sent; raises NotLeader for a write that must not be."""
        return self._guard(request)

    def protect(self, client: Client) -> None:
        """Guard a client that has not been used yet, down to its sockets."""
        self._guard.protect(client)

    async def led(self) -> None:
        """Wait until this process leads."""
        await self.leading.wait()

    async def run(self) -> None:
        """Take the lease when it is free and renew it; raises LeaseLost, and never takes it twice.

        It returns after `release`. Cancelled, it only ceases to renew.
        """
        while not self._is_over():
            after = await self._before_expiry(self._try())
            if not isinstance(after, Lost):
                await self._clock.sleep(self._at_most(after))
            elif not self._is_over():
                self._guard.close()
                self._lead(False)
                raise LeaseLost(f"lease {self._name} is lost: {after.why}")

    async def release(self) -> None:
        """Give the lease up, so that another can take it at once; never raises.

        To be called when nothing writes any more; writes are refused from now on. If one is without
        an answer, the lease is left to run out: it may still be done.
        """
        is_held = self._guard.holds
        self._guard.close()
        self._lead(False)
        if not is_held:
            return
        if not self._guard.is_settled:
            logger.info("the lease is left to run out, as a write has no answer", extra=self._facts)
            return
        try:
            await self._give_up()
        except (ApiError, ClientError) as exc:
            logger.warning("the lease was not released", extra=self._facts | _told(exc))

    def _is_over(self) -> bool:
        return self._guard.is_closed

    async def _try(self) -> float | Lost:
        """Look and act once; give the time to wait for the next try."""
        try:
            for look in range(LOOKS):
                # The leader knows the lease: it wrote it.
                if look or self._me.renewed_at is None:
                    await self._look()
                try:
                    return await self._act()
                except MOVED as exc:
                    overtaken = exc
                    if isinstance(exc, AlreadyExists):
                        self._view = self._view.overtaken(self._clock.monotonic())
        except (ApiError, ClientError) as exc:
            self._fail(exc)
        else:
            self._fail(overtaken)
        return self._retry()

    async def _look(self) -> None:
        lease = await self._leases.get()
        self._see(lease)

    async def _act(self) -> float | Lost:
        now = self._clock.monotonic()
        stamp = format_micro_time(self._clock.now())
        action = decide(self._view, self._me, now, stamp)
        match action:
            case Lost():
                return action
            case Wait(seconds, _):
                return min(seconds, self._retry())
            case Write(record, over):
                self._me = replace(self._me, claim=record.acquired)
                if over is None:
                    lease = await self._leases.create(record)
                else:
                    lease = await self._leases.replace(over, record)
                self._see(lease)
                self._renewed(lease, now)
                return self.settings.retry_seconds

    def _renewed(self, lease: Lease, sent_at: float) -> None:
        if not self._me.owns(lease.record):
            return  # Something between us and the store has rewritten it.
        if self._clock.monotonic() >= sent_at + self.settings.renew_seconds:
            return  # Too late to count on; the next try renews it.
        self._is_failing = False
        self._guard.renew(sent_at)
        self._me = replace(self._me, renewed_at=sent_at)
        if not self.leading.is_set() and not self._guard.is_closed:
            logger.info("this process leads", extra=self._facts | {"term": self.term})
            self._lead(True)

    def _see(self, lease: Lease | None) -> None:
        before = self.holder
        self._view = self._view.seen(lease, self._clock.monotonic())
        if self.holder != before and self.holder not in ("", self.settings.identity):
            logger.info("another process leads", extra=self._facts | {"holder": cut(self.holder)})

    async def _give_up(self) -> None:
        for _ in range(LOOKS):
            lease = self._view.lease
            if lease is None or not self._view.is_there or not self._me.owns(lease.record):
                return
            stamp = format_micro_time(self._clock.now())
            try:
                self._see(await self._leases.replace(lease, released(lease.record, stamp)))
            except MOVED:
                await self._look()
            else:
                logger.info("the lease was released", extra=self._facts)
                return

    async def _before_expiry(self, work: Coroutine[Any, Any, float | Lost]) -> float | Lost:
        """Do it, but give it up when writes are no longer allowed."""
        expires_at = self._guard.expires_at
        if expires_at is None:
            return await work
        async with asyncio.TaskGroup() as group:
            worker = group.create_task(work)
            left = max(0.0, expires_at - self._clock.monotonic())
            alarm = group.create_task(self._clock.sleep(left))
            await asyncio.wait((worker, alarm), return_when=asyncio.FIRST_COMPLETED)
            alarm.cancel()
            worker.cancel()
        return 0.0 if worker.cancelled() else worker.result()

    def _at_most(self, pause: float) -> float:
        """Wake up when writes are no longer allowed, at the latest."""
        expires_at = self._guard.expires_at
        if expires_at is None:
            return pause
        return max(0.0, min(pause, expires_at - self._clock.monotonic()))

    def _retry(self) -> float:
        return self.settings.retry_seconds * (1 + SPREAD * self._draw())

    def _lead(self, is_leading: bool) -> None:
        if is_leading == self.leading.is_set():
            return
        if is_leading:
            self.leading.set()
        else:
            self.leading.clear()
        self._report(is_leading)

    def _fail(self, exc: Exception) -> None:
        level = logging.DEBUG if self._is_failing else logging.WARNING
        self._is_failing = True
        logger.log(level, "the lease can not be reached", extra=self._facts | _told(exc))

    @property
    def _name(self) -> str:
        return f"{self.settings.namespace}/{self.settings.name}"

    @property
    def _facts(self) -> dict[str, Any]:
        return {"lease": self._name, "identity": self.settings.identity}


def _told(exc: Exception) -> dict[str, Any]:
    return {"error": cut(str(exc))}
