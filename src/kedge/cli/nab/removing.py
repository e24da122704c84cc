"""Objects of self-service that are deleted as kubectl does it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kedge.cli.selection import Found, Wanted, find_objects

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.kind import Kind, Object


async def remove(client: Client, kind: Kind[Object], wanted: Wanted, wait: bool) -> Found:
    """Delete what is wanted, and give what there was of it."""
    from kedge.cli import removal

    found = await find_objects(client, kind, wanted)
    asked = await removal.remove(
        client, kind, found, lambda name: f'{kind.name} "{name}" is being deleted.\n'
    )
    for one in asked if wait else ():
        await removal.await_end(client, kind, one)
    return found
