"""One object that is being worked on for long: each write is bound to the version last seen.

A write whose answer is lost is looked up, and what somebody else changed meanwhile, such as a
label, is no reason to give up. Another phase is: then the object is another's.
"""

import logging
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from kedge.aio.backoff import Backoff
from kedge.aio.clock import Clock
from kedge.client.client import Client
from kedge.client.errors import ClientError
from kedge.client.patches import merge
from kedge.client.status import StatusOf
from kedge.kube.errors import ApiError, Conflict, NotFound
from kedge.kube.foreign import cut
from kedge.kube.kind import Kind, Object
from kedge.kube.meta import ObjectMeta
from kedge.runtime.key import Key

logger = logging.getLogger(__name__)

AGAIN: Final = Backoff(0.05, 10.0)
TOO_MANY: Final = 429
BROKEN: Final = 500
NEW: Final = "New"
"""The phase of an object that has none."""


class Lost(Exception):
    """The object is not ours any more."""

    def __init__(self, why: str, *, is_gone: bool) -> None:
        """Tell why; `is_gone` where there is no such object any more."""
        super().__init__(why)
        self.is_gone = is_gone


@dataclass(slots=True)
class Held:
    """One object, and what is written to it."""

    client: Client
    clock: Clock
    kind: Kind[Object]
    obj: Object
    patience_seconds: float
    """A write is tried for so long."""

    @property
    def name(self) -> str:
        """Its name."""
        name: str = self.obj["metadata"]["name"]
        return name

    @property
    def key(self) -> Key:
        """Its key."""
        return Key(self.obj["metadata"]["namespace"], self.name)

    @property
    def uid(self) -> str:
        """Its uid."""
        uid: str = self.obj["metadata"]["uid"]
        return uid

    @property
    def version(self) -> str:
        """The version that was last seen."""
        version: str = self.obj["metadata"]["resourceVersion"]
        return version

    @property
    def spec(self) -> Object:
        """Its spec."""
        spec: Object = self.obj.get("spec") or {}
        return spec

    @property
    def status(self) -> Object:
        """Its status."""
        status: Object = self.obj.get("status") or {}
        return status

    @property
    def phase(self) -> str:
        """Its phase."""
        return str(self.status.get("phase") or NEW)

    async def write(self, status: Object | None = None, change: Object | None = None) -> None:
        """Write the status, and a change beside it; raises Lost, and what no patience helps with.

        Where the status is no subresource, this is one write.
        """
        before, wanted = self.phase, str((status or {}).get("phase") or self.phase)
        start, failures = self.clock.monotonic(), 0
        while True:
            try:
                await self._write(status, change)
            except NotFound as exc:
                raise Lost(f"the {self._what} was deleted", is_gone=True) from exc
            except (ClientError, ApiError) as exc:
                is_late = self.clock.monotonic() - start >= self.patience_seconds
                if not _is_passing(exc) or (is_late and not isinstance(exc, Conflict)):
                    raise
                logger.debug("a write failed", extra={"error": cut(str(exc))})
            else:
                return
            failures += 1
            await self.clock.sleep(AGAIN.delay(failures))
            if await self._look(before, wanted) and wanted != before and self._has(status or {}):
                return  # it was done, though we were told otherwise

    @property
    def _what(self) -> str:
        return self.kind.name.lower()

    async def _write(self, status: Object | None, change: Object | None) -> None:
        if change:
            both = {**change, "status": status} if status else change
            self.obj = await self.client.patch(
                self.kind, self.name, merge(self._bound(both)), self.key.namespace
            )
            if not status or self.phase == status.get("phase"):
                return
        if status:
            over = StatusOf(msgspec.convert(self.obj["metadata"], ObjectMeta), self.status)
            self.obj = await self.client.write_status(self.kind, over, status)

    def _has(self, status: Object) -> bool:
        """Tell whether the status is this one; else somebody else came to the same phase."""
        if all(self.status.get(name) == value for name, value in status.items()):
            return True
        raise Lost(f"somebody else has set the phase to {self.phase}", is_gone=False)

    def _bound(self, change: Object) -> Object:
        metadata: dict[str, Any] = {**change.get("metadata", {}), "resourceVersion": self.version}
        return {**change, "metadata": metadata}

    async def _look(self, before: str, wanted: str) -> bool:
        """Read it anew; tell whether it is in the phase that it was to come to."""
        try:
            found = await self.client.get(self.kind, self.name, self.key.namespace)
        except NotFound as exc:
            raise Lost(f"the {self._what} was deleted", is_gone=True) from exc
        except (ClientError, ApiError) as exc:
            if not _is_passing(exc):
                raise
            return False
        if found["metadata"]["uid"] != self.uid:
            raise Lost(f"the {self._what} was deleted, and another has its name", is_gone=True)
        self.obj = found
        if self.phase not in (before, wanted):
            raise Lost(f"somebody else has set the phase to {self.phase}", is_gone=False)
        return self.phase == wanted


def _is_passing(exc: Exception) -> bool:
    """Tell whether a write may succeed when it is tried again."""
    if isinstance(exc, ApiError):
        return isinstance(exc, Conflict) or exc.code == TOO_MANY or exc.code >= BROKEN
    return isinstance(exc, ClientError)
