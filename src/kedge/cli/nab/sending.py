"""A request is made in the namespace of its user, sent, and waited for if that is wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kedge.cli.connection import given_namespace, namespace
from kedge.cli.errors import Failure
from kedge.cli.nab.request import Asking
from kedge.cli.output import write

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.kind import Kind, Object


def made(kind: Kind[Object], name: str, spec: Object, given: dict[str, Any]) -> Object:
    """Make an object with the labels and annotations that are given.

    It has a namespace only where one is said: to print it no cluster is needed.
    """
    meta: Object = {"name": name}
    if given_namespace():
        meta["namespace"] = namespace()
    meta |= {field: given[field] for field in ("labels", "annotations") if given.get(field)}
    return {"apiVersion": kind.api_version, "kind": kind.name, "metadata": meta, "spec": spec}


async def sent(client: Client, kind: Kind[Object], obj: Object) -> Object:
    """Send an object; raises Failure where the namespace or the kind is not there."""
    from kedge.cli.selection import is_object, missing
    from kedge.kube.errors import NotFound

    try:
        created = await client.create(kind, obj, namespace())
    except NotFound as exc:
        # A namespace that is not there is an object, and told as such.
        raise Failure(exc.message if is_object(exc) else missing(kind, exc)) from exc
    except ValueError as exc:
        raise Failure(str(exc)) from exc
    write(f'{kind.name} "{created["metadata"]["name"]}" created successfully.\n')
    return created


async def awaited(client: Client, asking: Asking, obj: Object, wait: bool) -> Object | None:
    """Send a request; with `wait` give it as it is when it is over."""
    from kedge.cli.nab.waiting import wait_for

    created = await sent(client, asking.kind, obj)
    if wait:
        return await wait_for(client, asking, created)
    name = created["metadata"]["name"]
    write(f"Run `kedge {asking.command} describe {name}` to see what happens next.\n")
    return None
