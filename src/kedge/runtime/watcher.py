"""Lists and watches one collection for ever, as a state machine: each step has one outcome.

    Start ──▶ Paging ──▶ Resume ◀──▶ Tailing        what breaks is resumed from the last version
      └─────▶ Initial ──────────────▶┘              what has expired begins anew

A step never raises what a server or a network does: it waits, and goes on from where it was. What
is no event, or an error instead of one, would come again from the same version: then, too, a list
is read anew.
"""

import logging
import math
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

import msgspec

from kedge.aio.backoff import Backoff
from kedge.aio.clock import Clock
from kedge.client import BadAnswer, ClientError, Disconnected, Following, Selection
from kedge.client.decoders import Event
from kedge.client.lines import Failed, Item, Unreadable
from kedge.client.responses import Misfit, error_from
from kedge.kube.errors import ApiError, BadRequest, Expired, Gone, Invalid
from kedge.kube.foreign import cut
from kedge.kube.kind import Kind
from kedge.kube.watch import ADDED, BOOKMARK, DELETED, INITIAL_EVENTS_END, MODIFIED
from kedge.runtime.outputs import RESTARTED, SYNCED, Batch, Output
from kedge.runtime.peer import Peer, Raw, Watching
from kedge.runtime.version import is_older
from kedge.runtime.watchdog import Watchdog

logger = logging.getLogger(__name__)

CHANGES: Final = frozenset({ADDED, MODIFIED, DELETED})
SHORT_SECONDS: Final = 1.0
"""A watch that ends within this time, and has brought nothing new, has failed."""
STEADY_SECONDS: Final = 60.0
"""After so long a time failures of the past do not count, and a list may follow at once."""


@dataclass(frozen=True, slots=True)
class WatchSettings:
    """How a collection is followed."""

    page: int = 500
    """Objects in one answer to a list."""
    streaming: bool = False
    """Take what there is as events of the watch; a server that can not is asked for a list."""
    watch_seconds: int = 290
    """The server ends a watch after this time: within the five minutes of many load balancers."""
    silence_seconds: float = 310.0
    """A watch from which nothing comes for so long, not even its end, is dead."""
    backoff: Backoff = field(default_factory=lambda: Backoff(first=0.8, most=30.0))
    """After a failure; the numbers are those of client-go."""
    stale_lists: int = 5
    """So often a list that is older than what was seen is asked for again; then it counts: a
    store that was restored from a backup has gone back for good."""


@dataclass(frozen=True, slots=True)
class Start:
    """Nothing is known."""


@dataclass(frozen=True, slots=True)
class Paging:
    """A list is being read; `token` asks for its next page."""

    token: str


@dataclass(frozen=True, slots=True)
class Initial:
    """All there is comes as events."""

    watch: Watching


@dataclass(frozen=True, slots=True)
class Resume:
    """All is known up to `version`, and no watch is open."""

    version: str


@dataclass(frozen=True, slots=True)
class Tailing:
    """A watch is open; all is known up to `version`."""

    watch: Watching
    version: str


State: TypeAlias = Start | Paging | Initial | Resume | Tailing


class StaleList(Exception):
    """A list, or an event, is older than what was seen before."""


class _Meta(msgspec.Struct, rename="camel"):
    resource_version: str = ""
    annotations: dict[str, str] | None = None


class _Versioned(msgspec.Struct):
    metadata: _Meta = msgspec.field(default_factory=_Meta)


_read_version: Final = msgspec.json.Decoder(_Versioned).decode


class Watcher:
    """Follows the objects of a kind; for one reader."""

    def __init__(
        self,
        client: Peer,
        kind: Kind[Any],
        selection: Selection,
        settings: WatchSettings,
        clock: Clock,
    ) -> None:
        """Begin with the first step."""
        self.kind = kind
        self.state: State = Start()
        self.watchdog = Watchdog(settings.silence_seconds, clock)
        """Must run beside the steps."""
        self._raw = kind.raw
        self._client = client
        self._selection = selection
        self._settings = settings
        self._clock = clock
        self._stack = AsyncExitStack()
        self._failures = 0
        self._stale = 0
        self._seen = "0"
        self._listed = -math.inf
        self._opened = math.inf
        self._from = ""
        self._streaming = settings.streaming
        self._size = settings.page

    async def run(self, take: Callable[[Output], None]) -> None:
        """Step for ever; `take` gets each outcome before the next step begins."""
        try:
            while True:
                for output in await self.step():
                    take(output)
        finally:
            await self._close()

    async def step(self) -> Sequence[Output]:
        """Do the next thing; what fails is told to the log, and tried again after a while."""
        try:
            return await self._advance()
        except (ApiError, ClientError, StaleList) as exc:
            await self._fail(exc)
        except Exception as exc:
            # Whatever a server sends, it must not end the process.
            logger.exception("the watch met what was not expected", extra={"kind": str(self.kind)})
            await self._fail(BadAnswer(f"{type(exc).__name__}: {cut(str(exc))}"))
        return ()

    async def _advance(self) -> Sequence[Output]:
        match self.state:
            case Start():
                return await self._start()
            case Paging(token):
                return await self._page(token)
            case Initial(watch):
                return await self._initial(watch)
            case Resume(version):
                watch = await self._open(Following(version, self._settings.watch_seconds))
                self.state = Tailing(watch, version)
                return ()
            case Tailing(watch, version):
                return await self._tail(watch, version)

    async def _start(self) -> Sequence[Output]:
        if not self._streaming:
            return (RESTARTED, *await self._page(""))
        following = Following("", self._settings.watch_seconds, initial=True)
        try:
            watch = await self._open(following)
        except (Invalid, BadRequest):
            self._streaming = False
            return ()
        self.state = Initial(watch)
        return (RESTARTED,)

    async def _page(self, token: str) -> Sequence[Output]:
        page = await self._client.page(self._raw, self._selection, self._size, token)
        self._check_age(page.version)
        for misfit in page.misfits:
            self._warn(misfit)
        batch = Batch([Event(ADDED, item) for item in page.items])
        if page.token:
            self.state = Paging(page.token)
            return (batch,)
        return (batch, self._complete(page.version))

    async def _initial(self, watch: Watching) -> Sequence[Output]:
        items = await self._batch(watch)
        if not items:
            # A server that does not know how ignores that it was asked to.
            self._streaming = False
            raise BadAnswer(f"the watch of {self.kind} ended before all there is was told")
        events, version, is_end = self._sort(items)
        if not is_end:
            return (Batch(events),)
        self._check_age(version)
        synced = self._complete(version)
        self.state = Tailing(watch, version)
        return (Batch(events), synced)

    async def _tail(self, watch: Watching, version: str) -> Sequence[Output]:
        items = await self._batch(watch)
        if not items:
            if version == self._from and not self._held(SHORT_SECONDS):
                raise Disconnected("the watch ended at once")
            if self._held(STEADY_SECONDS):
                self._failures = 0
            await self._close()
            self.state = Resume(version)
            return ()
        events, newest, _ = self._sort(items)
        if is_older(newest, self._from):
            raise StaleList(f"an event of version {newest} came after {self._from}")
        if newest and newest != version:
            self.state = Tailing(watch, newest)
            self._note(newest)
            self._failures = 0
        return (Batch(events),) if events else ()

    async def _batch(self, watch: Watching) -> Sequence[Item[Raw]]:
        items = await watch.batch()
        self.watchdog.heard()
        return items

    def _sort(self, items: Sequence[Item[Raw]]) -> tuple[list[Event[Raw]], str, bool]:
        """Part events from bookmarks; give the newest version, and whether the list is complete."""
        events: list[Event[Raw]] = []
        last: Event[Raw] | None = None
        is_end = False
        for item in items:
            if isinstance(item, Unreadable):
                item = self._without(item)
            elif isinstance(item, Failed):
                raise error_from(item.status)
            last = item
            if item.type in CHANGES:
                events.append(item)
            elif item.type == BOOKMARK:
                is_end = is_end or _ends_initial_events(item)
            else:
                raise BadAnswer(f"an event of {self.kind} has the type {item.type!r}")
        return events, _version(last) if last is not None else "", is_end

    def _without(self, item: Unreadable) -> Event[Raw]:
        """Take an object that can not be read for one that is not there."""
        self._warn(item.misfit)
        return Event(DELETED, msgspec.Raw(msgspec.json.encode(item.misfit.object)))

    def _warn(self, misfit: Misfit) -> None:
        meta = misfit.object.metadata
        logger.warning(
            "an object can not be read and is left out",
            extra={
                "kind": str(self.kind),
                "object": f"{meta.namespace}/{meta.name}",
                "error": misfit.why,
            },
        )

    async def _open(self, following: Following) -> Watching:
        await self._close()
        watch = await self._stack.enter_async_context(
            self._client.watch(self._raw, self._selection, following)
        )
        self.watchdog.guard(watch.abort)
        self._opened = self._clock.monotonic()
        self._from = following.version
        return watch

    def _held(self, seconds: float) -> bool:
        """Tell whether the watch has been open for so long."""
        return self._clock.monotonic() - self._opened >= seconds

    async def _close(self) -> None:
        self.watchdog.rest()
        self._opened = math.inf
        stack, self._stack = self._stack, AsyncExitStack()
        await stack.aclose()

    def _complete(self, version: str) -> Output:
        self.state = Resume(version)
        self._note(version)
        self._listed = self._clock.monotonic()
        self._size = self._settings.page
        return SYNCED

    def _check_age(self, version: str) -> None:
        """Refuse a list that is older than what was seen, for a while."""
        if is_older(version, self._seen):
            self._stale += 1
            if self._stale <= self._settings.stale_lists:
                raise StaleList(f"a list of version {version} came after {self._seen}")
            self._seen = version
        self._stale = 0

    def _note(self, version: str) -> None:
        if is_older(self._seen, version):
            self._seen = version

    async def _fail(self, exc: Exception) -> None:
        if isinstance(self.state, Tailing) and self._held(STEADY_SECONDS):
            self._failures = 0
        if isinstance(self.state, Paging) and isinstance(exc, (Expired, Gone)):
            self._size = 0  # it takes longer than the server remembers, so all in one
        await self._close()
        self.state = _after(self.state, exc)
        self._failures += 1
        delay = self._delay(exc)
        self._tell(exc, delay)
        await self._clock.sleep(delay)

    def _delay(self, exc: Exception) -> float:
        """Give the seconds to wait; that a version expires is no reason to, now and then."""
        since = self._clock.monotonic() - self._listed
        if isinstance(exc, (Expired, Gone)) and self._failures == 1 and since >= STEADY_SECONDS:
            return 0.0
        return self._settings.backoff.delay(self._failures)

    def _tell(self, exc: Exception, delay: float) -> None:
        is_usual = isinstance(exc, (Expired, Gone)) or self._failures == 1
        logger.log(
            logging.INFO if is_usual else logging.WARNING,
            "the watch is interrupted",
            extra={
                "kind": str(self.kind),
                "error": cut(str(exc)),
                "retry_seconds": round(delay, 3),
            },
        )


def _after(state: State, exc: Exception) -> State:
    """Give the state in which to go on after a failure."""
    match state:
        case Tailing(_, version) if isinstance(exc, ClientError) and not _misleads(exc):
            return Resume(version)
        case Resume(version) if isinstance(exc, (ApiError, ClientError)) and not _misleads(exc):
            return Resume(version)
        case _:
            return Start()


def _misleads(exc: Exception) -> bool:
    """Tell whether the same failure would follow from the same version."""
    return isinstance(exc, (Expired, Gone, BadAnswer))


def _version(event: Event[Raw]) -> str:
    try:
        return _read_version(event.object).metadata.resource_version
    except msgspec.DecodeError as exc:
        raise BadAnswer(f"an event without a version: {exc}") from exc


def _ends_initial_events(event: Event[Raw]) -> bool:
    annotations = _read_version(event.object).metadata.annotations or {}
    return annotations.get(INITIAL_EVENTS_END) == "true"
