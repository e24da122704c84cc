"""Files of backups and restores: asked for with a DownloadRequest, fetched from where it leads."""

from __future__ import annotations

import os
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from kedge.cli.errors import Failure, complain
from kedge.cli.flags import duration_option, switch
from kedge.cli.objects import part

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.kind import Object

TIMED_OUT: Final = (
    "download request download url timeout, check kedge server logs for errors. "
    "backup storage location may not be available"
)
INSECURE: Final = (
    "The --insecure-skip-tls-verify flag can also be used to accept any TLS certificate for the "
    "download, but it is susceptible to man-in-the-middle attacks"
)
NAME_LIMIT: Final = 253
LARGEST: Final = 2**28
"""Bytes of a file that is held as a whole."""
UNPACKED: Final = "BackupContents"
"""The one kind of file that is given as it is stored."""


class FileProblem(Failure):
    """A file could not be had."""


class FileAbsent(FileProblem):
    """There is no such file."""


class FileUnreadable(FileProblem):
    """The file was there, and is not what it should be."""


@dataclass(frozen=True, slots=True)
class Fetching:
    """How files are fetched."""

    seconds: float = 30.0
    """For the URL, and for each silence after it."""
    cacert: str = ""
    """A file with certificates to trust."""
    insecure: bool = False
    trusted: bytes = field(default=b"", repr=False)
    """The certificates themselves."""


def fetch_options(timeout: str = "") -> Callable[[Any], Any]:
    """Add --insecure-skip-tls-verify and --cacert, and --timeout where it has a default."""

    def add(callback: Any) -> Any:
        @wraps(callback)
        def parsed(
            insecure_skip_tls_verify: bool, cacert: str, timeout: str = "30s", **rest: Any
        ) -> None:
            from kedge.kube.durations import duration_of

            seconds = duration_of(timeout).total_seconds()
            if not seconds:
                raise click.BadParameter("it must be more than nothing", param_hint="'--timeout'")
            callback(how=Fetching(seconds, cacert, bool(insecure_skip_tls_verify)), **rest)

        added: Any = click.option(
            "--cacert",
            metavar="FILE",
            default="",
            help="Certificates to trust, as PEM.  [default: those of the storage location]",
        )(parsed)
        added = switch(
            "--insecure-skip-tls-verify", help="Trust any certificate of the object store."
        )(added)
        if timeout:
            text = "How long to wait for the server, and for each silence of the object store."
            added = duration_option("--timeout", default=timeout, show_default=True, help=text)(
                added
            )
        return added

    return add


class Files:
    """The files of what is kept in one storage location."""

    def __init__(self, client: Client, place: str, how: Fetching) -> None:
        """Ask in the namespace that is the place."""
        self._client = client
        self._place = place
        self._how = how

    @classmethod
    async def of_backup(cls, client: Client, backup: Object, how: Fetching) -> Files:
        """Give the files of a Backup, with the certificates that its location says."""
        place = str(part(backup, "metadata", "namespace"))
        location = str(part(backup, "spec", "storageLocation") or "")
        return cls(client, place, await trusting(client, place, location, how))

    @classmethod
    async def of_restore(cls, client: Client, restore: Object, how: Fetching) -> Files:
        """Give the files of a Restore; they are where its Backup is."""
        from kedge.cli.backup.kind import BACKUPS
        from kedge.kube.errors import NotFound

        place = str(part(restore, "metadata", "namespace"))
        try:
            backup = await client.get(BACKUPS, part(restore, "spec", "backupName") or "", place)
        except (NotFound, ValueError):
            return cls(client, place, await trusting(client, place, "", how))
        return await cls.of_backup(client, backup, how)

    async def stored(self, target: str, name: str) -> AsyncGenerator[bytes, None]:
        """Give a file as it is stored, piece by piece; raises FileProblem."""
        from kedge.client.errors import ClientError
        from kedge.client.fetch import FileMissing, Untrusted, Way, fetch
        from kedge.client.where.proxy import from_environment

        how = self._how
        url = await self.url(target, name)
        try:
            proxy = from_environment(url, os.environ)
            way = Way(how.trusted, how.insecure, proxy, how.seconds)
            async with aclosing(fetch(url, way)) as pieces:
                async for piece in pieces:
                    yield piece
        except FileMissing as exc:
            raise FileAbsent("file not found") from exc
        except Untrusted as exc:
            raise FileProblem(f"{exc}. {INSECURE}") from exc
        except ClientError as exc:
            raise FileProblem(str(exc)) from exc

    async def text(self, target: str, name: str) -> AsyncGenerator[bytes, None]:
        """Give a file unpacked, piece by piece; raises FileProblem."""
        from kedge.cli.gunzip import Gunzip

        gunzip = Gunzip()
        async with aclosing(self.stored(target, name)) as pieces:
            async for packed in pieces:
                for piece in gunzip.feed(packed):
                    yield piece
        for piece in gunzip.finish():
            yield piece

    async def document(self, target: str, name: str) -> Any:
        """Read a file of JSON; raises FileProblem."""
        import msgspec

        read = bytearray()
        async with aclosing(self.text(target, name)) as pieces:
            async for piece in pieces:
                read += piece
                if len(read) > LARGEST:
                    raise FileUnreadable(f"it has more than {LARGEST} bytes")
        try:
            return msgspec.json.decode(bytes(read))
        except (ValueError, RecursionError) as exc:
            raise FileUnreadable(f"it is not JSON: {exc}") from exc

    async def url(self, target: str, name: str) -> str:
        """Ask the server where a file is, and wait for the answer; raises FileProblem."""
        import asyncio

        from kedge.api.velero.download_request import DOWNLOAD_REQUEST
        from kedge.client.errors import ClientError
        from kedge.kube.errors import ApiError

        request = {
            "metadata": {"name": unique(name), "namespace": self._place},
            "spec": {"target": {"kind": target, "name": name}},
        }
        kind = DOWNLOAD_REQUEST.into(dict)
        try:
            async with asyncio.timeout(self._how.seconds):
                made = await self._client.create(kind, request, self._place)
                return await self._answer(made)
        except TimeoutError:
            raise FileProblem(TIMED_OUT) from None
        except (ApiError, ClientError) as exc:
            raise FileProblem(str(exc)) from exc

    async def _answer(self, request: Object) -> str:
        from kedge.api.velero.download_request import DOWNLOAD_REQUEST
        from kedge.cli.following import until

        def look(one: Object | None) -> str | None:
            if one is None:
                name = request["metadata"]["name"]
                raise FileProblem(f'DownloadRequest "{name}" was deleted before its answer')
            return part(one, "status", "downloadURL") or None

        return await until(self._client, DOWNLOAD_REQUEST.into(dict), request, look)


def unique(name: str) -> str:
    """Make a name for a request about something of this name: each request has its own."""
    from uuid import uuid4

    end = f"-{uuid4()}"
    return name[: NAME_LIMIT - len(end)] + end


async def trusting(client: Client, place: str, location: str, how: Fetching) -> Fetching:
    """Find the certificates: those of --cacert, or those of the storage location."""
    if how.insecure:
        return how
    if not how.cacert:
        return replace(how, trusted=await _of_location(client, place, location))
    try:
        return replace(how, trusted=_read(how.cacert))
    except OSError as exc:
        trusted = await _of_location(client, place, location)
        why = exc.strerror or str(exc)
        if not trusted:
            raise Failure(f"couldn't open cacert {how.cacert}: {why}") from exc
        complain(
            f"Failed to open CA certificate file {how.cacert}: {why}. Using CA certificate from "
            "backup storage location instead.",
            head="Warning: ",
        )
        return replace(how, trusted=trusted)


def _read(path: str) -> bytes:
    return Path(path).read_bytes()


async def _of_location(client: Client, place: str, location: str) -> bytes:
    from kedge.cli.location.certificate import certificate
    from kedge.client.errors import ClientError
    from kedge.kube.errors import ApiError

    try:
        return await certificate(client, place, location)
    except (ApiError, ClientError, ValueError) as exc:
        complain(f"Error getting cacert from BSL: {exc}", head="WARNING: ")
        return b""
