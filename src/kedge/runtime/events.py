"""Tells users what happened to their objects: core/v1 Events, as `kubectl describe` shows them."""

import asyncio
import logging
import random
import uuid
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Protocol

from kedge.aio.clock import Clock, SystemClock
from kedge.client import Client, ClientError
from kedge.client.patches import merge
from kedge.kube import foreign
from kedge.kube.errors import AlreadyExists, ApiError, Forbidden, NotFound
from kedge.kube.kind import Kind, Object, plain
from kedge.kube.names import subdomain_name
from kedge.kube.times import format_time
from kedge.runtime.correlate import Correlator, Happening, Subject, Telling, cut

logger = logging.getLogger(__name__)

NORMAL: Final = "Normal"
WARNING: Final = "Warning"
EVENTS: Final = plain("v1", "Event", "events")
HOME: Final = "default"
"""The namespace of events about what is in none."""
PASSING: Final = (429, 500)
"""Too many requests, and all codes from here on: it may go well later."""
TERMINATING: Final = "NamespaceTerminating"
"""The cause that the Status names where nothing can be created any more."""
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class EventSettings:
    """Bounds of a recorder; the first three are those of client-go."""

    queued: int = 1000
    """Events that wait to be sent; beyond that new ones are dropped."""
    tries: int = 12
    """For each event, where the server can not be reached."""
    retry_seconds: float = 10.0
    """Between two tries."""
    flush_seconds: float = 5.0
    """What still waits at the end is sent within this time, or never."""


class EventSink(Protocol):
    """Keeps Events. Every verb raises ApiError or ClientError."""

    async def create(self, event: Object, namespace: str) -> None:
        """Make one."""

    async def change(self, name: str, change: Object, namespace: str) -> None:
        """Put some fields into one that is there; raises NotFound."""


class ApiEvents:
    """Keeps Events in a Kubernetes API."""

    def __init__(self, client: Client) -> None:
        """Speak through a client, which need not be guarded: an event changes no state."""
        self._client = client

    async def create(self, event: Object, namespace: str) -> None:
        """Make one."""
        await self._client.create(EVENTS, event, namespace)

    async def change(self, name: str, change: Object, namespace: str) -> None:
        """Put some fields into one that is there; raises NotFound."""
        await self._client.patch(EVENTS, name, merge(change), namespace)


class Recorder:
    """Takes events at once, and sends them when it can; `run` must run beside it."""

    def __init__(
        self,
        sink: EventSink,
        component: str,
        settings: EventSettings | None = None,
        clock: Clock | None = None,
        draw: Callable[[], float] = random.random,
    ) -> None:
        """Record in the name of a component."""
        self._sink = sink
        self._component = component
        self._settings = settings or EventSettings()
        self._clock = clock or SystemClock()
        self._draw = draw
        self._correlator = Correlator()
        self._queue: deque[Happening] = deque()
        self._filled = asyncio.Event()
        self._sending: Telling | None = None
        self._last_nanos = 0
        self._warned: set[str] = set()

    def record(
        self, obj: Any, type_: str, reason: str, message: str, *, kind: Kind[Any] | None = None
    ) -> None:
        """Tell something about an object; it neither waits nor raises.

        `type_` is NORMAL or WARNING, `reason` one word in CamelCase. The object is a dict, a typed
        one, or an entry of a cache; `kind` is needed where it does not name its own.
        """
        subject, version = _subject(obj, kind)
        if not subject.name or not subject.kind or type_ not in (NORMAL, WARNING):
            facts = {"type": str(type_), "reason": str(reason), "object": subject.name}
            logger.error("an event was not recorded: it has no object or a wrong type", extra=facts)
            return
        if len(self._queue) >= self._settings.queued:
            self._warn("full", "an event was dropped: too many wait", reason=str(reason))
            return
        now = self._clock.now()
        self._queue.append(
            Happening(
                subject=subject,
                type=type_,
                reason=str(reason),
                message=cut(str(message)),
                at=now,
                elapsed=self._clock.monotonic(),
                name=self._name(subject.name, now),
                version=version,
            )
        )
        self._filled.set()

    async def run(self) -> None:
        """Send events until cancelled, and then those that still wait."""
        try:
            while True:
                await self._filled.wait()
                await self._send_next(self._settings.tries)
        except asyncio.CancelledError:
            await self._flush()
            raise

    async def _flush(self) -> None:
        try:
            async with asyncio.timeout(self._settings.flush_seconds):
                while self._queue or self._sending is not None:
                    await self._send_next(tries=1)
        except TimeoutError:
            logger.warning("events were dropped at the end", extra={"count": len(self._queue)})

    async def _send_next(self, tries: int) -> None:
        # One that was interrupted is sent again, and not counted again.
        if self._sending is None:
            self._sending = self._correlator.correlate(self._queue.popleft())
        if self._sending is not None:
            await self._send(self._sending, tries)
            self._sending = None
        if not self._queue:
            self._filled.clear()

    async def _send(self, telling: Telling, tries: int) -> None:
        for number in range(1, tries + 1):
            try:
                await self._write(telling)
            except (ApiError, ClientError) as exc:
                if isinstance(exc, ApiError) and not _is_passing(exc):
                    self._refused(telling, exc)
                    return
                error = foreign.cut(str(exc))
            else:
                self._warned.discard("failed")
                return
            if number < tries:
                # So that those who lost the same server do not come back at once.
                share = self._draw() if number == 1 else 1.0
                await self._clock.sleep(self._settings.retry_seconds * share)
        self._warn("failed", "an event could not be sent", error=error)

    async def _write(self, telling: Telling) -> None:
        namespace = telling.happening.subject.namespace or HOME
        if telling.count > 1:
            change = {
                "count": telling.count,
                "lastTimestamp": format_time(telling.happening.at),
                "message": telling.happening.message,
            }
            try:
                await self._sink.change(telling.name, change, namespace)
            except NotFound:
                pass  # It is old enough to be gone, or was never sent.
            else:
                return
        await self._sink.create(event_of(telling, self._component), namespace)

    def _refused(self, telling: Telling, exc: ApiError) -> None:
        """Drop an event that the server does not take: quietly where its object goes anyway."""
        is_expected = isinstance(exc, AlreadyExists | NotFound) or (
            isinstance(exc, Forbidden) and _is_terminating(exc)
        )
        if is_expected:
            logger.debug("an event was not taken", extra={"error": foreign.cut(str(exc))})
        else:
            self._warn(exc.reason, "an event was not taken", error=foreign.cut(str(exc)))

    def _warn(self, what: str, message: str, **facts: str) -> None:
        """Warn once of each thing: it is the same for every event."""
        level = logging.DEBUG if what in self._warned else logging.WARNING
        self._warned.add(what)
        logger.log(level, message, extra=facts)

    def _name(self, subject: str, now: datetime) -> str:
        """Name an event after its object and the time, in nanoseconds that are never the same."""
        nanos = (now - EPOCH) // timedelta(microseconds=1) * 1000
        self._last_nanos = max(nanos, self._last_nanos + 1)
        name = f"{subject}.{self._last_nanos:x}"
        return name if not subdomain_name(name) else str(uuid.uuid4())


def event_of(telling: Telling, component: str) -> Object:
    """Make the object of an event."""
    happening, subject = telling.happening, telling.happening.subject
    involved = {
        "apiVersion": subject.api_version,
        "kind": subject.kind,
        "namespace": subject.namespace,
        "name": subject.name,
        "uid": subject.uid,
        "resourceVersion": happening.version,
    }
    return {
        "metadata": {"name": telling.name, "namespace": subject.namespace or HOME},
        "involvedObject": {field: value for field, value in involved.items() if value},
        "type": happening.type,
        "reason": happening.reason,
        "message": happening.message,
        "source": {"component": component},
        "reportingComponent": component,
        "firstTimestamp": format_time(telling.first),
        "lastTimestamp": format_time(happening.at),
        "count": telling.count,
    }


def _subject(obj: Any, kind: Kind[Any] | None) -> tuple[Subject, str]:
    """Point to an object; what it does not tell is empty."""
    if isinstance(obj, Mapping):
        meta = obj.get("metadata")
        meta = meta if isinstance(meta, Mapping) else {}
        api_version, name = obj.get("apiVersion"), obj.get("kind")
        fields = [meta.get(one) for one in ("namespace", "name", "uid", "resourceVersion")]
    else:
        meta = getattr(obj, "metadata", None) or getattr(obj, "meta", None)
        api_version, name = getattr(obj, "api_version", None), getattr(obj, "kind", None)
        fields = [getattr(meta, one, None) for one in _FIELDS]
    if kind is not None:
        api_version, name = kind.api_version, kind.name
    namespace, own, uid, version = (_text(field) for field in fields)
    return Subject(_text(api_version), _text(name), namespace, own, uid), version


_FIELDS: Final = ("namespace", "name", "uid", "resource_version")


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _is_passing(exc: ApiError) -> bool:
    too_many, failures = PASSING
    return exc.code == too_many or exc.code >= failures


def _is_terminating(exc: ApiError) -> bool:
    causes = (exc.details or {}).get("causes") or ()
    return any(cause.get("reason") == TERMINATING for cause in causes)
