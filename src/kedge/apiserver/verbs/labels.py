"""The labels of all objects of a kind in memory, while somebody selects by them.

A selector that few objects match must not read them all from the store: what the watch cache of
kube-apiserver is for such lists.
"""

from collections import OrderedDict
from collections.abc import Callable

import msgspec

from kedge.aio.turn import turn
from kedge.store import Log, Record, SlowSubscriber, Subscription

Matches = Callable[[dict[str, str]], bool]

KINDS = 8
"""How many kinds are kept; the one that was not asked for longest goes first."""
PAGE = 500
SHARE = 0.5
"""Beyond this share of all objects it is cheaper to read them in order."""


class _Meta(msgspec.Struct, gc=False):
    labels: dict[str, str] | None = None


class _Head(msgspec.Struct, gc=False):
    metadata: _Meta


_read = msgspec.json.Decoder(_Head).decode
NONE: dict[str, str] = {}


class Kind:
    """The labels of one kind, by key."""

    def __init__(self, subscription: Subscription) -> None:
        """Follow the changes of `subscription`."""
        self.subscription = subscription
        self.labels: dict[str, dict[str, str]] = {}

    def put(self, record: Record) -> None:
        """Take in one object as it is now."""
        if record.deleted:
            self.labels.pop(record.key, None)
        else:
            self.labels[record.key] = _read(record.value).metadata.labels or NONE

    def catch_up(self) -> None:
        """Take in what was written since; raises SlowSubscriber where it is too much."""
        for record in self.subscription.take():
            self.put(record)


class Labels:
    """Finds objects by their labels, at the newest revision."""

    def __init__(self, log: Log) -> None:
        """Read from `log`."""
        self.log = log
        self._kinds: OrderedDict[str, Kind] = OrderedDict()

    async def find(self, prefix: str, scope: str, matches: Matches) -> list[str] | None:
        """Give the keys under `scope` that match, sorted; None: too many of them, read all.

        The answer holds for the newest revision until the caller waits for something.
        """
        kind = await self._kind(prefix)
        labels = kind.labels
        if scope == prefix:
            found = [key for key, held in labels.items() if matches(held)]
        else:
            found = [key for key, held in labels.items() if key.startswith(scope) and matches(held)]
        if len(found) > SHARE * len(labels):
            return None
        found.sort()
        return found

    async def read(self, keys: list[str], revision: int) -> list[Record]:
        """Read rows as they were at a revision, a few at a time."""
        records = []
        for position, key in enumerate(keys):
            if position and position % PAGE == 0:
                await turn()
            record = self.log.get_at(key, revision)
            if record is not None:
                records.append(record)
        return records

    async def _kind(self, prefix: str) -> Kind:
        kind = self._kinds.get(prefix)
        if kind is not None:
            try:
                kind.catch_up()
            except SlowSubscriber:
                self._drop(prefix)
            else:
                self._kinds.move_to_end(prefix)
                return kind
        return await self._learn(prefix)

    async def _learn(self, prefix: str) -> Kind:
        kind = Kind(self.log.subscribe(prefix))
        revision, after = self.log.revision, None
        while True:
            page = await self.log.list(prefix, at=revision, after=after, limit=PAGE)
            for record in page.records:
                kind.put(record)
            if not page.more:
                break
            after = page.records[-1].key
        kind.catch_up()
        self._drop(prefix)
        self._kinds[prefix] = kind
        while len(self._kinds) > KINDS:
            self._drop(next(iter(self._kinds)))
        return kind

    def _drop(self, prefix: str) -> None:
        kind = self._kinds.pop(prefix, None)
        if kind is not None:
            kind.subscription.close()
