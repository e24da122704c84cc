"""Draws a report again and again: when something changes, and as time goes by."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Final

from kedge.cli.connection import namespace
from kedge.cli.output import write
from kedge.cli.program import program
from kedge.cli.screen import visible

if TYPE_CHECKING:
    from kedge.cli.status.report import Report
    from kedge.client import Client
    from kedge.kube.kind import Kind, Object

TOP: Final = "\x1b[H\x1b[2J"
CALM_SECONDS: Final = 2.0
"""Between two drawings, however much changes."""
TICK_SECONDS: Final = 30.0
"""After which it is drawn anew even if nothing changes: times are told from the present."""


async def redraw(client: Client, look: Callable[[Client], Awaitable[Report]]) -> None:
    """Draw until it is interrupted."""
    from kedge.aio.background import background
    from kedge.cli.status.kinds import AT_HOME, EVERYWHERE

    changed = asyncio.Event()
    followed = [_follow(client, kind, namespace(), changed) for kind in AT_HOME]
    followed += [_follow(client, kind, None, changed) for kind in EVERYWHERE]
    async with background(*followed):
        while True:
            changed.clear()
            write(TOP + await _picture(client, look))
            await client.clock.sleep(CALM_SECONDS)
            await _wait(client, changed)


async def _picture(client: Client, look: Callable[[Client], Awaitable[Report]]) -> str:
    """Draw what is seen, or why nothing is: a server may be away for a while."""
    from kedge.cli.status.drawing import drawn
    from kedge.client import ClientError

    try:
        return drawn(await look(client), program())
    except ClientError as exc:
        return f"{visible(str(exc))}; looking again\n"


async def _wait(client: Client, changed: asyncio.Event) -> None:
    from kedge.aio.background import background

    async def tick() -> None:
        await client.clock.sleep(TICK_SECONDS - CALM_SECONDS)
        changed.set()

    async with background(tick()):
        await changed.wait()


async def _follow(
    client: Client, kind: Kind[Object], place: str | None, changed: asyncio.Event
) -> None:
    """Tell of each change of a kind; of those that may not be seen, nothing."""
    from kedge.cli.following import states
    from kedge.client import ClientError, Selection
    from kedge.kube.errors import ApiError

    try:
        async with aclosing(states(client, kind, Selection(place))) as following:
            async for _ in following:
                changed.set()
    except (ApiError, ClientError):
        return
