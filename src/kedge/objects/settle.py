"""Work that can not be left half done: a cancelled caller waits for its end."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")


async def settled(
    work: Awaitable[T],
    undo: Callable[[T], object] | None = None,
    patience_seconds: float | None = None,
) -> T:
    """Wait for the end of some work, also when cancelled, and only then be cancelled.

    What the work gave is undone if nobody gets it. After a cancellation it may take this long,
    and is cancelled, too, then; None waits for ever, for what no one can cancel.
    """
    future = asyncio.ensure_future(work)
    cancelled = False
    while not future.done():
        try:
            await asyncio.wait((future,), timeout=patience_seconds if cancelled else None)
            if cancelled:
                future.cancel()
        except asyncio.CancelledError:
            cancelled = True
    if not cancelled:
        return future.result()
    # Its error, if there is one, is looked at, so that asyncio need not tell that nobody did.
    if not future.cancelled() and future.exception() is None and undo is not None:
        undo(future.result())
    raise asyncio.CancelledError


async def in_thread(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Do blocking work in a thread; it has ended when this returns or raises."""
    return await settled(asyncio.to_thread(work, *args, **kwargs))
