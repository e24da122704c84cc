"""One handler for every request: who asks, what for, may they, and the answer."""

import asyncio
import logging
import re
from typing import Protocol

from aiohttp import HttpVersion11, web

from kedge.apiserver.aside import BIG
from kedge.apiserver.auth.impersonate import ImpersonationError
from kedge.apiserver.auth.users import User
from kedge.apiserver.http.accept import JSON, Accept, error_form
from kedge.apiserver.http.body import read_body
from kedge.apiserver.http.connection import LIMITS, Limits
from kedge.apiserver.http.path import PathError, Target, target_of
from kedge.apiserver.http.query import Query, check_timeout
from kedge.apiserver.http.reply import Reply, Unwritable, dressed, json_reply, text_reply
from kedge.apiserver.http.response import SMALL, USUAL, Response
from kedge.apiserver.http.warning import warning_headers
from kedge.apiserver.protobuf.envelope import Unencodable
from kedge.kube.errors import (
    ApiError,
    BadRequest,
    InternalError,
    ServiceUnavailable,
    UnknownError,
)
from kedge.store import StoreClosed, StoreError

logger = logging.getLogger(__name__)

BROWSERS = ("curl", "Wget", "Mozilla/5.0")
"""Clients behind which a person reads: they get indented JSON."""
BROKEN = re.compile("%(?![0-9A-Fa-f]{2})")
FAILURES = (ApiError, ImpersonationError, PathError, StoreError, RecursionError)
"""What a request may end with; Python's own bound of nesting is below that of Kubernetes."""


class Answering(Protocol):
    """What the handler needs of the rest of the server."""

    def user_of(self, request: web.BaseRequest, warnings: list[str]) -> User:
        """Tell who asks; raises Unauthorized, Forbidden and ImpersonationError."""

    async def answer(self, exchange: "Exchange") -> Reply | None:
        """Give the answer, or None when it was streamed already."""


class Exchange:
    """One request and what is known of it."""

    __slots__ = (
        "accept",
        "limits",
        "query",
        "request",
        "response",
        "size",
        "target",
        "user",
        "warnings",
    )

    def __init__(
        self,
        request: web.BaseRequest,
        target: Target,
        query: Query,
        user: User,
        warnings: list[str],
    ) -> None:
        """Note what the handler found out."""
        self.request = request
        self.target = target
        self.query = query
        self.user = user
        self.warnings = warnings
        self.accept = Accept()
        self.limits = LIMITS
        self.size = 0
        """Bytes of the body."""
        self.response: web.StreamResponse | None = None

    async def body(self) -> bytes:
        """Give the whole body, within bounds of size and time."""
        body = await read_body(self.request, self.limits.body_seconds)
        self.size = len(body)
        return body

    async def stream(self, media: str) -> web.StreamResponse:
        """Begin an answer whose length is not known."""
        response = web.StreamResponse(headers={"Content-Type": media, **USUAL})
        for header in warning_headers(self.warnings):
            response.headers.add("Warning", header)
        self.response = response
        await response.prepare(self.request)
        return response

    async def send(self, piece: bytes) -> None:
        """Send a piece of the stream; a client that does not take it in time is dropped."""
        response, transport = self.response, self.request.transport
        if response is None or transport is None:
            raise ConnectionResetError("the client is gone")
        if len(piece) < SMALL and not transport.get_write_buffer_size():
            if self.request.version >= HttpVersion11 and not transport.is_closing():
                # In chunks, as the head of the answer says; the library would send three pieces.
                transport.write(b"%x\r\n%b\r\n" % (len(piece), piece))
            else:
                await response.write(piece)
            return
        try:
            async with asyncio.timeout(self.limits.write_seconds):
                await response.write(piece)
        except TimeoutError:
            transport.abort()
            raise ConnectionResetError("the client does not read") from None


class Handler:
    """Turns requests into answers, and every failure into a Status."""

    def __init__(self, server: Answering, limits: Limits = LIMITS) -> None:
        """Ask `server` for users and answers."""
        self.server = server
        self.limits = limits

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request; never raises but for a connection that is gone."""
        path, text = parts_of(request.raw_path)
        if "%" in path and BROKEN.search(path):
            return Response(text_reply(400, "400 Bad Request"), [])
        pretty = False
        form: Accept | None = None
        exchange: Exchange | None = None
        warnings: list[str] = []
        try:
            query = Query(text)
            pretty = wants_pretty(request, query)
            target = read_target(request.method, path, query)
            if "timeout" in query.values and target.verb != "watch":
                check_timeout(query)
            user = self.server.user_of(request, warnings)
            exchange = Exchange(request, target, query, user, warnings)
            exchange.limits = self.limits
            reply = await self.server.answer(exchange)
            if reply is None:
                assert exchange.response is not None
                return exchange.response
            form = exchange.accept
        except FAILURES as error:
            reply = await told(error, request.raw_path, exchange.size if exchange else 0)
        except (ConnectionError, asyncio.CancelledError):
            raise
        except Exception:
            logger.exception("request failed", extra={"method": request.method, "path": path})
            reply = status_reply(
                InternalError("Internal error occurred: the server failed; its log says why")
            )
        if exchange is not None and exchange.response is not None:
            return exchange.response
        if form is None:
            form = error_form(request.headers.get("Accept", ""))
        if len(reply.body) < BIG or form.media == JSON:
            return Response(finished(reply, form, pretty), warnings)
        # Other forms than JSON take long to make.
        return Response(await asyncio.to_thread(finished, reply, form, pretty), warnings)


def parts_of(raw_path: str) -> tuple[str, str]:
    """Split path and query; what proxies are asked for has a server before them."""
    path, _, text = raw_path.partition("?")
    if not path.startswith("/"):
        path = "/" + path.partition("://")[2].partition("/")[2]
    return path, text


def read_target(method: str, path: str, query: Query) -> Target:
    """Give what a path asks for; raises PathError."""
    return target_of(method, path, bool(query.values.get("watch") and query.flag("watch")))


async def told(error: Exception, raw_path: str, size: int) -> Reply:
    """Tell of a failure; a big body may have as many errors as it has bytes."""
    if size < BIG:
        return failure_reply(error, raw_path)
    return await asyncio.to_thread(failure_reply, error, raw_path)


def failure_reply(error: Exception, raw_path: str) -> Reply:
    """Give the answer to a request that was refused, or could not be met."""
    if isinstance(error, ApiError):
        return status_reply(error)
    if isinstance(error, ImpersonationError | PathError):
        return text_reply(500, error.text(raw_path))
    if isinstance(error, StoreClosed):
        return status_reply(ServiceUnavailable("the server is shutting down"))
    if isinstance(error, RecursionError):
        return status_reply(BadRequest("the object is nested too deeply: exceeded max depth"))
    return status_reply(InternalError(f"Internal error occurred: {error}"))


def status_reply(error: ApiError) -> Reply:
    """Give the answer that tells of a failure."""
    reply = json_reply(error.code, error.status)
    seconds = (error.details or {}).get("retryAfterSeconds")
    if seconds:
        reply.headers["Retry-After"] = str(seconds)
    return reply


def finished(reply: Reply, form: Accept, pretty: bool) -> Reply:
    """Give an answer in its form; one that does not have that form becomes a failure."""
    pretty = pretty or form.pretty
    try:
        return dressed(reply, form.media, pretty)
    except Unwritable as error:
        return dressed(status_reply(UnknownError(str(error), code=500)), form.media, pretty)
    except Unencodable as error:
        logger.exception("answer has no such form", extra={"media": form.media})
        failure = InternalError(f"Internal error occurred: {error}")
        return dressed(status_reply(failure), JSON, pretty)


def wants_pretty(request: web.BaseRequest, query: Query) -> bool:
    """Whether a person reads the answer."""
    asked = query.flag("pretty") if query.values else None
    if asked is not None:
        return asked
    return request.headers.get("User-Agent", "").startswith(BROWSERS)
