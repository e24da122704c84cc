"""Files of people's own backups and restores: asked for with a NonAdminDownloadRequest."""

from __future__ import annotations

import base64
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from kedge.cli.download import Fetching, FileProblem, Files, unique
from kedge.cli.errors import Failure
from kedge.cli.nab.request import says
from kedge.cli.objects import part

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.kind import Object

TIMED_OUT: Final = (
    "the server has not said in time where the file is: it may be busy, may not reach the storage "
    "location, or may not answer NonAdminDownloadRequests; --timeout waits longer"
)
NOT_YOURS: Final = (
    "it is kept in a storage location of the administrator's, whose files are not given out: use a "
    "NonAdminBackupStorageLocation of your own, or ask the administrator for the log"
)
REFUSALS: Final = {
    "NonAdminBackupStorageLocationNotUsed": NOT_YOURS,
    "NonAdminBackupNotAvailable": "the backup, which says where the file is kept, is gone",
    "NonAdminRestoreNotAvailable": "there is no such NonAdminRestore",
}


class OwnFiles(Files):
    """The files of what is kept in a location of the user's."""

    async def url(self, target: str, name: str) -> str:
        """Ask the server where a file is, and wait for the answer; raises FileProblem."""
        import asyncio

        from kedge.api.nonadmin.download_request import NON_ADMIN_DOWNLOAD_REQUEST
        from kedge.client import ClientError, Deletion
        from kedge.kube.errors import ApiError

        kind = NON_ADMIN_DOWNLOAD_REQUEST.into(dict)
        request = {
            "metadata": {"name": unique(name)},
            "spec": {"target": {"kind": target, "name": name}},
        }
        try:
            made = await self._client.create(kind, request, self._place)
        except (ApiError, ClientError) as exc:
            raise FileProblem(str(exc)) from exc
        meta = made["metadata"]
        try:
            async with asyncio.timeout(self._how.seconds):
                return await self._told(made)
        except TimeoutError:
            raise FileProblem(TIMED_OUT) from None
        except (ApiError, ClientError) as exc:
            raise FileProblem(str(exc)) from exc
        finally:
            # Who may not delete it leaves it: it goes when its URL expires.
            with suppress(ApiError, ClientError):
                deletion = Deletion(uid=meta["uid"])
                await self._client.delete(kind, meta["name"], self._place, deletion)

    async def _told(self, request: Object) -> str:
        from kedge.api.nonadmin.download_request import NON_ADMIN_DOWNLOAD_REQUEST
        from kedge.cli.following import until

        def look(one: Object | None) -> str | None:
            if one is None:
                name = request["metadata"]["name"]
                raise FileProblem(f'NonAdminDownloadRequest "{name}" was deleted too early')
            url = part(one, "status", "velero", "status", "downloadURL")
            for kind, reason in REFUSALS.items():
                if not url and says(one, kind, "True"):
                    raise FileProblem(reason)
            return url or None

        kind = NON_ADMIN_DOWNLOAD_REQUEST.into(dict)
        return await until(self._client, kind, request, look)


async def own_files(client: Client, place: str, location: str, how: Fetching) -> OwnFiles:
    """Give the files of a namespace, with the certificates that its location says."""
    if how.insecure:
        return OwnFiles(client, place, how)
    if how.cacert:
        trusted = _read(how.cacert)
    else:
        trusted = await _certificate(client, place, location)
    return OwnFiles(client, place, replace(how, trusted=trusted))


def _read(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as exc:
        raise Failure(f"couldn't open cacert {path}: {exc.strerror or exc}") from exc


async def _certificate(client: Client, place: str, location: str) -> bytes:
    from kedge.api.nonadmin.location import NON_ADMIN_LOCATION
    from kedge.client import ClientError
    from kedge.kube.errors import ApiError

    if not location:
        return b""
    try:
        found = await client.get(NON_ADMIN_LOCATION.into(dict), location, place)
        storage = part(found, "spec", "backupStorageLocationSpec", "objectStorage")
        return base64.b64decode(part(storage, "caCert") or "", validate=True)
    except (ApiError, ClientError, ValueError):
        return b""  # the certificates of the machine are left
