"""Waits until kinds that came back with a restore can be used."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Final

from kedge.aio.clock import Clock
from kedge.client.client import Client
from kedge.engine.discovery import Served, discover
from kedge.engine.journal import Journal
from kedge.engine.restore.fields import rows, text
from kedge.kube.errors import NotFound
from kedge.kube.kind import Object, plain

CRDS: Final = plain(
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
    "customresourcedefinitions",
    namespaced=False,
)
READY: Final = ("NamesAccepted", "Established")
FIRST_SECONDS: Final = 0.05
MOST_SECONDS: Final = 1.0


class Definitions:
    """Waits for CustomResourceDefinitions, and for what the cluster says it serves."""

    def __init__(self, client: Client, clock: Clock, timeout: timedelta, journal: Journal) -> None:
        """Wait no longer than a timeout."""
        self._client = client
        self._clock = clock
        self._timeout = timeout
        self._journal = journal

    async def settle(self, definitions: list[Object]) -> Served:
        """Wait until all these are established and can be found; tell what is served then."""
        deadline = self._clock.monotonic() + self._timeout.total_seconds()
        missing: set[tuple[str, str]] = set()
        for definition in definitions:
            name = text(definition, "metadata", "name")
            if await self._established(name, deadline):
                missing.update(kinds_of(definition))
            else:
                told = f"the CRD {name} is not available to use for custom resources"
                self._journal.error(told, namespace="", resource=str(CRDS), name=name)
        delay = FIRST_SECONDS
        while True:
            served = await discover(self._client)
            there = {(str(each), each.kind.version) for each in served.resources}
            if missing <= there or self._clock.monotonic() >= deadline:
                return served
            await self._clock.sleep(delay)
            delay = min(delay * 2, MOST_SECONDS)

    async def _established(self, name: str, deadline: float) -> bool:
        delay = FIRST_SECONDS
        while True:
            try:
                if is_ready(await self._client.get(CRDS, name)):
                    return True
            except NotFound:
                return False
            if self._clock.monotonic() >= deadline:
                return False
            await self._clock.sleep(delay)
            delay = min(delay * 2, MOST_SECONDS)


def is_ready(definition: Object) -> bool:
    """Tell whether objects of a definition can be made."""
    found = {
        text(each, "type"): text(each, "status")
        for each in rows(definition, "status", "conditions")
    }
    return all(found.get(each) == "True" for each in READY)


def kinds_of(definition: Object) -> Iterator[tuple[str, str]]:
    """Give the resources that a definition makes, `plural.group`, each with its version."""
    group, plural = text(definition, "spec", "group"), text(definition, "spec", "names", "plural")
    for version in rows(definition, "spec", "versions"):
        if version.get("served") is True:
            yield f"{plural}.{group}", text(version, "name")
