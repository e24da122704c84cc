"""The API itself: finds the resource of a request, asks if the user may, calls the verb."""

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass

from aiohttp import web

from kedge.apiserver.aside import quiet
from kedge.apiserver.auth.attributes import Attributes, forbidden
from kedge.apiserver.auth.rbac import Authorizer
from kedge.apiserver.auth.users import User
from kedge.apiserver.call import Call
from kedge.apiserver.http.accept import (
    COLLECTION,
    CONNECTION,
    CUSTOM,
    LOG,
    OBJECT,
    PROTOBUF,
    STREAMS,
    YAML,
    accept_of,
)
from kedge.apiserver.http.handler import Exchange
from kedge.apiserver.http.path import Target
from kedge.apiserver.http.reply import Reply, text_reply
from kedge.apiserver.registry import Registry
from kedge.apiserver.resource import Resource
from kedge.apiserver.routing import NoSuchPath, Router, Verb
from kedge.apiserver.verbs.watch import Watch
from kedge.kube.fieldselectors import parse_fields
from kedge.kube.refusals import not_acceptable
from kedge.kube.requirements import SelectorError

Path = Callable[[Exchange], Awaitable[Reply]]

READS = {"get", "list", "watch"}
ROUTES = {
    "log": LOG,
    "attach": CONNECTION,
    "exec": CONNECTION,
    "portforward": CONNECTION,
    "proxy": CONNECTION,
}
"""What subresources offer that do not answer with an object."""


@dataclass(frozen=True, slots=True)
class Table:
    """All verbs: of resources by name, of subresources by their name and verb."""

    verbs: dict[str, Verb]
    subresources: dict[str, dict[str, Verb]]
    watch: Watch


class Server:
    """Answers requests. Verbs and paths are handed in; this is the way to them."""

    def __init__(
        self,
        registry: Registry,
        authorizer: Authorizer,
        authenticate: Callable[[web.BaseRequest, list[str]], User],
        table: "Table",
        paths: Path,
    ) -> None:
        """Wire the parts; `paths` answers all that is no resource."""
        self.router = Router(registry, table.verbs, table.subresources)
        self.authorizer = authorizer
        self.authenticate = authenticate
        self.watch = table.watch
        self.paths = paths

    def user_of(self, request: web.BaseRequest, warnings: list[str]) -> User:
        """Tell who asks, impersonation included."""
        return self.authenticate(request, warnings)

    async def answer(self, exchange: Exchange) -> Reply | None:
        """Answer one request; None when the answer was streamed."""
        target = exchange.target
        self._authorize(exchange.user, target, exchange)
        if not target.is_resource:
            return await self.paths(exchange)
        if target.path.startswith("//"):
            return text_reply(404, "404 page not found\n")
        try:
            resource, verb = self.router.find(target, exchange.request.method)
        except NoSuchPath:
            return text_reply(404, "404 page not found\n")
        header = exchange.request.headers.get("Accept", "")
        exchange.accept = accept_of(header, _route(resource, target))
        for text in resource.warnings:
            exchange.warnings.append(text)
        call = Call(
            target.verb,
            resource,
            target.namespace if resource.namespaced else "",
            target.name,
            target.subresource,
            exchange.query,
            exchange.accept,
            exchange.user,
            warnings=exchange.warnings,
        )
        if target.verb == "watch":
            await self._stream(exchange, call)
            return None
        if target.verb not in READS:
            await self._read(exchange, call)
        with quiet.during(call.weight):
            return await verb(call)

    def _authorize(self, user: User, target: Target, exchange: Exchange) -> None:
        if not target.is_resource:
            wish = Attributes(user, target.verb, path=target.path, is_resource=False)
        else:
            wish = Attributes(
                user,
                target.verb,
                target.namespace,
                target.group,
                target.version,
                target.plural,
                target.subresource,
                target.name or _named_by_selector(target, exchange),
            )
        decision = self.authorizer.authorize(wish)
        if not decision.allowed:
            raise forbidden(wish, decision.reason)

    async def _read(self, exchange: Exchange, call: Call) -> None:
        headers = exchange.request.headers
        call.media = headers.get("Content-Type", "")
        call.agent = headers.get("User-Agent", "")
        call.body = await exchange.body()

    async def _stream(self, exchange: Exchange, call: Call) -> None:
        plan = self.watch.plan(call)
        media = exchange.accept.media
        if media == YAML:
            raise not_acceptable(STREAMS)
        await exchange.stream(STREAMS[1] if media == PROTOBUF else media)
        async with aclosing(self.watch.stream(call, plan)) as pieces:
            async for piece in pieces:
                await exchange.send(piece)


def _named_by_selector(target: Target, exchange: Exchange) -> str:
    """Give the one name that a list or watch is about: who may see that object may list it."""
    text = exchange.query.text("fieldSelector") if target.verb in {"list", "watch"} else ""
    if "metadata.name" not in text:
        return ""
    try:
        return parse_fields(text).exact("metadata.name") or ""
    except SelectorError:
        return ""


def _route(resource: Resource, target: Target) -> tuple[str, ...]:
    """Tell what the route of a request offers to answer with."""
    if resource.custom:
        return CUSTOM
    if target.subresource:
        return ROUTES.get(target.subresource, OBJECT)
    return COLLECTION if target.verb in {"list", "watch"} and not target.name else OBJECT
