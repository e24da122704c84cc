"""Serves files of the filesystem provider to whoever has a signed URL that is still good."""

import asyncio
import logging
import socket
import ssl
from collections.abc import Callable, Iterable
from contextlib import aclosing
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from urllib.parse import parse_qsl, unquote

from aiohttp import web

from kedge.aio.clock import Clock
from kedge.objects.errors import BucketNotFound, ObjectNotFound, ObjectsError, PlaceError, Refused
from kedge.objects.filesystem import FolderBucket
from kedge.objects.keys import check_key
from kedge.objects.settle import in_thread
from kedge.objects.signing import PATH, verify
from kedge.objects.signkey import read_key
from kedge.runtime.serving import ServingError

logger = logging.getLogger(__name__)

GZIP: Final = "application/gzip"
PLAIN: Final = "text/plain; charset=utf-8"
READS: Final = ("GET", "HEAD")
EARLIEST: Final = datetime.fromtimestamp(0, UTC)
STOP_SECONDS: Final = 5.0
"""For downloads that are under way at the end."""


@dataclass(frozen=True, slots=True)
class DownloadServingSettings:
    """Where downloads are served."""

    host: str = "127.0.0.1"
    """Of this machine only, unless told otherwise: backups hold Secrets."""
    port: int | None = 0
    """0 takes a free one; None serves nothing."""
    tls: ssl.SSLContext | None = field(default=None, repr=False)
    """None: without encryption."""
    sock: socket.socket | None = field(default=None, repr=False)
    """One that listens already, so that its port is known before anything runs; it counts."""


class DownloadServing:
    """Answers GET and HEAD for signed URLs while it runs; it lists nothing."""

    def __init__(
        self,
        settings: DownloadServingSettings,
        roots: Callable[[], Iterable[Path]],
        clock: Clock,
    ) -> None:
        """Serve, when it is run, what is below these folders; each has a key of its own."""
        self._settings = settings
        self._roots = roots
        self._clock = clock
        self.port: int | None = None
        """The port that was taken; None before `started` is set, and if nothing is served."""
        self.started = asyncio.Event()

    async def run(self) -> None:
        """Serve until cancelled; raises ServingError."""
        settings = self._settings
        if settings.port is None:
            self.started.set()
            return
        runner = web.ServerRunner(web.Server(self._answer), shutdown_timeout=STOP_SECONDS)
        await runner.setup()
        try:
            site = _site(runner, settings)
            try:
                await site.start()
            except OSError as exc:
                where = f"{settings.host}:{settings.port}"
                text = f"no downloads can be served on {where}: {exc.strerror}"
                raise ServingError(text) from exc
            self.port = runner.addresses[0][1]
            self.started.set()
            logger.info("downloads are served", extra={"port": self.port})
            await asyncio.Event().wait()
        finally:
            await runner.cleanup()

    async def _answer(self, request: web.BaseRequest) -> web.StreamResponse:
        path = unquote(request.rel_url.raw_path)
        if not path.startswith(PATH):
            return _text(404, "404 page not found")
        if request.method not in READS:
            return _text(405, "405 method not allowed", Allow=", ".join(READS))
        try:
            return await self._file(request, path.removeprefix(PATH))
        except Refused as exc:
            return _text(403, str(exc))
        except (ObjectNotFound, BucketNotFound, PlaceError):
            return _text(404, "there is no such file")
        except ObjectsError as exc:
            logger.warning("a download failed", extra={"error": str(exc)})
            return _text(503, "the file can not be read")

    async def _file(self, request: web.BaseRequest, path: str) -> web.StreamResponse:
        """Send a file; what goes wrong before its first byte is raised."""
        query = dict(parse_qsl(request.rel_url.raw_query_string, keep_blank_values=True))
        root = await self._root(path, query)
        name, _, key = check_key(path).partition("/")
        if name.startswith("."):
            raise ObjectNotFound(f"{name} is no bucket")
        bucket = FolderBucket(root, name, "", "", make=False)
        async with aclosing(bucket.read(key)) as pieces:
            first = await anext(pieces, b"")
            response = web.StreamResponse(headers={"Content-Type": GZIP, **_HEADERS})
            await response.prepare(request)
            if request.method == "GET":
                await response.write(first)
                async for piece in pieces:
                    await response.write(piece)
            await response.write_eof()
            return response

    async def _root(self, path: str, query: dict[str, str]) -> Path:
        """Find the folder whose key has signed a URL; raise Refused if none has."""
        for root in dict.fromkeys(self._roots()):
            try:
                secret = await in_thread(read_key, root)
            except OSError:
                continue  # it is not mounted, or not ours
            if secret is not None and _is_signed(secret, path, query):
                verify(secret, path, query, self._clock.now())
                return root
        raise Refused("the signature of the URL is wrong")


def _is_signed(secret: bytes, path: str, query: dict[str, str]) -> bool:
    """Tell whether this key has signed a URL, be it expired or not."""
    try:
        verify(secret, path, query, EARLIEST)
    except Refused:
        return False
    return True


_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
    "Content-Disposition": "attachment",
    "Server": "kedge",
}


def _text(status: int, text: str, **headers: str) -> web.Response:
    return web.Response(
        status=status,
        body=f"{text}\n".encode(),
        headers={**_HEADERS, "Content-Type": PLAIN, "Content-Disposition": "inline", **headers},
    )


def _site(runner: web.ServerRunner, settings: DownloadServingSettings) -> web.BaseSite:
    if settings.sock is not None:
        return web.SockSite(runner, settings.sock, ssl_context=settings.tls)
    return web.TCPSite(runner, settings.host, settings.port, ssl_context=settings.tls)
