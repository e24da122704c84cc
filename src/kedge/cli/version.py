"""`kedge version`: which version this is, and which one the server is."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import click

from kedge import __version__
from kedge.cli.connection import connection_options, namespace, on_cluster
from kedge.cli.errors import Failure
from kedge.cli.flags import FlagCommand, duration_option, switch
from kedge.cli.objects import part
from kedge.cli.output import write

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.kind import Object

OURS: Final = "kedge.dev/"
"""What the names of plugins begin with that only our servers have."""


ALIVE_SECONDS: Final = 3.0
"""A server that runs answers sooner than that."""


class Silence(Failure):
    """Nobody has answered."""


class Homeless(Failure):
    """There is no namespace in which somebody could answer."""


@click.command("version", cls=FlagCommand)
@switch("--client-only", help="Do not ask the server.")
@duration_option(
    "--timeout", default="5s", show_default=True, help="How long to wait for the server."
)
@connection_options
def version(client_only: bool, timeout: str) -> None:
    """Print the version of this command and of the server."""
    from kedge.kube.durations import duration_of

    write(f"Client:\n\tVersion: v{__version__}\n\tGit commit: {_commit()}\n")
    if client_only:
        return
    seconds = duration_of(timeout).total_seconds()
    try:
        server = on_cluster(lambda client: ask(client, seconds))
    except Failure as exc:
        write(f"<error getting server version: {exc.message}>\n")
        return
    write(f"Server:\n\tVersion: {server.get('serverVersion') or ''}\n")
    write(mismatch(__version__, server))


def mismatch(mine: str, server: Mapping[str, Any]) -> str:
    """Warn of versions that do not fit; nothing if they do, or if that can not be told."""
    plugins = [str(one.get("name")) for one in server.get("plugins") or ()]
    if not any(name.startswith(OURS) for name in plugins):
        return ""  # a Velero, whose numbers are others
    ours, theirs = _minor(mine), _minor(str(server.get("serverVersion") or ""))
    if ours is None or theirs is None or ours == theirs:
        return ""
    older = "client" if ours < theirs else "server"
    return (
        f"# WARNING: the client version does not match the server version. Please update {older}\n"
    )


def _minor(text: str) -> tuple[int, int] | None:
    found = re.match(r"v?(\d+)\.(\d+)", text)
    return (int(found[1]), int(found[2])) if found else None


def _commit() -> str:
    """Give the commit that was installed, where the installer has written it down."""
    import json
    from importlib.metadata import PackageNotFoundError, distribution

    try:
        told = json.loads(distribution("kedge").read_text("direct_url.json") or "{}")
        return str(told["vcs_info"]["commit_id"])
    except (PackageNotFoundError, ValueError, KeyError, TypeError):
        return "unknown"


async def ask(client: Client, seconds: float) -> Mapping[str, Any]:
    """Ask the server who it is; raises Silence, Homeless, or another Failure."""
    import asyncio

    from kedge.api.velero.server_status import SERVER_STATUS_REQUEST
    from kedge.cli.following import until
    from kedge.cli.hints import explained
    from kedge.cli.selection import is_object, missing
    from kedge.kube.errors import NotFound

    kind, place, name = SERVER_STATUS_REQUEST.into(dict), namespace(), ""
    try:
        async with asyncio.timeout(seconds):
            request = {"metadata": {"generateName": "velero-cli-"}, "spec": {}}
            made = await client.create(kind, request, place)
            name = made["metadata"]["name"]
            return await until(client, kind, made, lambda one: _answer(one, name))
    except TimeoutError:
        await _take_back(client, name)
        raise Silence(f"no server answered within {seconds:g} s") from None
    except NotFound as exc:
        if is_object(exc):  # nothing was named but the namespace
            raise Homeless(explained(exc)) from exc
        raise Failure(missing(kind, exc)) from exc


def _answer(request: Object | None, name: str) -> Mapping[str, Any] | None:
    if request is None:
        raise Failure(f'ServerStatusRequest "{name}" was deleted')
    is_answered = part(request, "status", "phase") == "Processed"
    return request["status"] if is_answered else None


async def _take_back(client: Client, name: str) -> None:
    """Delete a request that nobody has answered: a server deletes the others."""
    from contextlib import suppress

    from kedge.api.velero.server_status import SERVER_STATUS_REQUEST
    from kedge.client import ClientError
    from kedge.kube.errors import ApiError

    with suppress(ApiError, ClientError):
        if name:
            await client.delete(SERVER_STATUS_REQUEST, name, namespace())
