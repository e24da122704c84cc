"""Objects that are deleted as kubectl does it, and waited for if that is wanted."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

from kedge.cli.output import write

if TYPE_CHECKING:
    from collections.abc import Callable

    from kedge.cli.selection import Found
    from kedge.client import Client
    from kedge.kube.kind import Kind, Object


async def remove(
    client: Client, kind: Kind[Object], found: Found, words: Callable[[str], str]
) -> list[Object]:
    """Delete what was found, and say so of each; give those of which nothing went wrong."""
    gone = []
    for one in found.objects:
        if problem := await remove_one(client, kind, one):
            found.problems.append(problem)
            continue
        gone.append(one)
        write(words(one["metadata"]["name"]))
    return gone


async def remove_one(client: Client, kind: Kind[Object], obj: Object) -> str:
    """Delete an object; give what went wrong, if anything."""
    from kedge.client import ClientError, Deletion
    from kedge.kube.errors import ApiError, NotFound

    meta = obj["metadata"]
    try:
        # By its uid: one that has the name by now is another, and nobody asked for its end.
        deletion = Deletion(uid=meta.get("uid", ""))
        await client.delete(kind, meta["name"], meta["namespace"], deletion)
    except NotFound:
        return ""  # somebody was faster
    except (ApiError, ClientError) as exc:
        return str(exc)
    return ""


async def await_end(client: Client, kind: Kind[Object], obj: Object) -> None:
    """Wait until an object is not there any more, and say so."""
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
