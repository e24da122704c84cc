"""Objects that are deleted as kubectl does it, and waited for if that is wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kedge.cli.output import write
from kedge.cli.selection import find_objects

if TYPE_CHECKING:
    from collections.abc import Callable

    from kedge.cli.selection import Found, Wanted
    from kedge.client import Client
    from kedge.kube.kind import Kind, Object


async def remove_wanted(
    client: Client,
    kind: Kind[Object],
    wanted: Wanted,
    words: Callable[[str], str],
    *,
    wait: bool = False,
) -> Found:
    """Delete what is wanted, and give what there was of it."""
    found = await find_objects(client, kind, wanted)
    gone = await remove(client, kind, found, words)
    for one in gone if wait else ():
        await await_end(client, kind, one)
    return found


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
    from kedge.cli.hints import explained
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
        return explained(exc)
    return ""


async def await_end(client: Client, kind: Kind[Object], obj: Object) -> None:
    """Wait until an object is not there any more, and say so."""
    from kedge.cli.following import until_gone

    await until_gone(client, kind, obj, lambda one: True if one is None else None)
    write(f'{kind.name} "{obj["metadata"]["name"]}" deleted successfully.\n')
