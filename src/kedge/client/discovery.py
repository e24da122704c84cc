"""What a server has: found out once, and looked up again when it has become old."""

import math
from typing import Any, Final

import msgspec

from kedge.aio.clock import Clock
from kedge.client.http import Transport
from kedge.client.requests import Request
from kedge.client.responses import read
from kedge.kube.kind import Kind

FRESH_SECONDS: Final = 600.0
"""So long an answer counts: kinds are installed and changed by people."""


class ApiResource(msgspec.Struct, rename="camel"):
    """One resource, or subresource, of a group and version."""

    name: str
    kind: str = ""
    namespaced: bool = False
    verbs: list[str] = msgspec.field(default_factory=list)
    singular_name: str = ""
    short_names: list[str] | None = None
    categories: list[str] | None = None


class _Resources(msgspec.Struct):
    resources: list[ApiResource] = msgspec.field(default_factory=list)


class Discovery:
    """Knows the resources of each group and version that somebody asked for."""

    def __init__(self, transport: Transport, clock: Clock) -> None:
        """Know nothing yet."""
        self._transport = transport
        self._clock = clock
        self._known: dict[str, tuple[float, list[ApiResource]]] = {}

    async def resources(self, kind: Kind[Any]) -> list[ApiResource]:
        """Give all resources that are served beside this kind; raises NotFound."""
        if self._age(kind) < FRESH_SECONDS:
            return self._known[kind.root][1]
        request = Request("GET", kind.root, repeatable=True)
        found = read(await self._transport.send(request), _Resources).resources
        self._known[kind.root] = (self._clock.monotonic(), found)
        return found

    async def has(
        self, kind: Kind[Any], subresource: str, doubt_seconds: float = FRESH_SECONDS
    ) -> bool:
        """Tell whether the objects of a kind have this subresource.

        After the seconds of doubt an answer of no is asked for again.
        """
        wanted = f"{kind.plural}/{subresource}"
        if any(one.name == wanted for one in await self.resources(kind)):
            return True
        if self._age(kind) < doubt_seconds:
            return False
        self.forget(kind)
        return any(one.name == wanted for one in await self.resources(kind))

    def forget(self, kind: Kind[Any]) -> None:
        """Look again the next time."""
        self._known.pop(kind.root, None)

    def _age(self, kind: Kind[Any]) -> float:
        if kind.root not in self._known:
            return math.inf
        return self._clock.monotonic() - self._known[kind.root][0]
