"""Watch: the state of a collection, or its changes since a revision, as a stream of lines."""

import asyncio
import random
from collections.abc import AsyncIterator
from dataclasses import dataclass

from kedge.apiserver.call import Call
from kedge.apiserver.forms import EventForm, Forms
from kedge.apiserver.http.query import ListOptions, list_options
from kedge.apiserver.objects import Objects
from kedge.apiserver.verbs.list import List
from kedge.apiserver.verbs.selection import Matcher, Selection
from kedge.apiserver.verbs.versions import parse_revision
from kedge.kube.refusals import too_large_version, too_old_version
from kedge.store import Compacted, Record, SlowSubscriber, Subscription

BOOKMARK_SECONDS = 60.0
"""kube-apiserver sends a bookmark about once a minute, and one shortly before the end."""
LAST_BOOKMARK_SECONDS = 2.0
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


class Watch:
    """Answers watch requests."""

    def __init__(self, objects: Objects, forms: Forms) -> None:
        """Read from these objects, answer in these forms."""
        self.objects = objects
        self.log = objects.log
        self.forms = forms
        self.list = List(objects, forms)

    def plan(self, call: Call) -> Plan:
        """Check the options; what is wrong is raised before the first byte is sent."""
        options = list_options(call.query, watch=True)
        revision = parse_revision(options.revision)
        Selection(call.resource, options, call.name)
        initial = options.initial_events
        if initial is None and not options.match and revision == 0:
            initial = True
        if initial and revision > self.log.revision:
            raise too_large_version(revision, self.log.revision)
        after = revision if revision and not initial else self.log.revision
        seconds = options.timeout_seconds or random.uniform(*USUAL_SECONDS)
        return Plan(options, after, bool(initial), bool(initial) and options.bookmarks, seconds)

    async def stream(self, call: Call, plan: Plan) -> AsyncIterator[bytes]:
        """Give the lines of the answer, several at a time, until the end of the plan."""
        selection = Selection(call.resource, plan.options, call.name)
        form = self.forms.events(call)
        prefix = call.resource.prefix
        if call.namespace:
            prefix = f"{prefix}{call.namespace}/"
        with self.log.subscribe(prefix) as subscription:
            seen = plan.after
            if plan.state_first:
                found = await self.list.find(
                    call.resource, call.namespace, _state(plan.options), call.name
                )
                seen = found.revision
                lines = b"".join(form.line("ADDED", record) for record in found.records)
                if plan.mark_end:
                    lines += form.bookmark(seen, initial_end=True)
                yield lines
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

    async def _follow(
        self,
        subscription: Subscription,
        form: EventForm,
        prefix: str,
        seen: int,
        matches: Matcher | None,
        plan: Plan,
    ) -> AsyncIterator[bytes]:
        # The subscription is older than this read, so nothing falls between the two.
        until = self.log.revision
        if seen < until:
            backlog = await self.log.changes(prefix, seen, until)
            lines = self._lines(backlog, form, matches)
            if lines:
                yield lines
            seen = until
        alarms = Alarms(plan, asyncio.get_running_loop().time())
        while not alarms.over:
            try:
                async with asyncio.timeout_at(alarms.next):
                    batch = await subscription.next_batch()
            except TimeoutError:
                # Nothing waits, so all that is committed has been sent.
                if alarms.ring():
                    yield form.bookmark(max(seen, self.log.revision))
                continue
            fresh = [record for record in batch if record.revision > seen]
            if fresh:
                lines = self._lines(fresh, form, matches)
                seen = fresh[-1].revision
                if lines:
                    yield lines

    def _lines(self, records: list[Record], form: EventForm, matches: Matcher | None) -> bytes:
        if matches is None:
            return b"".join(form.line(_plain_type(record), record) for record in records)
        parts = []
        for record in records:
            kind, shown = self._selected(record, matches)
            if kind:
                parts.append(form.line(kind, shown))
        return b"".join(parts)

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


def form_of_leaving(before: Record, now: Record) -> Record:
    """Give the last state that matched, under the revision at which it stopped matching."""
    old = f'"resourceVersion":"{before.revision}"'.encode()
    new = f'"resourceVersion":"{now.revision}"'.encode()
    value = before.value.replace(old, new, 1)
    return Record(now.revision, now.key, value, now.created, now.previous, True)


def _plain_type(record: Record) -> str:
    if record.deleted:
        return "DELETED"
    return "ADDED" if record.created == record.revision else "MODIFIED"


def _state(options: ListOptions) -> ListOptions:
    return ListOptions(labels=options.labels, fields=options.fields)
