"""A request is made in the namespace of its user, sent, and waited for if that is wanted."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from kedge.cli.connection import given_namespace, namespace
from kedge.cli.nab.request import Asking
from kedge.cli.output import say, write

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.kind import Kind, Object


def made(kind: Kind[Object], name: str, spec: Object, given: dict[str, Any]) -> Object:
    """Make an object with the labels and annotations that are given.

    It has a namespace only where one is said: to print it no cluster is needed.
    """
    from kedge.cli.sending import new_object

    return new_object(kind, name, namespace() if given_namespace() else "", spec, given)


async def sent(client: Client, kind: Kind[Object], obj: Object) -> Object:
    """Send an object; raises Failure where the namespace or the kind is not there."""
    from kedge.cli.sending import create_one

    created = await create_one(client, kind, obj)
    write(f'{kind.name} "{created["metadata"]["name"]}" created successfully.\n')
    return created


async def check_there(client: Client, kind: Kind[Object], name: str) -> None:
    """Fail where an object that is named is not there: the request could not be met."""
    from kedge.cli.selection import read_one
    from kedge.kube.errors import Forbidden

    with suppress(Forbidden):  # the server knows
        await read_one(client, kind, name)


async def awaited(client: Client, asking: Asking, obj: Object, wait: bool) -> Object | None:
    """Send a request; with `wait` give it as it is when it is over."""
    from kedge.cli.nab.waiting import wait_for

    created = await sent(client, asking.kind, obj)
    if wait:
        return await wait_for(client, asking, created)
    name = created["metadata"]["name"]
    say(f"Run `kedge {asking.command} describe {name}` to see what happens next.\n")
    return None
