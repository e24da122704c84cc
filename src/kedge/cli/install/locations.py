"""The storage locations that are there when an installation comes, and what they mean for it."""

from collections.abc import Sequence

from kedge.cli.install.failure import InstallError, label_of
from kedge.cli.install.kinds import LOCATION, kind_of
from kedge.cli.install.names import LOCATION_NAME
from kedge.client import Client, ClientError, Selection
from kedge.kube.errors import ApiError
from kedge.kube.kind import Object


async def check_default(client: Client, objects: Sequence[Object], namespace: str) -> None:
    """Refuse a location that would be the second default; raises InstallError."""
    for wanted in objects:
        if kind_of(wanted) is LOCATION:
            for one in await _there(client, namespace) or ():
                name = one["metadata"]["name"]
                if name != LOCATION_NAME and (one.get("spec") or {}).get("default") is True:
                    raise InstallError(
                        f"{label_of(wanted)}: {name} is the default already; give"
                        " --no-default-backup-location, or make it a location like others with"
                        f" `kedge backup-location set {name} --default=false`"
                    )


async def hint(client: Client, namespace: str) -> str:
    """Say what is missing before a backup can be made; nothing: nothing is."""
    if await _there(client, namespace) != []:
        return ""
    return (
        "There is no storage location yet: make one with"
        " `kedge backup-location create default --default --provider NAME --bucket NAME`.\n"
    )


async def _there(client: Client, namespace: str) -> list[Object] | None:
    """Give all locations; None if they can not be listed, of which others tell if it matters."""
    try:
        return [one async for one in client.list(LOCATION, Selection(namespace))]
    except (ApiError, ClientError):
        return None
