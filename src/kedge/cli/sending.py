"""An object is made, sent to the server, and waited for if that is wanted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from kedge.cli.connection import namespace
from kedge.cli.errors import Failure
from kedge.cli.output import say, write
from kedge.cli.selection import is_object, missing

if TYPE_CHECKING:
    from kedge.cli.waiting import Work
    from kedge.client import Client
    from kedge.kube.kind import Kind, Object


def new_object(
    kind: Kind[Object], name: str, place: str, spec: Object, given: Mapping[str, Any]
) -> Object:
    """Make an object with the labels and annotations that are given; it may be in no place yet."""
    meta: Object = {"name": name} | ({"namespace": place} if place else {})
    meta |= {field: given[field] for field in ("labels", "annotations") if given.get(field)}
    return {"apiVersion": kind.api_version, "kind": kind.name, "metadata": meta, "spec": spec}


async def create_one(
    client: Client, kind: Kind[Object], obj: Object, place: str | None = None
) -> Object:
    """Create an object; raises Failure where the namespace or the kind is not there."""
    from kedge.cli.hints import explained
    from kedge.kube.errors import NotFound

    try:
        return await client.create(kind, obj, place or namespace())
    except NotFound as exc:
        # A namespace that is not there is an object, and told as such.
        raise Failure(explained(exc) if is_object(exc) else missing(kind, exc)) from exc
    except ValueError as exc:
        raise Failure(str(exc)) from exc


async def submit(client: Client, work: Work, obj: Object, wait: bool) -> Object | None:
    """Send a Backup or a Restore; with `wait` give it as it is when it is over."""
    from kedge.cli.waiting import wait_for

    sent = await create_one(client, work.kind, obj)
    name, noun = sent["metadata"]["name"], work.noun
    write(f'{noun.capitalize()} request "{name}" submitted successfully.\n')
    if wait:
        return await wait_for(client, work, sent)
    say(f"Run `kedge {noun} describe {name}` or `kedge {noun} logs {name}` for more details.\n")
    return None
