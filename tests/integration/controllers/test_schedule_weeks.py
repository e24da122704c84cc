"""Weeks of random schedules through the whole stack, against the model written from the design.

Each has a life of its own in one cluster: people pause, edit and skip, Backups take their time, the
controller is restarted, and now and then something is done while it is down.
"""

import random
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest

from kedge.controllers.schedule.controller import ScheduleSettings
from kedge.kube.kind import Object
from kedge.kube.times import format_time, parse_time
from kedge.testing.clock import START
from tests.integration.controllers.harbour import Harbour, harbour, items_of, status
from tests.unit.controllers.schedule.model import INSTANT, Act, Model, Span, acts, duration

pytestmark = pytest.mark.asyncio

SPAN = Span(START, timedelta(days=21), seldom=timedelta(days=4))
EXPRESSIONS = ("0 1 * * *", "30 */6 * * *", "45 2 * * 1,4", "0 12 1-7 * *", "17 */9 * * *")
CHANGES: dict[str, Object] = {
    "pause": {"paused": True},
    "unpause": {"paused": False},
    "skip": {"skipImmediately": True},
    "keep": {"skipImmediately": False},
    "restart": {},
}


@dataclass
class Life:
    """One schedule: what is going to happen to it, and what came of it."""

    name: str
    model: Model
    todo: list[Act]
    durations: random.Random
    ends: dict[str, datetime] = field(default_factory=dict)
    made: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    def look(self, schedule: Object, backups: list[str], now: datetime) -> None:
        """Take note of what is new."""
        for name in backups:
            stamp = name.removeprefix(f"{self.name}-")
            if name.startswith(f"{self.name}-") and stamp not in self.made:
                self.made.append(stamp)
                self.ends[name] = now + duration(self.durations)
        skipped = status(schedule).get("lastSkipped")
        if skipped and skipped not in self.skipped:
            self.skipped.append(skipped)


@dataclass
class Weeks:
    """The stack, and all who live in it."""

    port: Harbour
    lives: list[Life]
    settings: ScheduleSettings
    dice: random.Random
    stack: AsyncExitStack = field(default_factory=AsyncExitStack)
    upcoming: list[datetime] = field(default_factory=list)

    async def run(self) -> None:
        """Live through all of it."""
        async with self.stack:
            for life in self.lives:
                spec: Object = {}
                if life.model.skip is not None:
                    spec = {"skipImmediately": life.model.skip}
                await self.port.schedule(life.name, life.model.expression, **spec)
            await self.start()
            await self.look()
            while (now := min(self.upcoming)) < SPAN.end:
                self.port.clock.advance(now - self.port.clock.now())
                await self.happen(now)
                await self.look()

    async def start(self) -> None:
        """Start the controller; one that runs is ended."""
        await self.stack.aclose()
        await self.stack.enter_async_context(self.port.running(self.settings))

    async def happen(self, now: datetime) -> None:
        """Have Backups end, and people do what they do."""
        await self.port.quiet()
        for life in self.lives:
            for name in [name for name, end in life.ends.items() if end == now]:
                await self.port.finish(name)
                del life.ends[name]
            if life.todo and life.todo[0].at == now:
                await self.do(life.name, life.todo.pop(0))

    async def do(self, name: str, act: Act) -> None:
        """Change a schedule, perhaps while the controller is down."""
        is_down = act.what == "restart" or self.dice.random() < 0.3
        if is_down:
            await self.stack.aclose()
        change = CHANGES.get(act.what, {"schedule": act.value})
        if change:
            await self.port.patch(name, {"spec": change})
        if is_down:
            await self.start()

    async def look(self) -> None:
        """See what the controller has done, and when something happens next."""
        await self.port.quiet()
        now, backups = self.port.clock.now(), await self.port.backups()
        schedules = await items_of(self.port)
        times = [SPAN.end]
        for life in self.lives:
            schedule = schedules[life.name]
            life.look(schedule, backups, now)
            times += life.ends.values()
            times += [act.at for act in life.todo[:1]]
            if text := status(schedule).get("nextRun"):
                times.append(parse_time(text) + INSTANT)
        self.upcoming = [time for time in times if time > now]


def life_of(number: int, dice: random.Random, server: bool) -> Life:
    """Make up a schedule."""
    seed = dice.random()
    model = Model(
        SPAN,
        dice.choice(EXPRESSIONS),
        dice.choice([None, True, False]),
        server,
        random.Random(seed),
    )
    todo = acts(dice, SPAN, EXPRESSIONS)
    return Life(f"s{number}", model, todo, random.Random(seed))


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 2))])
async def test_weeks_are_as_the_design_says(seed: int) -> None:
    dice = random.Random(seed)
    server = bool(seed % 2)
    lives = [life_of(number, dice, server) for number in range(4)]
    plans = [list(life.todo) for life in lives]
    async with harbour() as port:
        settings = ScheduleSettings(skip_immediately=server)
        await Weeks(port, lives, settings, dice).run()
        schedules = await items_of(port)
    for life, plan in zip(lives, plans, strict=True):
        model = life.model
        model.run(plan)
        assert life.made == model.backups, life.name
        skipped = dict.fromkeys(format_time(one) for one in model.skipped)
        assert life.skipped == list(skipped), life.name
        end = status(schedules[life.name])
        assert end.get("lastBackup") == (model.last_backup and format_time(model.last_backup))
    assert sum(len(life.made) for life in lives) > 10
