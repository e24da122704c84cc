"""Decide what becomes of an Event: a new object, a higher count of an older one, or nothing.

The rules and their numbers are those of client-go's EventCorrelator. Pure but for its memory: the
time is told, and nothing is sent from here.
"""

from collections import OrderedDict
from collections.abc import Hashable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

REMEMBERED: Final = 4096
"""Keys of each memory; the one that was used longest ago goes first."""
SIMILAR: Final = 10
"""So many messages of one object, type and reason, and they are combined."""
SIMILAR_SECONDS: Final = 600.0
"""Without a similar event for so long, the count of messages begins anew."""
COMBINED: Final = "(combined from similar events): "
BURST: Final = 25
"""Events of one type about one object at once."""
REFILL_SECONDS: Final = 300.0
"""For one more after the burst."""
MESSAGE_BYTES: Final = 1024


@dataclass(frozen=True, slots=True)
class Subject:
    """The object that an event is about; its version says when, not which."""

    api_version: str
    kind: str
    namespace: str
    """Empty for what is in no namespace."""
    name: str
    uid: str = ""


@dataclass(frozen=True, slots=True)
class Happening:
    """What somebody wants to tell about an object."""

    subject: Subject
    type: str
    reason: str
    message: str
    at: datetime
    elapsed: float
    """The same time, by a clock that is never set."""
    name: str
    """Of the object, should it become one."""
    version: str = ""
    """The resourceVersion of the subject."""


@dataclass(frozen=True, slots=True)
class Telling:
    """What to write: with a count of 1 a new object, else a change of one that is there."""

    happening: Happening
    """Of this time; it may have the message of several."""
    name: str
    first: datetime
    count: int


class Memory(Generic[K, V]):
    """Keeps what was used last."""

    def __init__(self, most: int = REMEMBERED) -> None:
        """Keep so many at most."""
        self._most = most
        self._kept: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        """Look something up, which counts as a use."""
        value = self._kept.get(key)
        if value is not None:
            self._kept.move_to_end(key)
        return value

    def put(self, key: K, value: V) -> None:
        """Keep something, in the place of what was used longest ago if need be."""
        self._kept[key] = value
        self._kept.move_to_end(key)
        if len(self._kept) > self._most:
            self._kept.popitem(last=False)

    def __len__(self) -> int:
        """Count what is kept."""
        return len(self._kept)


@dataclass(frozen=True, slots=True)
class _Log:
    name: str
    first: datetime
    count: int


@dataclass(slots=True)
class _Bucket:
    tokens: float
    filled: float


@dataclass(slots=True)
class _Similar:
    messages: set[str]
    last: float


class Correlator:
    """Remembers the events of one source."""

    def __init__(self, remembered: int = REMEMBERED) -> None:
        """Begin with no memory, as after every start."""
        self._similar: Memory[Hashable, _Similar] = Memory(remembered)
        self._logs: Memory[Hashable, _Log] = Memory(remembered)
        self._buckets: Memory[Hashable, _Bucket] = Memory(remembered)

    def correlate(self, happening: Happening) -> Telling | None:
        """Say what to write; None: nothing, there were too many. It counts all the same."""
        happening, key = self._combine(happening)
        log = self._logs.get(key)
        if log is None:
            log = _Log(happening.name, happening.at, 1)
        else:
            log = replace(log, count=log.count + 1)
        self._logs.put(key, log)
        if self._is_spam(happening):
            return None
        return Telling(happening, log.name, log.first, log.count)

    def _combine(self, happening: Happening) -> tuple[Happening, Hashable]:
        """Give one message to what is told too often in different ones; and what it counts as."""
        group = (happening.subject, happening.type, happening.reason)
        now, message = happening.elapsed, happening.message
        similar = self._similar.get(group)
        if similar is None or now - similar.last > SIMILAR_SECONDS:
            similar = _Similar(set(), now)
        similar.last = now
        similar.messages.add(message)
        self._similar.put(group, similar)
        if len(similar.messages) < SIMILAR:
            return happening, (*group, message)
        similar.messages.discard(message)  # It shall not grow for ever.
        return replace(happening, message=cut(COMBINED + message)), group

    def _is_spam(self, happening: Happening) -> bool:
        """Take a token of the subject; there are few, and they come back slowly."""
        key, now = (happening.subject, happening.type), happening.elapsed
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = _Bucket(BURST, now)
        bucket.tokens = min(BURST, bucket.tokens + (now - bucket.filled) / REFILL_SECONDS)
        bucket.filled = now
        self._buckets.put(key, bucket)
        if bucket.tokens < 1:
            return True
        bucket.tokens -= 1
        return False


def cut(message: str) -> str:
    """Shorten a message to what the API takes, between two characters."""
    data = message.encode(errors="replace")
    return data[:MESSAGE_BYTES].decode(errors="ignore")
