"""`kedge nab delete`: asks for backups to be deleted with their data, or to be given up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import click

from kedge.cli.connection import context_options, on_cluster
from kedge.cli.flags import FlagCommand, switch
from kedge.cli.objects import part
from kedge.cli.output import write
from kedge.cli.selection import Found, Wanted, change_options, confirm, find_objects

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.kind import Object

ASKED: Final = (
    'NonAdminBackup "{name}" is being deleted: its backup goes first, with all its data, and the '
    "object after it.\n"
)
FORCED: Final = (
    'NonAdminBackup "{name}" is given up: it goes at once with its Velero Backup, and the data in '
    "the object storage stays behind, where the server finds it again.\n"
)
UNMADE: Final = 'NonAdminBackup "{name}" is being deleted: there is no backup of it.\n'


@click.command("delete", cls=FlagCommand)
@change_options("NonAdminBackup")
@switch("--force", help="Give them up: they go at once, and their data stays behind.")
@switch("--confirm", "confirmed", help="Do not ask.")
@switch("-w", "--wait", help="Wait until they are gone; exit with 1 if one is not.")
@context_options
def delete(wanted: Wanted, force: bool, confirmed: bool, wait: bool) -> None:
    """Delete backups of your namespace with their data.

    It sets spec.deleteBackup, or spec.forceDeleteBackup with --force. A plain deletion, as by
    kubectl, leaves the object and the backup until one of them is set.
    """
    from kedge.cli.nab.request import named

    chosen = named(wanted, "nab")
    if not confirmed and not confirm():
        return
    found = on_cluster(lambda client: _delete(client, chosen, bool(force), bool(wait)))
    found.end("NonAdminBackups", on_stdout=True)


async def _delete(client: Client, wanted: Wanted, force: bool, wait: bool) -> Found:
    from kedge.cli.hints import explained
    from kedge.cli.nab.kind import NABS
    from kedge.client import ClientError
    from kedge.kube.errors import ApiError, NotFound

    found = await find_objects(client, NABS, wanted)
    asked = []
    for one in found.objects:
        try:
            await _ask(client, one, force)
        except NotFound:
            pass  # somebody was faster
        except (ApiError, ClientError) as exc:
            found.problems.append(explained(exc))
            continue
        asked.append(one)
        write(_words(one, force).format(name=one["metadata"]["name"]))
    for one in asked if wait else ():
        found.problems += await _gone(client, one, force)
    return found


def _words(nab: Object, force: bool) -> str:
    from kedge.cli.nab.kind import BACKING_UP

    if BACKING_UP.is_gone(nab) or not BACKING_UP.is_made(nab):
        return UNMADE
    return FORCED if force else ASKED


async def _ask(client: Client, nab: Object, force: bool) -> None:
    """Write into the spec what is to become of a backup."""
    from kedge.cli.nab.kind import NABS
    from kedge.client.patches import merge

    meta = nab["metadata"]
    spec: Object = {"forceDeleteBackup" if force else "deleteBackup": True}
    if not isinstance(part(nab, "spec", "backupSpec"), dict):
        spec["backupSpec"] = {}  # no spec is taken without one
    # By its uid: one that has the name by now is another, and nobody asked for its end.
    change = merge({"metadata": {"uid": meta.get("uid", "")}, "spec": spec})
    await client.patch(NABS, meta["name"], change, meta["namespace"])


async def _gone(client: Client, nab: Object, force: bool) -> list[str]:
    """Wait until a NonAdminBackup is not there any more; give what stands in the way of that.

    One that is given up goes whatever became of an attempt to delete its data.
    """
    from kedge.cli.following import until_gone
    from kedge.cli.nab.kind import NABS
    from kedge.cli.nab.outlook import deletion_errors

    name = nab["metadata"]["name"]

    def look(one: Object | None) -> list[str] | None:
        if one is None:
            write(f'NonAdminBackup "{name}" deleted successfully.\n')
            return []
        errors = [] if force else deletion_errors(one)
        head = f'NonAdminBackup "{name}" is not deleted yet, and it is tried again'
        return [f"{head}: {error}" for error in errors] or None

    return await until_gone(client, NABS, nab, look)
