"""Watch: the state of a collection, or its changes since a revision, as a stream of lines."""

import asyncio
import random
from collections.abc import AsyncGenerator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from kedge.apiserver.call import Call
from kedge.apiserver.forms import EventForm, Forms
from kedge.apiserver.http.query import ListOptions, list_options
from kedge.apiserver.objects import Objects, restamped
from kedge.apiserver.table import included_of
from kedge.apiserver.verbs.list import List
from kedge.apiserver.verbs.selection import Matcher, Selection
from kedge.apiserver.verbs.versions import parse_revision
from kedge.kube.errors import ApiError, InternalError
from kedge.kube.refusals import too_large_version, too_old_version
from kedge.store import Compacted, Record, SlowSubscriber, StoreClosed, Subscription

BOOKMARK_SECONDS = 60.0
"""kube-apiserver sends a bookmark about once a minute, and one shortly before the end."""
LAST_BOOKMARK_SECONDS = 2.0
FIRST_BOOKMARK_SECONDS = 1.0
"""After the initial events it sends another one with the next tick of its clock."""
PIECE_BYTES = 256 * 1024
"""What is sent at once: more costs memory for each client that reads slowly."""
USUAL_SECONDS = (1800.0, 3600.0)
"""Without timeoutSeconds the end is random: clients must not all come back at once."""


@dataclass(slots=True)
class Plan:
    """How a watch begins."""

    options: ListOptions
    after: int
    """Changes after this revision are sent."""
    state_first: bool
    """The objects that are there come first, as ADDED."""
    mark_end: bool
    """A bookmark tells that the state is complete."""
    seconds: float
    """How long the watch lasts."""
    error: ApiError | None = None
    """Why the watch ends at once: the client learns it from an event."""


class Watch:
    """Answers watch requests."""

    def __init__(self, objects: Objects, forms: Forms) -> None:
        """Read from these objects, answer in these forms."""
        self.objects = objects
        self.log = objects.log
        self.forms = forms
        self.list = List(objects, forms)
        self.live: set[Subscription] = set()
        """The watches that go on now."""
        self.oldest = 0
        """Watches from a revision before this one are too old: a new server has no history."""

    def plan(self, call: Call) -> Plan:
        """Check the options; what is wrong is raised before the first byte is sent."""
        options = list_options(call.query, watch=True)
        revision = parse_revision(options.revision)
        Selection(call.resource, options, call.name)
        initial = options.initial_events
        if initial is None and not options.match and revision == 0:
            initial = True
        if call.accept.kind == "Table":
            included_of(call)
        after = revision if revision and not initial else self.log.revision
        seconds = options.timeout_seconds or random.uniform(*USUAL_SECONDS)
        plan = Plan(options, after, bool(initial), bool(initial) and options.bookmarks, seconds)
        if seconds < 0:
            plan.error = InternalError("context deadline exceeded")
        elif initial and revision > self.log.revision:
            plan.error = too_large_version(revision, self.log.revision)
        elif after < self.oldest:
            plan.error = too_old_version(after, self.oldest)
        return plan

    async def stream(self, call: Call, plan: Plan) -> AsyncGenerator[bytes, None]:
        """Give the lines of the answer, several at a time, until the end of the plan."""
        selection = Selection(call.resource, plan.options, call.name)
        form = self.forms.events(call)
        if plan.error is not None:
            yield form.error(plan.error)
            return
        prefix = call.resource.prefix
        if call.namespace:
            prefix = f"{prefix}{call.namespace}/"
        with self._subscribed(prefix) as subscription:
            seen = plan.after
            if plan.state_first:
                found = await self.list.find(
                    call.resource, call.namespace, _state(plan.options), call.name
                )
                seen = found.revision
                for lines in pieces(form.line("ADDED", record) for record in found.records):
                    yield lines
                if plan.mark_end:
                    yield form.bookmark(seen, initial_end=True)
            try:
                async for lines in self._follow(
                    subscription, form, prefix, seen, selection.matches, plan
                ):
                    yield lines
            except Compacted:
                yield form.error(too_old_version(seen, self.log.compacted))
            except SlowSubscriber:
                # The client reads slower than objects change: it must list again.
                yield form.error(too_old_version(seen, self.log.revision))
            except StoreClosed:
                return

    @contextmanager
    def _subscribed(self, prefix: str) -> Iterator[Subscription]:
        with self.log.subscribe(prefix) as subscription:
            self.live.add(subscription)
            try:
                yield subscription
            finally:
                self.live.discard(subscription)

    def end(self) -> None:
        """End every watch."""
        for subscription in list(self.live):
            subscription.close()

    async def _follow(
        self,
        subscription: Subscription,
        form: EventForm,
        prefix: str,
        seen: int,
        matches: Matcher | None,
        plan: Plan,
    ) -> AsyncGenerator[bytes, None]:
        # The subscription is older than this read, so nothing falls between the two.
        until = self.log.revision
        if seen < until:
            backlog = await self.log.changes(prefix, seen, until)
            for lines in pieces(self._lines(backlog, form, matches)):
                yield lines
            seen = until
        alarms = Alarms(plan, asyncio.get_running_loop().time())
        while not alarms.over:
            try:
                async with asyncio.timeout_at(alarms.next):
                    batch = await subscription.next_batch()
            except TimeoutError:
                if alarms.ring():
                    yield form.bookmark(max(seen, subscription.revision))
                continue
            fresh = [record for record in batch if record.revision > seen]
            if fresh:
                for lines in pieces(self._lines(fresh, form, matches)):
                    yield lines
                seen = fresh[-1].revision

    def _lines(
        self, records: list[Record], form: EventForm, matches: Matcher | None
    ) -> Iterator[bytes]:
        if matches is None:
            for record in records:
                yield form.line(_plain_type(record), record)
            return
        for record in records:
            kind, shown = self._selected(record, matches)
            if kind:
                yield form.line(kind, shown)

    def _selected(self, record: Record, matches: Matcher) -> tuple[str, Record]:
        """Give what a selector sees of a change: objects come and go as they match."""
        before = self.log.previous(record) if record.previous else None
        was = before is not None and not before.deleted and matches(before.value)
        now = not record.deleted and matches(record.value)
        if record.deleted:
            return ("DELETED" if was or matches(record.value) else ""), record
        if now:
            return ("MODIFIED" if was else "ADDED"), record
        if was and before is not None:
            return "DELETED", form_of_leaving(before, record)
        return "", record


class Alarms:
    """When to send bookmarks, and when to end."""

    def __init__(self, plan: Plan, start: float) -> None:
        """Count from `start`, in the event loop's time."""
        self.end = start + plan.seconds
        self.over = False
        self.marks = plan.options.bookmarks
        self.mark = start + BOOKMARK_SECONDS if self.marks else self.end
        if plan.mark_end:
            self.mark = start + FIRST_BOOKMARK_SECONDS
        last = self.end - LAST_BOOKMARK_SECONDS
        if self.marks and start < last < self.mark:
            self.mark = last

    @property
    def next(self) -> float:
        """The next time to wake."""
        return min(self.mark, self.end)

    def ring(self) -> bool:
        """Note that the time has come; True: a bookmark is due."""
        if self.mark >= self.end:
            self.over = True
            return False
        last = self.end - LAST_BOOKMARK_SECONDS
        following = self.mark + BOOKMARK_SECONDS
        self.mark = last if self.mark < last < following else following
        return True


def pieces(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Join lines to pieces of some size: a slow client must not hold many of them in memory."""
    parts: list[bytes] = []
    size = 0
    for line in lines:
        parts.append(line)
        size += len(line)
        if size >= PIECE_BYTES:
            yield b"".join(parts)
            parts, size = [], 0
    if parts:
        yield parts[0] if len(parts) == 1 else b"".join(parts)


def form_of_leaving(before: Record, now: Record) -> Record:
    """Give the last state that matched, under the revision at which it stopped matching."""
    value = restamped(before, now.revision)
    return Record(now.revision, now.key, value, now.created, now.previous, True)


def _plain_type(record: Record) -> str:
    if record.deleted:
        return "DELETED"
    return "ADDED" if record.created == record.revision else "MODIFIED"


def _state(options: ListOptions) -> ListOptions:
    return ListOptions(labels=options.labels, fields=options.fields)
