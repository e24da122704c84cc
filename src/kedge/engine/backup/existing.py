"""The namespaces of a cluster, read once: a backup looks at them again and again."""

from collections.abc import AsyncIterator
from typing import Final

import msgspec

from kedge.api.velero.labels import EXCLUDE_FROM_BACKUP
from kedge.client.client import Client
from kedge.client.requests import EVERYTHING
from kedge.engine.backup.bound import Bound
from kedge.engine.backup.items import Raw, Unreadable, head_of
from kedge.engine.backup.listing import first_page, size_of
from kedge.engine.backup.namespaces import Existing
from kedge.kube.kind import plain

KEPT_BYTES: Final = 2 * 2**20
"""Of the objects themselves: where there are more, they are read again at the end."""
NAMESPACE: Final = plain("v1", "Namespace", "namespaces", namespaced=False)


async def existing_namespaces(client: Client, bound: Bound | None = None) -> Existing:
    """Ask for all namespaces, as new as they must be; raises ApiError or ClientError."""
    names: set[str] = set()
    left_out: set[str] = set()
    kept: list[Raw] = []
    size = 0
    async for raw in _namespaces(client, bound or Bound()):
        size += size_of(raw)
        if size <= KEPT_BYTES:
            kept.append(raw)
        try:
            meta = head_of(raw).metadata
        except Unreadable:
            continue  # that it is lost is told when it is to be saved
        names.add(meta.name)
        if (meta.labels or {}).get(EXCLUDE_FROM_BACKUP) == "true":
            left_out.add(meta.name)
    whole = tuple(kept) if size <= KEPT_BYTES else None
    return Existing(frozenset(names), tuple(sorted(left_out)), whole)


async def _namespaces(client: Client, bound: Bound) -> AsyncIterator[msgspec.Raw]:
    page = await first_page(client, NAMESPACE.raw, EVERYTHING, None, bound)
    while True:
        for raw in page.items:
            yield raw
        if not page.token:
            return
        page = await client.page(NAMESPACE.raw, token=page.token)
