"""The engines in Python behind one face: kedge, cronsim, croniter."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import islice
from typing import Any, Protocol

from croniter import croniter, croniter_range
from cronsim import CronSim

import kedge.cron
from parts.cron.cases import CHAINS, START, YEAR, Case
from parts.cron.timing import Task, python_task

BATCH = 20  # calls in one loop where a call is one answer: the loop itself must not count
TICK = timedelta(seconds=1)  # turns "from the end on" into "after the end", and back


@dataclass(frozen=True)
class Row:
    """A case, and how many answers of each kind are asked for."""

    case: Case
    counts: dict[str, int] = field(hash=False)
    instants: tuple[datetime, ...]


class Engine(Protocol):
    """What can be measured. `answers` are Unix seconds; None means not offered."""

    name: str

    def answers(self, op: str, row: Row) -> list[int] | None:
        """List what the engine says, to be compared before anything is timed."""

    def task(self, op: str, row: Row) -> Task | None:
        """Make the work to be timed."""


def seconds(found: datetime | None) -> int:
    """Give Unix seconds; -1 where there is no answer."""
    return -1 if found is None else int(found.timestamp())


def drain(found: Iterator[datetime]) -> None:
    """Run an iterator to its end."""
    for _ in found:
        pass


def batched(call: Callable[[], object], answers: int = 1) -> Task:
    """Time a call that needs no fresh start, several times in a loop if its answers are few."""
    turns = range(max(1, BATCH // answers))

    def work(turns: range) -> None:
        for _ in turns:
            call()

    return python_task(len(turns) * answers, lambda: turns, work)


class Kedge:
    """The engine of this repository: one schedule, any number of questions."""

    name = "kedge"

    def answers(self, op: str, row: Row) -> list[int] | None:
        """Walk within the years where all engines can answer, or ask at every instant."""
        schedule, count = self._parse(row.case), row.counts[op]
        if op == "between":
            return [seconds(t) for t in islice(schedule.between(*YEAR), count)]
        if op == "random":
            return [seconds(schedule.next(t)) for t in row.instants]
        return [seconds(t) for t in islice(self._walk(op, schedule), count)]

    def task(self, op: str, row: Row) -> Task | None:
        """Time a schedule that is in use; `parse` and `first` make a new one each time."""
        schedule, case = self._parse(row.case), row.case
        if op == "parse":
            return batched(lambda: kedge.cron.parse(case.expression, zone=case.zone))
        if op == "first":
            return batched(lambda: kedge.cron.parse(case.expression, zone=case.zone).next(START))
        if op == "random":
            return self._random(schedule, row)
        if op == "between":
            count = row.counts[op]
            return batched(lambda: drain(islice(schedule.between(*YEAR), count)), count)
        return self._chain(op, schedule, row.counts[op])

    def _parse(self, case: Case) -> kedge.cron.Schedule:
        return kedge.cron.parse(case.expression, zone=case.zone)

    def _walk(self, op: str, schedule: kedge.cron.Schedule) -> Iterator[datetime]:
        low, high = sorted((CHAINS[op].start, CHAINS[op].bound))
        step = schedule.prev if op == "prev" else schedule.next
        t: datetime | None = CHAINS[op].start
        while t is not None and (t := step(t)) is not None and low <= t <= high:
            yield t

    def _chain(self, op: str, schedule: kedge.cron.Schedule, count: int) -> Task:
        def work(t: Any) -> None:
            step = schedule.prev if op == "prev" else schedule.next
            for _ in range(count):
                t = step(t)

        return python_task(count, lambda: CHAINS[op].start, work)

    def _random(self, schedule: kedge.cron.Schedule, row: Row) -> Task:
        def work(instants: tuple[datetime, ...]) -> None:
            step = schedule.next
            for t in instants:
                step(t)

        return python_task(len(row.instants), lambda: row.instants, work)


class Cronsim:
    """cronsim: an iterator that parses when it is made, and cannot be moved."""

    name = "cronsim"

    def answers(self, op: str, row: Row) -> list[int] | None:
        """List what its iterators give."""
        if op == "random":
            return [seconds(next(CronSim(row.case.expression, t))) for t in self._local(row)]
        count = row.counts[op]
        if op == "between":
            return [seconds(t) for t in islice(self._between(row.case), count)]
        return [seconds(t) for t in islice(self._iterator(op, row.case), count)]

    def task(self, op: str, row: Row) -> Task | None:
        """Time iteration; iterators for chains are made before the clock runs."""
        case, count = row.case, row.counts.get(op, 1)
        start, expression = case.local(START), case.expression
        if op == "parse":
            return batched(lambda: CronSim(expression, start))
        if op == "first":
            return batched(lambda: next(CronSim(expression, start)))
        if op == "random":
            return self._random(row)
        if op == "between":
            return batched(lambda: drain(islice(self._between(case), count)), count)
        return python_task(
            count, lambda: self._iterator(op, case), lambda found: drain(islice(found, count))
        )

    def _iterator(self, op: str, case: Case) -> Iterator[datetime]:
        start = case.local(CHAINS[op].start)
        found: Iterator[datetime] = CronSim(case.expression, start, reverse=op == "prev")
        return found

    def _between(self, case: Case) -> Iterator[datetime]:
        begin, end = case.local(YEAR[0] - TICK), case.local(YEAR[1])
        for t in CronSim(case.expression, begin):
            if t >= end:
                return
            yield t

    def _local(self, row: Row) -> list[datetime]:
        return [row.case.local(t) for t in row.instants]

    def _random(self, row: Row) -> Task:
        def work(instants: list[datetime]) -> None:
            for t in instants:
                next(CronSim(row.case.expression, t))

        return python_task(len(row.instants), lambda: self._local(row), work)


class Croniter:
    """croniter: a cursor that parses when it is made; a range for `between`."""

    name = "croniter"

    def answers(self, op: str, row: Row) -> list[int] | None:
        """List what its cursors and ranges give."""
        case = row.case
        if op == "random":
            local = [case.local(t) for t in row.instants]
            return [seconds(self._cursor(case, t).get_next(datetime)) for t in local]
        count = row.counts[op]
        if op == "between":
            return [seconds(t) for t in islice(self._between(case), count)]
        cursor = self._cursor(case, case.local(CHAINS[op].start))
        step = cursor.get_prev if op == "prev" else cursor.get_next
        return [seconds(step(datetime)) for _ in range(count)]

    def task(self, op: str, row: Row) -> Task | None:
        """Time steps; cursors for chains are made before the clock runs."""
        case, count = row.case, row.counts.get(op, 1)
        start, expression = case.local(START), case.expression
        if op == "parse":
            return batched(lambda: croniter(expression, start))
        if op == "first":
            return batched(lambda: croniter(expression, start).get_next(datetime))
        if op == "random":
            return self._random(row)
        if op == "between":
            return batched(lambda: drain(islice(self._between(case), count)), count)
        return self._chain(op, case, count)

    def _cursor(self, case: Case, t: datetime) -> croniter:
        return croniter(case.expression, t)

    def _between(self, case: Case) -> Iterator[datetime]:
        # The end belongs to croniter's range; one tick less leaves it out.
        begin, end = case.local(YEAR[0]), case.local(YEAR[1] - TICK)
        found: Iterator[datetime] = croniter_range(begin, end, case.expression)
        return found

    def _chain(self, op: str, case: Case, count: int) -> Task:
        def work(cursor: croniter) -> None:
            step = cursor.get_prev if op == "prev" else cursor.get_next
            for _ in range(count):
                step(datetime)

        start = case.local(CHAINS[op].start)
        return python_task(count, lambda: self._cursor(case, start), work)

    def _random(self, row: Row) -> Task:
        def work(instants: list[datetime]) -> None:
            for t in instants:
                croniter(row.case.expression, t).get_next(datetime)

        local = [row.case.local(t) for t in row.instants]
        return python_task(len(local), lambda: local, work)
