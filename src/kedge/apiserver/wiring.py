"""Puts the parts of the server together."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from aiohttp import web

from kedge.aio.clock import Clock
from kedge.apiserver.admission.classes import Classes
from kedge.apiserver.admission.limits import Limits
from kedge.apiserver.admission.pods import Pods
from kedge.apiserver.admission.standards import Standards
from kedge.apiserver.aside import Aside
from kedge.apiserver.auth.accounts import ISSUER, Accounts
from kedge.apiserver.auth.authenticate import Authenticator
from kedge.apiserver.auth.certificates import Pki
from kedge.apiserver.auth.impersonate import impersonated
from kedge.apiserver.auth.jwt import Signer
from kedge.apiserver.auth.peer import Peers
from kedge.apiserver.auth.rbac import GROUP, Authorizer
from kedge.apiserver.auth.strategies import (
    ClusterRoleBindingStrategy,
    ClusterRoleStrategy,
    RoleBindingStrategy,
    RoleStrategy,
)
from kedge.apiserver.auth.tokenrequest import TokenRequests
from kedge.apiserver.auth.users import User
from kedge.apiserver.boot import Boot
from kedge.apiserver.builtin.registry import strategy_for
from kedge.apiserver.catalog import builtin_resources
from kedge.apiserver.codec import Codec
from kedge.apiserver.crd.definition import DefinitionStrategy
from kedge.apiserver.crd.text.pattern import HAS_RE2
from kedge.apiserver.documents import Documents
from kedge.apiserver.forms import Forms
from kedge.apiserver.gate import Gate
from kedge.apiserver.kinds.table import builtin
from kedge.apiserver.lifecycle.collector import Collector
from kedge.apiserver.lifecycle.crds import Crds
from kedge.apiserver.lifecycle.history import History
from kedge.apiserver.lifecycle.namespaces import Namespaces
from kedge.apiserver.lifecycle.rights import Rights
from kedge.apiserver.lifecycle.system import System
from kedge.apiserver.objects import Objects, decode
from kedge.apiserver.paths import Paths
from kedge.apiserver.printers import printer_for
from kedge.apiserver.registry import Registry
from kedge.apiserver.resource import Object, Strategy
from kedge.apiserver.server import Server, Table
from kedge.apiserver.table import Tables
from kedge.apiserver.verbs.review import answers
from kedge.apiserver.verbs.table import Verbs
from kedge.apiserver.verbs.writing import Writing
from kedge.store import Log

RIGHTS: dict[str, Callable[[], Strategy]] = {
    "Role": RoleStrategy,
    "ClusterRole": ClusterRoleStrategy,
    "RoleBinding": RoleBindingStrategy,
    "ClusterRoleBinding": ClusterRoleBindingStrategy,
}


class Life(Protocol):
    """Something that goes on by itself."""

    caught_up: asyncio.Event
    """Set once it knows all that was there at the start."""

    async def run(self) -> None:
        """Go on until the store closes."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What the application starts."""

    server: Server
    registry: Registry
    lives: tuple[Life, ...]
    history: History
    documents: Documents
    aside: Aside


class Lookup:
    """Reads objects of core kinds, for checks of service-account tokens."""

    def __init__(self, registry: Registry, objects: Objects) -> None:
        """Read from `objects`."""
        self.registry = registry
        self.objects = objects

    def __call__(self, plural: str, namespace: str, name: str) -> Object | None:
        """Give one object, or None."""
        resource = self.registry.find("", "v1", plural)
        record = self.objects.get(resource, namespace, name) if resource else None
        return decode(record.value) if record else None


class Gatekeeper:
    """Tells who asks: the certificate of the connection, a token, or nobody; then impersonation."""

    def __init__(self, authenticator: Authenticator, authorizer: Authorizer) -> None:
        """Know users by `authenticator`, and who may act as another by `authorizer`."""
        self.peers = Peers()
        self.authenticator = authenticator
        self.authorizer = authorizer

    def __call__(self, request: web.BaseRequest, warnings: list[str]) -> User:
        """Give the user of a request. Raises Unauthorized, Forbidden and ImpersonationError."""
        headers = request.headers
        certificate = self.peers.user(request.transport) if request.transport else None
        header = headers.get("Authorization", "")
        user = self.authenticator.authenticate(certificate, header, warnings)
        return impersonated(headers, user, self.authorizer)


def builtin_strategy(group: str, version: str, kind: str) -> Strategy:
    """Give the hooks of a built-in kind, from whoever knows it."""
    if group == GROUP:
        return RIGHTS[kind]()
    if kind == "CustomResourceDefinition":
        return DefinitionStrategy(enforce=HAS_RE2)
    strategy = strategy_for(group, version, kind)
    # What one server has learned is of no use to another one in the same process.
    return type(strategy)() if strategy.learns else strategy


async def wire(log: Log, clock: Clock, pki: Pki, tokens: Mapping[str, User]) -> Parts:
    """Make all parts, with what a cluster always has in the store."""
    registry = Registry(builtin_resources(builtin(), builtin_strategy, printer_for))
    autoscalers = tuple(one for one in registry if one.kind == "HorizontalPodAutoscaler")
    for one in autoscalers:
        one.versions = autoscalers
    authorizer = Authorizer()
    objects = Objects(log)
    lookup = Lookup(registry, objects)
    signer = Signer(pki.signing_key, ISSUER)
    accounts = Accounts(signer, clock, lookup)
    authenticator = Authenticator(tokens, accounts)
    aside = Aside()
    codec = Codec(aside)
    forms = Forms(objects, Tables(clock))
    gate = Gate(log, authorizer, [Standards(log), Pods(log), Classes(log), Limits(log)])
    writing = Writing(objects, gate, clock, aside)
    verbs = Verbs(writing, codec, forms, registry)

    is_new = log.count("/") == 0

    def system(name: str) -> System:
        return System(name, writing, verbs.delete)

    rights = Rights(registry, authorizer, system("clusterrole-aggregation-controller"))
    crds = Crds(registry, system("kube-apiserver"))
    await crds.load()
    await Boot(registry, system("kube-apiserver")).run()
    await rights.load()
    if is_new:
        verbs.watch.oldest = log.revision
    lives = (
        rights,
        crds,
        Collector(registry, system("generic-garbage-collector")),
        Namespaces(registry, system("namespace-controller"), verbs.list),
    )
    history = History(system("event-ttl"), registry, clock)
    reviews = answers(authorizer, authenticator, clock)
    requests = TokenRequests(accounts, lookup, clock)
    documents = Documents(registry, signer)
    server = Server(
        registry,
        authorizer,
        Gatekeeper(authenticator, authorizer),
        Table(verbs.of_resources(reviews), verbs.of_subresources(requests), verbs.watch),
        Paths(documents.all, lambda: True, documents.discovery.paths),
    )
    return Parts(server, registry, lives, history, documents, aside)
