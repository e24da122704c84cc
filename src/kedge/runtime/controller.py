"""Workers: take a key, reconcile it, and have it come again as its result says."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Protocol

from kedge.aio.clock import Clock
from kedge.aio.turn import turn
from kedge.client.errors import ClientError
from kedge.kube.errors import ApiError, Conflict, NotFound
from kedge.kube.foreign import cut
from kedge.runtime.context import reconciling
from kedge.runtime.key import Key
from kedge.runtime.queue import Closed, Queue

logger = logging.getLogger(__name__)

AGAIN_SECONDS: Final = 0.05
"""A reconcile that does not end when it is cancelled is cancelled again after this time."""


@dataclass(frozen=True, slots=True)
class Result:
    """When to look at the object again if nothing changes."""

    wake: datetime | None = None
    """At this instant of the wall clock."""
    after_seconds: float | None = None
    """After this time; of both, the earlier counts."""


AWAIT_CHANGE: Final = Result()
"""Do not look again until something changes."""

Reconcile = Callable[[Key], Awaitable[Result]]
"""Brings one object up to date. A return is fine; Terminal is not tried again; all else is."""


class Terminal(Exception):
    """The reconcile failed, and will do so until something changes."""


class ReconcileMetrics(Protocol):
    """Hears of each reconcile."""

    def started(self) -> None:
        """Take note of a worker that has begun."""

    def ended(self, result: str, seconds: float) -> None:
        """Take note of the end: success, requeue_after, requeue, error or terminal."""


class _NoMetrics:
    def started(self) -> None: ...

    def ended(self, result: str, seconds: float) -> None: ...


class Controller:
    """Reconciles the keys of a queue, some at once, but no key twice at the same time."""

    def __init__(
        self,
        name: str,
        reconcile: Reconcile,
        queue: Queue,
        clock: Clock,
        workers: int = 1,
        metrics: ReconcileMetrics | None = None,
    ) -> None:
        """Stand still until `run`."""
        if workers < 1:
            raise ValueError(f"the controller {name!r} needs at least one worker")
        self.name = name
        self.queue = queue
        self.workers = workers
        self._reconcile = reconcile
        self._clock = clock
        self._metrics: ReconcileMetrics = metrics or _NoMetrics()

    async def run(self) -> None:
        """Work until the queue is closed; what is under way then is brought to its end."""
        async with asyncio.TaskGroup() as group:
            for _ in range(self.workers):
                group.create_task(self._work())

    async def _work(self) -> None:
        while True:
            try:
                key = await self.queue.get()
            except Closed:
                return
            try:
                await self._alone(key)
            finally:
                self.queue.done(key)
            # A reconcile that waits for nothing must not keep the lease from being renewed.
            await turn()

    async def _alone(self, key: Key) -> None:
        """Handle a key in a task of its own.

        A group of tasks within, some of which fail, hides that it was cancelled, or leaves its
        task behind as if it had been.
        """
        async with asyncio.TaskGroup() as group:
            handling = group.create_task(self._handle(key))
            try:
                await asyncio.wait({handling})
            except asyncio.CancelledError:
                await _end(handling)
                raise
        if handling.cancelled():
            self.queue.add_failed(key)

    async def _handle(self, key: Key) -> None:
        started = self._clock.monotonic()
        self._metrics.started()
        outcome = "error"
        try:
            with reconciling(self.name, str(key)):
                outcome = await self._try(key)
        finally:
            self._metrics.ended(outcome, self._clock.monotonic() - started)

    async def _try(self, key: Key) -> str:
        try:
            return self._look_again(key, await self._reconcile(key))
        except (Conflict, NotFound) as exc:
            # Somebody else was faster: the cache will tell.
            delay = self.queue.add_failed(key)
            logger.debug("reconcile again", extra={"error": cut(str(exc)), "after_seconds": delay})
            return "requeue"
        except Terminal as exc:
            self.queue.forget(key)
            logger.log(
                logging.ERROR, "the reconcile failed for good", extra={"error": cut(str(exc))}
            )
            return "terminal"
        except (ApiError, ClientError) as exc:
            delay = self.queue.add_failed(key)
            logger.warning(
                "the reconcile failed",
                extra={"error": cut(str(exc)), "retry_seconds": round(delay, 3)},
            )
            return "error"
        except Exception:
            delay = self.queue.add_failed(key)
            logger.exception("the reconcile failed", extra={"retry_seconds": round(delay, 3)})
            return "error"
        except asyncio.CancelledError:
            if _is_cancelled():
                raise
            # Something that the reconcile waited for was cancelled: the worker was not.
            delay = self.queue.add_failed(key)
            logger.exception("the reconcile failed", extra={"retry_seconds": round(delay, 3)})
            return "error"

    def _look_again(self, key: Key, result: Result) -> str:
        if result.after_seconds is not None:
            self.queue.add_after(key, result.after_seconds)
        if result.wake is not None:
            self.queue.add_at(key, result.wake)
        self.queue.forget(key)
        return "success" if result == AWAIT_CHANGE else "requeue_after"


async def _end(task: "asyncio.Task[None]") -> None:
    """Cancel a task until it ends: once may not be enough, as a group in it may hide it."""
    while not task.done():
        task.cancel()
        try:
            await asyncio.wait({task}, timeout=AGAIN_SECONDS)
        except asyncio.CancelledError:
            continue  # to be told twice changes nothing


def _is_cancelled() -> bool:
    """Tell whether it is this task that somebody wants to end."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0
