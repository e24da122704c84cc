"""The log of a request that is over, from a location of its user's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kedge.cli.connection import namespace
from kedge.cli.download import Fetching
from kedge.cli.errors import Failure
from kedge.cli.nab.files import NOT_YOURS, own_files
from kedge.cli.nab.kind import NABS
from kedge.cli.nab.request import Asking, alone, is_refused
from kedge.cli.objects import part
from kedge.cli.runlog import LOGGED, print_file
from kedge.cli.selection import bare, read_one
from kedge.cli.waiting import REFUSED
from kedge.kube.errors import NotFound

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.kind import Object

TARGETS: Final = {"backup": "BackupLog", "restore": "RestoreLog"}


async def print_log(client: Client, asking: Asking, name: str, how: Fetching) -> None:
    """Print the log of a request; raises Failure where there is none."""
    name = alone(bare(asking.kind, name), asking.command)
    subject = f'{asking.kind.name} "{name}"'
    obj = await read_one(client, asking.kind, name)
    phase = asking.velero_phase(obj)
    if phase == REFUSED:
        raise Failure(
            f"{subject} is {REFUSED}: it never ran, and has no log; `kedge {asking.command} "
            f"describe {name}` says why"
        )
    if is_refused(obj):
        raise Failure(
            f"{subject} was not accepted, and has no log; `kedge {asking.command} describe {name}` "
            "says why"
        )
    if phase not in LOGGED:
        told = f"its {asking.noun} is {phase}" if phase else f"there is no {asking.noun} yet"
        raise Failure(f"there is no log of {subject} until it is over: {told}")
    location = await _location(client, obj)
    if location == "":
        raise Failure(f"the log of {subject} can not be had: {NOT_YOURS}")
    files = await own_files(client, namespace(), location or "", how)
    await print_file(files, TARGETS[asking.noun], name, subject)


async def _location(client: Client, obj: Object) -> str | None:
    """Give the location that a request is kept in; empty: the administrator's, None: not known."""
    backup = part(obj, "spec", "restoreSpec", "backupName")
    if backup:
        try:
            obj = await client.get(NABS, backup, namespace())
        except (NotFound, ValueError):
            return None
    return str(part(obj, "spec", "backupSpec", "storageLocation") or "")
