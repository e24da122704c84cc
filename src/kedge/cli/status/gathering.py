"""Reads all that a report is made of, in few requests, and as far as the caller may."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from kedge.client import Client
    from kedge.kube.kind import Kind, Object

MOST: Final = 10_000
"""Objects of one kind that are looked at: their names tell nothing of their age, so all are read
as far as that is bearable."""
PAGE: Final = 500
FORBIDDEN: Final = "forbidden"
MISSING: Final = "missing"


@dataclass(slots=True)
class Listing:
    """The objects of one kind, or why they are not known."""

    plural: str
    objects: list[Object] = field(default_factory=list)
    problem: str = ""
    """FORBIDDEN or MISSING; empty: none."""
    namespace: str | None = None
    """In which it was looked; None: in all."""
    is_cut: bool = False
    """There are more than were looked at."""


@dataclass(slots=True)
class Gathered:
    """All there is, as far as it may be seen."""

    namespace: str
    """Where Velero's objects are looked for."""
    own: str
    """The namespace of somebody who may not look into all of them."""
    lists: dict[str, Listing]
    """By the plural of the kind."""
    lease: Object | None = None
    deployment: Object | None = None
    elsewhere: str = ""
    """Another namespace that has storage locations, where this one has nothing of Velero's."""
    is_homeless: bool = False
    """The namespace that Velero's objects are looked for in is not there."""
    is_asked: bool = False
    """The server was asked whether it runs."""
    answer: str = ""
    """The version that it said; empty: it did not answer."""

    def objects(self, kind: Kind[Any]) -> list[Object]:
        """Give the objects of a kind, as far as they are known."""
        return self.lists[kind.plural].objects

    def problem(self, kind: Kind[Any]) -> str:
        """Say why the objects of a kind are not known; empty: they are."""
        return self.lists[kind.plural].problem

    @property
    def is_installed(self) -> bool:
        """Whether the server has any of the kinds."""
        from kedge.cli.status.kinds import EVENTS

        ours = (one for plural, one in self.lists.items() if plural != EVENTS.plural)
        return any(one.problem != MISSING for one in ours)


async def gather(client: Client, place: str, own: str) -> Gathered:
    """Read everything at once."""
    from kedge.cli.operator.settings import LEASE
    from kedge.cli.status.kinds import AT_HOME, DEPLOYMENTS, EVENTS, EVERYWHERE, MISSED
    from kedge.runtime.lease import LEASES

    lists = await asyncio.gather(
        *(read_list(client, kind, place) for kind in AT_HOME),
        *(_widest(client, kind, own) for kind in EVERYWHERE),
        read_list(client, EVENTS, place, fields=f"reason={MISSED}"),
    )
    found = Gathered(place, own, {one.plural: one for one in lists})
    found.lease, found.deployment = await asyncio.gather(
        one_or_none(client, LEASES, LEASE, place),
        one_or_none(client, DEPLOYMENTS, LEASE, place),
    )
    if not any(one.objects or one.problem == FORBIDDEN for one in lists[: len(AT_HOME)]):
        found.elsewhere = await _elsewhere(client, place)
    return found


async def read_list(
    client: Client, kind: Kind[Object], place: str | None, fields: str = ""
) -> Listing:
    """Read the objects of a kind; that they may not be seen, or can not be, is no failure."""
    from kedge.client import Selection
    from kedge.kube.errors import Expired, Forbidden, NotFound

    found = Listing(kind.plural, namespace=place)
    try:
        async for page in client.pages(kind, Selection(place, fields=fields), PAGE):
            found.objects += page.items
            if len(found.objects) >= MOST:
                found.is_cut = bool(page.token)
                break
    except Forbidden:
        found.problem = FORBIDDEN
    except NotFound:
        found.problem = MISSING
    except Expired:
        found.is_cut = True
    return found


async def _widest(client: Client, kind: Kind[Object], own: str) -> Listing:
    """Read the objects of all namespaces, or else those of one's own."""
    found = await read_list(client, kind, None)
    return found if found.problem != FORBIDDEN else await read_list(client, kind, own)


async def one_or_none(
    client: Client, kind: Kind[Object], name: str, place: str | None
) -> Object | None:
    """Read one object; None where there is none, or none that may be seen."""
    from kedge.kube.errors import Forbidden, NotFound

    try:
        return await client.get(kind, name, place)
    except (Forbidden, NotFound):
        return None


async def _elsewhere(client: Client, place: str) -> str:
    """Find the namespace that Velero's objects are in, if it is another one."""
    from kedge.cli.location.kind import LOCATIONS
    from kedge.client import Selection
    from kedge.kube.errors import ApiError

    try:
        page = await client.page(LOCATIONS, Selection(None), size=PAGE)
    except ApiError:
        return ""
    names = sorted({str(one["metadata"].get("namespace") or "") for one in page.items})
    return next((name for name in names if name not in ("", place)), "")
