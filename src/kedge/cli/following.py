"""Objects that are followed with a watch, until whoever asks has seen enough."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from kedge.client import Client, Selection
    from kedge.client.lines import Item
    from kedge.kube.kind import Kind, Object

T = TypeVar("T")

WATCH_SECONDS: Final = 290
"""A watch ends after this time: within the five minutes of many load balancers."""
PAUSE_SECONDS: Final = 0.5
"""Between the end of a watch and the next look."""
PATIENCE_SECONDS: Final = 60.0
"""How long a server that was there may be away."""
STILL_THERE: Final = "it is still there: see whether the server runs, or ask the administrator"


async def states(
    client: Client, kind: Kind[Object], selection: Selection
) -> AsyncGenerator[dict[str, Object], None]:
    """Give all that is selected, by name: as it is now, and after each change.

    A server that goes away for a while is waited for. Where watches are not allowed, it looks
    again and again. Whoever stops closes it (`contextlib.aclosing`).
    """
    from kedge.client import ClientError, Following
    from kedge.kube.errors import ApiError

    clock = client.clock
    seen_at: float | None = None
    while True:
        try:
            page = await client.page(kind, selection, size=0)
        except (ClientError, ApiError) as exc:
            if seen_at is None or not _passes(exc):
                raise
            if clock.monotonic() - seen_at > PATIENCE_SECONDS:
                raise
            await clock.sleep(PAUSE_SECONDS)
            continue
        known = {one["metadata"]["name"]: one for one in page.items}
        yield known
        try:
            following = Following(page.version, WATCH_SECONDS)
            async with client.watch(kind, selection, following) as watch:
                while batch := await watch.batch():
                    known = _after(known, batch)
                    yield known
        except (ClientError, ApiError):
            pass  # the next look finds out whether it was more than the end of a watch
        seen_at = clock.monotonic()
        await clock.sleep(PAUSE_SECONDS)


async def until(
    client: Client, kind: Kind[Object], made: Object, look: Callable[[Object | None], T | None]
) -> T:
    """Show an object to `look` as it is now and after each change, until that gives an answer.

    It gets None once the object is not there any more: another one of its name is not it.
    """
    from kedge.client import Selection

    meta = made["metadata"]
    chosen = Selection(meta["namespace"], fields=f"metadata.name={meta['name']}")
    async with aclosing(states(client, kind, chosen)) as following:
        async for found in following:
            one = found.get(meta["name"])
            is_it = one is not None and one["metadata"].get("uid") == meta.get("uid")
            answer = look(one if is_it else None)
            if answer is not None:
                return answer
    raise AssertionError("following has no end")


async def until_gone(
    client: Client, kind: Kind[Object], made: Object, look: Callable[[Object | None], T | None]
) -> T:
    """Do the same for an object that is to go, and say so if nobody begins with that."""
    from kedge.cli.meter import Silent, Wonder, beside
    from kedge.cli.objects import part

    display = Wonder(client.clock, Silent(client.clock), STILL_THERE)

    def seen(one: Object | None) -> T | None:
        is_begun = one is None or part(one, "status", "phase") == "Deleting"
        display.show({"status": {"phase": "Deleting"}} if is_begun else {})
        return look(one)

    return await beside(display, until(client, kind, made, seen))


def _passes(exc: Exception) -> bool:
    """Tell whether trying again may help."""
    from kedge.kube.errors import ApiError

    server_fault, too_many = 500, 429
    return not isinstance(exc, ApiError) or exc.code >= server_fault or exc.code == too_many


def _after(known: dict[str, Object], batch: Sequence[Item[Object]]) -> dict[str, Object]:
    from kedge.client import Disconnected
    from kedge.client.decoders import Event
    from kedge.kube.watch import BOOKMARK, DELETED

    changed = dict(known)
    for item in batch:
        if not isinstance(item, Event):
            raise Disconnected("the watch has failed")
        if item.type == BOOKMARK:
            continue
        name = item.object["metadata"]["name"]
        changed.pop(name, None)
        if item.type != DELETED:
            changed[name] = item.object
    return changed
