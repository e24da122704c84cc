"""`kedge backup delete`: asks the server to delete backups with their data and their restores."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import aclosing
from typing import TYPE_CHECKING, Final

import click

from kedge.cli.connection import connection_options, on_cluster
from kedge.cli.flags import FlagCommand, switch
from kedge.cli.objects import part
from kedge.cli.output import write
from kedge.cli.selection import Found, Wanted, change_options, confirm, find_objects

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.kind import Object

ATTEMPTS: Final = 8
"""At a name that is new: the server makes them up, and may take one that is there."""


@click.command("delete", cls=FlagCommand)
@change_options("backup")
@switch("--confirm", "confirmed", help="Do not ask.")
@switch("-w", "--wait", help="Wait until they are gone; exit with 1 if one is not.")
@connection_options
def delete(wanted: Wanted, confirmed: bool, wait: bool) -> None:
    """Delete backups with their data.

    What is kept in the storage location goes, and so do the restores that were made from it.
    """
    if not confirmed and not confirm():
        return
    found = on_cluster(lambda client: _delete(client, wanted, bool(wait)))
    found.end("backups", on_stdout=True)


async def _delete(client: Client, wanted: Wanted, wait: bool) -> Found:
    from kedge.cli.backup.kind import BACKUPS
    from kedge.cli.hints import explained
    from kedge.client.errors import ClientError
    from kedge.kube.errors import ApiError

    found = await find_objects(client, BACKUPS, wanted)
    asked = []
    for one in found.objects:
        try:
            asked.append((one, await _ask(client, one)))
        except (ApiError, ClientError) as exc:
            found.problems.append(explained(exc))
            continue
        write(
            f'Request to delete backup "{_name(one)}" submitted successfully.\n'
            "The backup will be fully deleted after all associated data (disk snapshots, backup "
            "files, restores) are removed.\n"
        )
    if wait and asked:
        write(
            "Waiting for the deletion to complete. You may safely press ctrl-c to stop waiting - "
            "it will continue in the background.\n"
        )
        for one, request in asked:
            found.problems += await _gone(client, one, request)
    return found


async def _ask(client: Client, backup: Object) -> str:
    """Make a request to delete a backup; give its name."""
    from kedge.api.velero.delete_request import DELETE_BACKUP_REQUEST
    from kedge.api.velero.labels import BACKUP_NAME, BACKUP_UID, valid_name
    from kedge.kube.errors import AlreadyExists

    meta = backup["metadata"]
    labels = {BACKUP_NAME: valid_name(meta["name"]), BACKUP_UID: meta.get("uid", "")}
    request = {
        "metadata": {"generateName": f"{meta['name']}-", "labels": labels},
        "spec": {"backupName": meta["name"]},
    }
    kind = DELETE_BACKUP_REQUEST.into(dict)
    for _ in range(ATTEMPTS - 1):
        try:
            return _name(await client.create(kind, request, meta["namespace"]))
        except AlreadyExists:
            continue
    return _name(await client.create(kind, request, meta["namespace"]))


async def _gone(client: Client, backup: Object, request: str) -> list[str]:
    """Wait until a backup is not there any more; give what stands in the way of that.

    A server deletes the backup first and the request then, so that the request is followed.
    """
    from kedge.api.velero.delete_request import DELETE_BACKUP_REQUEST
    from kedge.api.velero.labels import BACKUP_UID
    from kedge.cli.following import states
    from kedge.client import Selection

    meta = backup["metadata"]
    chosen = Selection(meta["namespace"], f"{BACKUP_UID}={meta.get('uid', '')}")
    async with aclosing(states(client, DELETE_BACKUP_REQUEST.into(dict), chosen)) as following:
        async for found in following:
            if not await _is_there(client, backup):
                write(f'Backup "{meta["name"]}" deleted successfully.\n')
                return []
            errors = _errors(found, request)
            if errors:
                return [f'backup "{meta["name"]}" was not deleted: {one}' for one in errors]
    raise AssertionError("following has no end")


async def _is_there(client: Client, backup: Object) -> bool:
    from kedge.cli.backup.kind import BACKUPS
    from kedge.kube.errors import NotFound

    meta = backup["metadata"]
    try:
        found = await client.get(BACKUPS, meta["name"], meta["namespace"])
    except NotFound:
        return False
    return bool(found["metadata"].get("uid") == meta.get("uid"))


def _errors(requests: Mapping[str, Object], mine: str) -> list[str]:
    """Give the errors that a request was answered with.

    Those from before ours are about to be removed; one that came after ours takes its place.
    """
    counted = [requests[mine]] if mine in requests else list(requests.values())
    return [
        str(error)
        for one in counted
        if part(one, "status", "phase") == "Processed"
        for error in part(one, "status", "errors") or ()
    ]


def _name(obj: Object) -> str:
    return str(obj["metadata"]["name"])
