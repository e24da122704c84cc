"""The log of a backup or a restore that is over, on stdout."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kedge.cli.connection import namespace
from kedge.cli.download import Fetching, FileAbsent, Files
from kedge.cli.errors import Failure
from kedge.cli.objects import part
from kedge.cli.selection import bare, is_object, missing
from kedge.cli.stream import print_bytes
from kedge.cli.waiting import REFUSED
from kedge.kube.errors import NotFound

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.kind import Kind, Object

LOGGED: Final = frozenset(
    {
        "Completed",
        "PartiallyFailed",
        "Failed",
        "WaitingForPluginOperations",
        "WaitingForPluginOperationsPartiallyFailed",
    }
)
"""Phases in which there is a log."""


@dataclass(frozen=True, slots=True)
class Logged:
    """A kind of Velero with logs, and how its command says that there is none."""

    kind: Kind[Object]
    target: str
    """Of a DownloadRequest."""
    files: Callable[[Client, Object, Fetching], Awaitable[Files]]
    absent: Callable[[str], Failure]
    early: Callable[[str], Failure]


async def print_log(client: Client, logged: Logged, name: str, how: Fetching) -> None:
    """Print the log of a Backup or a Restore; raises Failure where there is none."""
    kind, name = logged.kind, bare(logged.kind, name)
    try:
        obj = await client.get(kind, name, namespace())
    except NotFound as exc:
        raise (logged.absent(name) if is_object(exc) else Failure(missing(kind, exc))) from exc
    except ValueError as exc:
        raise Failure(str(exc)) from exc
    phase = part(obj, "status", "phase")
    if phase == REFUSED:
        noun = kind.name.lower()
        raise Failure(
            f'{noun} "{name}" is {REFUSED}: it never ran, and has no log; `kedge {noun} describe'
            f" {name}` says why"
        )
    if phase not in LOGGED:
        raise logged.early(name)
    files = await logged.files(client, obj, how)
    await print_file(files, logged.target, name, f'{kind.name.lower()} "{name}"')


async def print_file(files: Files, target: str, name: str, subject: str) -> None:
    """Print the file with a log."""
    try:
        await print_bytes(files.text(target, name))
    except FileAbsent as exc:
        raise Failure(f"file not found: no log of {subject} was kept") from exc
