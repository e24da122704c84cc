"""One handler for every request: who asks, what for, may they, and the answer."""

import asyncio
import logging
from typing import Protocol

from aiohttp import web

from kedge.apiserver.auth.impersonate import ImpersonationError
from kedge.apiserver.auth.users import User
from kedge.apiserver.http.accept import JSON, Accept, error_form
from kedge.apiserver.http.path import Target, target_of
from kedge.apiserver.http.query import Query
from kedge.apiserver.http.reply import Reply, dressed, json_reply, text_reply
from kedge.apiserver.http.warning import warning_header
from kedge.apiserver.protobuf.envelope import Unencodable
from kedge.kube.errors import ApiError, BadRequest, InternalError, ServiceUnavailable
from kedge.kube.refusals import body_too_large
from kedge.store import StoreClosed, StoreError

logger = logging.getLogger(__name__)

MAX_BODY = 3 * 1024 * 1024
BODY_SECONDS = 34.0
"""kube-apiserver's bound on a request that is not a watch."""
BROWSERS = ("curl", "Wget", "Mozilla/5.0")
"""Clients behind which a person reads: they get indented JSON."""
USUAL = {"Cache-Control": "no-cache, private"}


class Answering(Protocol):
    """What the handler needs of the rest of the server."""

    def user_of(self, request: web.BaseRequest, warnings: list[str]) -> User:
        """Tell who asks; raises Unauthorized, Forbidden and ImpersonationError."""

    async def answer(self, exchange: "Exchange") -> Reply | None:
        """Give the answer, or None when it was streamed already."""


class Exchange:
    """One request and what is known of it."""

    __slots__ = ("accept", "query", "request", "response", "target", "user", "warnings")

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
        self.response: web.StreamResponse | None = None

    async def body(self) -> bytes:
        """Give the whole body, within bounds of size and time."""
        return await read_body(self.request)

    async def stream(self, media: str) -> web.StreamResponse:
        """Begin an answer whose length is not known."""
        response = web.StreamResponse(headers={"Content-Type": media, **USUAL})
        for text in self.warnings:
            response.headers.add("Warning", warning_header(text))
        self.response = response
        await response.prepare(self.request)
        return response


class Handler:
    """Turns requests into answers, and every failure into a Status."""

    def __init__(self, server: Answering) -> None:
        """Ask `server` for users and answers."""
        self.server = server

    async def __call__(self, request: web.BaseRequest) -> web.StreamResponse:
        """Answer one request; never raises but for a connection that is gone."""
        path, _, text = request.raw_path.partition("?")
        pretty = False
        form: Accept | None = None
        exchange: Exchange | None = None
        warnings: list[str] = []
        try:
            query = Query(text)
            pretty = wants_pretty(request, query)
            user = self.server.user_of(request, warnings)
            target = read_target(request.method, path, query)
            exchange = Exchange(request, target, query, user, warnings)
            reply = await self.server.answer(exchange)
            if reply is None:
                assert exchange.response is not None
                return exchange.response
            form = exchange.accept
        except ApiError as error:
            reply = status_reply(error)
        except ImpersonationError as error:
            reply = text_reply(500, error.text(request.raw_path))
        except StoreError as error:
            reply = status_reply(_of_store(error))
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
        return to_response(finished(reply, form, pretty), warnings)


def read_target(method: str, path: str, query: Query) -> Target:
    """Give what a path asks for. A path that is not UTF-8 is refused."""
    try:
        return target_of(method, path, bool(query.values.get("watch") and query.flag("watch")))
    except UnicodeDecodeError:
        raise BadRequest("the path is not UTF-8") from None


async def read_body(request: web.BaseRequest) -> bytes:
    """Give the whole body, within bounds of size and time."""
    length = request.headers.get("Content-Length")
    if length is not None and length.isdigit() and int(length) > MAX_BODY:
        raise body_too_large(f"limit is {MAX_BODY}")
    chunks: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(BODY_SECONDS):
            while chunk := await request.content.readany():
                size += len(chunk)
                if size > MAX_BODY:
                    raise body_too_large(f"limit is {MAX_BODY}")
                chunks.append(chunk)
    except TimeoutError:
        raise BadRequest("the body did not arrive in time") from None
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def _of_store(error: StoreError) -> ApiError:
    if isinstance(error, StoreClosed):
        return ServiceUnavailable("the server is shutting down")
    return InternalError(f"Internal error occurred: {error}")


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


def to_response(reply: Reply, warnings: list[str]) -> web.Response:
    """Give a Reply as aiohttp sends it."""
    response = web.Response(
        status=reply.code,
        body=reply.body,
        headers={"Content-Type": reply.media, **USUAL, **reply.headers},
    )
    for text in warnings:
        response.headers.add("Warning", warning_header(text))
    return response
