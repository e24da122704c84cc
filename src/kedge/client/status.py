"""Writes a status the way a cluster takes it.

Most kinds have a status subresource. A CRD may have none (a stock Velero's have not): there the
status is a part of the object like any other. Which of the two it is, discovery tells.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import msgspec

from kedge.client import requests
from kedge.client.discovery import Discovery
from kedge.client.http import Transport
from kedge.client.patches import Patch, merge
from kedge.client.requests import Request, Writing
from kedge.client.responses import Response, error_of, read
from kedge.kube.errors import ApiError
from kedge.kube.kind import Kind, Object
from kedge.kube.meta import ObjectMeta
from kedge.kube.patch.merge import merge as laid_over

T = TypeVar("T")

STATUS: Final = "status"
NO_SUCH_PATH: Final = 404
DOUBT_SECONDS: Final = 30.0


class StatusChange(msgspec.Struct, frozen=True):
    """What is to become of the status of one object."""

    name: str
    namespace: str | None
    patch: Patch


class StatusOf(msgspec.Struct, frozen=True):
    """The status that an object has in one of its versions."""

    metadata: ObjectMeta
    """The whole of it, with the version: who has written what in it is noted anew with a status."""
    status: Object | None


class Statuses:
    """Finds the path of a status, once for each kind, and again where it was wrong."""

    def __init__(self, transport: Transport, discovery: Discovery) -> None:
        """Write through a transport."""
        self._transport = transport
        self._discovery = discovery

    async def patch(
        self, kind: Kind[T], name: str, change: Patch, namespace: str | None, writing: Writing
    ) -> T:
        """Change the status of an object."""

        def request(subresource: str) -> Request:
            return requests.patch(kind, name, change, namespace, writing, subresource)

        return read(await self._send(kind, request), kind.model)

    async def write(self, kind: Kind[T], over: StatusOf, change: Object, writing: Writing) -> T:
        """Change the status of an object that is still in this version."""
        meta = over.metadata

        def request(subresource: str) -> Request:
            if subresource:
                status = laid_over(over.status or {}, change)
                return requests.put_status(kind, meta, status, writing)
            patch = merge({"metadata": {"resourceVersion": meta.resource_version}, STATUS: change})
            return requests.patch(kind, meta.name, patch, meta.namespace or None, writing)

        return read(await self._send(kind, request), kind.model)

    async def patch_all(
        self, kind: Kind[T], changes: Sequence[StatusChange], writing: Writing
    ) -> list[T | ApiError]:
        """Change the status of several objects, one behind the other."""
        place = await self._place(kind)
        asked = [
            requests.patch(kind, one.name, one.patch, one.namespace, writing, place)
            for one in changes
        ]
        found: list[T | ApiError] = []
        for change, response in zip(changes, await self._transport.send_all(asked), strict=True):
            try:
                if response.code == NO_SUCH_PATH and not _names_object(response):
                    where = (change.name, change.patch, change.namespace)
                    new: T = await self.patch(kind, *where, writing)
                    found.append(new)
                else:
                    found.append(read(response, kind.model))
            except ApiError as exc:
                found.append(exc)
        return found

    async def update(self, kind: Kind[T], obj: T, namespace: str | None, writing: Writing) -> T:
        """Put the status of an object in the place of the older one."""

        def request(subresource: str) -> Request:
            return requests.update(kind, obj, namespace, writing, subresource)

        return read(await self._send(kind, request), kind.model)

    async def _send(self, kind: Kind[Any], request: Callable[[str], Request]) -> Response:
        response = await self._transport.send(request(await self._place(kind)))
        if response.code == NO_SUCH_PATH and not _names_object(response):
            # The subresource, not the object, is not there: the kind was changed meanwhile.
            self._discovery.forget(kind)
            response = await self._transport.send(request(await self._place(kind)))
        return response

    async def _place(self, kind: Kind[Any]) -> str:
        # A kind that gets a status subresource ignores the status in the object without a word,
        # so the answer that there is none does not count for long.
        if await self._discovery.has(kind, STATUS, doubt_seconds=DOUBT_SECONDS):
            return STATUS
        return ""


def _names_object(response: Response) -> bool:
    details = error_of(response).details or {}
    return bool(details.get("name"))
