"""Which cluster and which namespace a command speaks to, and the way there.

It is loaded at every start: what it needs beyond its options is imported when that is used.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Coroutine, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

from kedge.cli.flags import tristate

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.client.where import Access

T = TypeVar("T")
Callback = TypeVar("Callback", bound="Callable[..., Any] | click.Command")

NAMESPACE = "velero"
"""Where Velero's objects live unless told otherwise."""
_OF_CONTEXT = "kedge.of_context"
"""Where a command keeps that its objects are not Velero's, but those of any namespace."""
_FOUND = "kedge.access"
_ATTEMPTS = 2
"""A person waits: whether there is a server is known soon."""


def _place_of(option: str) -> str:
    """Give the place of an option in a click context; texts that name commands look there, too."""
    from kedge.cli.program import CONNECTION

    return CONNECTION + option


def _remember(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    """Keep a value for this command and those below it; the innermost counts."""
    if value is not None:
        ctx.meta[_place_of(str(param.name))] = value


def _remember_colour(ctx: click.Context, param: click.Parameter, value: bool | None) -> None:
    if value is not None:
        from kedge.cli.screen import COLOUR

        ctx.meta[COLOUR] = value


def _named(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    if value == "":
        raise click.BadParameter("it is empty; leave it out, or name a namespace")
    _remember(ctx, param, value)


def _named_in_context(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
    ctx.meta[_OF_CONTEXT] = True
    _named(ctx, param, value)


_OPTIONS = (
    click.option(
        "-n",
        "--namespace",
        metavar="NAME",
        callback=_named,
        expose_value=False,
        help="Namespace that Velero's objects are in.  [default: velero]",
    ),
    click.option(
        "--kubeconfig",
        metavar="FILE",
        type=click.Path(dir_okay=False),
        callback=_remember,
        expose_value=False,
        help="Kubeconfig to use; without it as kubectl finds one.",
    ),
    click.option(
        "--kubecontext",
        metavar="NAME",
        callback=_remember,
        expose_value=False,
        help="Context of the kubeconfig to use.",
    ),
    tristate(
        "--colorized",
        takes_word=True,
        callback=_remember_colour,
        expose_value=False,
        help="Colour, or none.  [default: on a terminal]",
    ),
)


_IN_CONTEXT = (
    click.option(
        "-n",
        "--namespace",
        metavar="NAME",
        callback=_named_in_context,
        expose_value=False,
        help="Namespace of the objects.  [default: that of the kubeconfig's context]",
    ),
    *_OPTIONS[1:],
)


def connection_options(command: Callback) -> Callback:
    """Add the options that say where the cluster is."""
    return _added(_OPTIONS, command)


def context_options(command: Callback) -> Callback:
    """Add the same options to a command for objects of any namespace, as kubectl has it."""
    return _added(_IN_CONTEXT, command)


def _added(options: Sequence[Callable[[Any], Any]], command: Callback) -> Callback:
    # click keeps what decorates a function in reverse.
    is_command = isinstance(command, click.Command)
    for option in options if is_command else reversed(options):
        command = option(command)
    return command


def given_options(ctx: click.Context) -> list[str]:
    """List the options of the connection that were given until now."""
    prefix = _place_of("")
    return [f"--{key.removeprefix(prefix)}" for key in ctx.meta if key.startswith(prefix)]


def given_namespace() -> str:
    """Give the namespace of the option, empty if there is none."""
    return str(click.get_current_context().meta.get(_place_of("namespace")) or "")


def given_kubeconfig() -> str:
    """Give the kubeconfig that is named, empty if none is."""
    named = click.get_current_context().meta.get(_place_of("kubeconfig"))
    return str(named or os.environ.get("KEDGE_KUBECONFIG") or "")


def namespace() -> str:
    """Give the namespace that is asked for."""
    found = given_namespace()
    if not found and click.get_current_context().meta.get(_OF_CONTEXT):
        found = access().namespace
    found = found or usual_namespace()
    from kedge.cli.errors import Misuse
    from kedge.kube.names import dns_label

    problems = dns_label(found)
    if problems:
        raise Misuse(f'"{found}" is no name of a namespace: {problems[0]}')
    return found


def usual_namespace() -> str:
    """Give the namespace of Velero's objects that needs not be named."""
    return os.environ.get("KEDGE_NAMESPACE") or os.environ.get("VELERO_NAMESPACE") or NAMESPACE


def on_cluster(work: Callable[[Client], Coroutine[Any, Any, T]]) -> T:
    """Do something with the cluster that is asked for; what goes wrong there is a Failure."""
    import asyncio

    from kedge.cli.errors import Failure
    from kedge.cli.hints import explained
    from kedge.client.errors import ClientError
    from kedge.kube.errors import ApiError

    try:
        return asyncio.run(_connected(work))
    except (ApiError, ClientError) as exc:
        raise Failure(explained(exc)) from exc
    except UnicodeEncodeError as exc:
        raise Failure("an argument is not text in UTF-8; write it anew") from exc


async def _connected(work: Callable[[Client], Coroutine[Any, Any, T]]) -> T:
    from kedge.client import Client, ClientSettings
    from kedge.client.retry import Retrying

    settings = ClientSettings(manager="kedge-cli", retrying=Retrying(attempts=_ATTEMPTS))
    async with Client(access(), settings) as client:
        return await work(client)


def access() -> Access:
    """Find the cluster, once; raises Failure."""
    from pathlib import Path

    from kedge.aio.clock import SystemClock
    from kedge.cli.errors import Failure
    from kedge.cli.hints import explained
    from kedge.client.where import Access, ConfigError, find

    meta, environ = click.get_current_context().meta, os.environ
    found = meta.get(_FOUND)
    if not isinstance(found, Access):
        context = meta.get(_place_of("kubecontext")) or environ.get("KEDGE_KUBECONTEXT") or None
        path = Path(given_kubeconfig()) if given_kubeconfig() else None
        try:
            found = find(path, context=context, environ=environ, clock=SystemClock())
        except ConfigError as exc:
            raise Failure(explained(exc)) from exc
        meta[_FOUND] = found
    return found
