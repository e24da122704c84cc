"""Fetches files from servers other than the API's, such as those that signed URLs lead to.

No credential of a cluster is sent there, and no URL is told: whoever has it can fetch the file.
"""

import re
import ssl
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Final
from urllib.parse import urlsplit

import aiohttp
import yarl

from kedge.client.errors import BadAnswer, ClientError, Disconnected, Unreachable
from kedge.client.words import words
from kedge.kube.foreign import cut

SECONDS: Final = 60.0
_REFUSAL_BYTES: Final = 4096
"""Of the body of a refusal that are read."""
_REFUSAL: Final = re.compile(r"<(Code|Message)>\s*([^<]+?)\s*</\1>")


class FileMissing(ClientError):
    """The server has no such file."""


class Untrusted(Unreachable):
    """The server has a certificate that is not trusted."""


@dataclass(frozen=True, slots=True)
class Way:
    """How to get to a file."""

    ca: bytes = field(default=b"", repr=False)
    """Certificates to trust, as PEM, beside those of the system."""
    insecure: bool = False
    """Any certificate is taken."""
    proxy: str | None = field(default=None, repr=False)
    seconds: float = SECONDS
    """For the connection, and for each silence after it."""


async def fetch(url: str, way: Way) -> AsyncGenerator[bytes, None]:
    """Read a file piece by piece, as it is stored; raises ClientError, and FileMissing.

    Whoever stops before the end closes it (`contextlib.aclosing`).
    """
    server = server_of(url)
    timeout = aiohttp.ClientTimeout(total=None, connect=way.seconds, sock_read=way.seconds)
    session = aiohttp.ClientSession(
        timeout=timeout,
        cookie_jar=aiohttp.DummyCookieJar(),
        auto_decompress=False,
        headers={"User-Agent": "kedge", "Accept-Encoding": "identity"},
    )
    async with session, _answer(session, url, server, way) as answer:
        await _check(answer)
        try:
            async for piece in answer.content.iter_any():
                yield piece
        except TimeoutError as exc:
            raise Disconnected(f"{server} sent nothing for {way.seconds:g} s") from exc
        except (aiohttp.ClientError, OSError) as exc:
            raise Disconnected(f"the file of {server} broke off: {words(exc)}") from exc


def server_of(url: str) -> str:
    """Give the part of a URL that can be told; raises BadAnswer where it is no URL of the web."""
    try:
        parts = urlsplit(url)
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname)
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        is_good = False
    if not is_good:
        raise BadAnswer("the file is to be fetched from what is no URL of http or https")
    name = parts.hostname or ""
    host = f"[{name}]" if ":" in name else name
    return f"{parts.scheme}://{host}{port}"


@asynccontextmanager
async def _answer(
    session: aiohttp.ClientSession, url: str, server: str, way: Way
) -> AsyncIterator[aiohttp.ClientResponse]:
    tls = _context(way)
    try:
        # As it is written: a signature is good for these bytes only.
        answer = await session.get(yarl.URL(url, encoded=True), ssl=tls, proxy=way.proxy)
    except aiohttp.ClientConnectorCertificateError as exc:
        raise Untrusted(f"{server}: {words(exc.certificate_error)}") from None
    except TimeoutError:
        raise Unreachable(f"no answer of {server} within {way.seconds:g} s") from None
    except (aiohttp.ClientError, OSError, ValueError) as exc:
        raise Unreachable(f"{server} can not be reached: {words(exc)}") from None
    try:
        yield answer
    finally:
        answer.close()


def _context(way: Way) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if way.insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif way.ca:
        try:
            context.load_verify_locations(cadata=way.ca.decode("ascii"))
        except (ssl.SSLError, ValueError) as exc:
            raise ClientError("the certificates to trust are not PEM") from exc
    return context


async def _check(answer: aiohttp.ClientResponse) -> None:
    if answer.status == HTTPStatus.OK:
        return
    if answer.status == HTTPStatus.NOT_FOUND:
        raise FileMissing("file not found")
    try:
        body = await answer.content.read(_REFUSAL_BYTES)
    except (aiohttp.ClientError, OSError):
        body = b""
    raise BadAnswer(f"request failed: {answer.status} {_told(body)}".rstrip())


def _told(body: bytes) -> str:
    """Take the words of a refusal; in XML the rest may repeat what was signed."""
    text = body.decode("utf-8", "replace")
    found = [match[2] for match in _REFUSAL.finditer(text)]
    return cut(": ".join(found) if found or text.lstrip().startswith("<") else text.strip())
