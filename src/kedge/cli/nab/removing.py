"""Objects that are deleted as kubectl does it, and waited for if that is wanted."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

from kedge.cli.output import write
from kedge.cli.selection import Found, Wanted, find_objects

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.kind import Kind, Object


async def remove(client: Client, kind: Kind[Object], wanted: Wanted, wait: bool) -> Found:
    """Delete what is wanted, and give what there was of it."""
    from kedge.client import ClientError, Deletion
    from kedge.kube.errors import ApiError, NotFound

    found = await find_objects(client, kind, wanted)
    asked = []
    for one in found.objects:
        meta = one["metadata"]
        try:
            # By its uid: one that has the name by now is another, and nobody asked for its end.
            deletion = Deletion(uid=meta.get("uid", ""))
            await client.delete(kind, meta["name"], meta["namespace"], deletion)
        except NotFound:
            pass  # somebody was faster
        except (ApiError, ClientError) as exc:
            found.problems.append(str(exc))
            continue
        asked.append(one)
        write(f'{kind.name} "{meta["name"]}" is being deleted.\n')
    for one in asked if wait else ():
        await _gone(client, kind, one)
    return found


async def _gone(client: Client, kind: Kind[Object], obj: Object) -> None:
    """Wait until an object is not there any more."""
    from kedge.cli.following import states
    from kedge.client import Selection

    meta = obj["metadata"]
    chosen = Selection(meta["namespace"], fields=f"metadata.name={meta['name']}")
    async with aclosing(states(client, kind, chosen)) as following:
        async for found in following:
            one = found.get(meta["name"])
            if one is None or one["metadata"].get("uid") != meta.get("uid"):
                write(f'{kind.name} "{meta["name"]}" deleted successfully.\n')
                return
