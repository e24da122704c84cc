"""`kedge backup-location delete`: locations go, and what the cluster knows of their backups."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kedge.cli.connection import connection_options, on_cluster
from kedge.cli.flags import FlagCommand, switch
from kedge.cli.output import write
from kedge.cli.selection import Found, Wanted, change_options, confirm, find_objects

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.kind import Kind, Object


@click.command("delete", cls=FlagCommand)
@change_options("backup-location")
@switch("--confirm", "confirmed", help="Do not ask.")
@connection_options
def delete(wanted: Wanted, confirmed: bool) -> None:
    """Delete storage locations.

    The Backups that are kept there go from the cluster, too. Their data stays in the bucket.
    """
    if not confirmed and not confirm():
        return
    found = on_cluster(lambda client: _delete(client, wanted))
    found.end("backup-locations", on_stdout=True)


async def _delete(client: Client, wanted: Wanted) -> Found:
    from kedge.api.velero.repository import BACKUP_REPOSITORY
    from kedge.cli.backup.kind import BACKUPS
    from kedge.cli.location.kind import LOCATIONS
    from kedge.cli.removal import remove_one

    found = await find_objects(client, LOCATIONS, wanted)
    for one in found.objects:
        problem = await remove_one(client, LOCATIONS, one)
        if problem:
            found.problems.append(problem)
            continue
        write(f'Backup storage location "{one["metadata"]["name"]}" deleted successfully.\n')
        found.problems += await _associated(client, one, BACKUPS, "backup")
        repositories = BACKUP_REPOSITORY.into(dict)
        found.problems += await _associated(client, one, repositories, "backup repository")
    return found


async def _associated(client: Client, location: Object, kind: Kind[Object], noun: str) -> list[str]:
    """Delete what the cluster knows to be in a location; give what went wrong."""
    from kedge.api.velero.labels import STORAGE_LOCATION, valid_name
    from kedge.cli.removal import remove_one
    from kedge.client import ClientError, Selection
    from kedge.kube.errors import ApiError

    meta = location["metadata"]
    chosen = Selection(meta["namespace"], f"{STORAGE_LOCATION}={valid_name(meta['name'])}")
    problems = []
    try:
        found = [one async for one in client.list(kind, chosen)]
    except (ApiError, ClientError) as exc:
        return [f'find {kind.plural} associated with BSL "{meta["name"]}": {exc}']
    for one in found:
        name = one["metadata"]["name"]
        problem = await remove_one(client, kind, one)
        if problem:
            problems.append(f'delete {noun} "{name}" associated with deleted BSL: {problem}')
            continue
        word = noun.capitalize()
        write(f'{word} associated with deleted BSL(s) "{name}" deleted successfully.\n')
    return problems
