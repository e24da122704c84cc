"""The queue against a model that is too simple to be wrong."""

import asyncio
from datetime import timedelta

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from kedge.aio.backoff import Backoff
from kedge.runtime.key import Key
from kedge.runtime.queue import Queue, QueueSettings
from kedge.testing import FakeClock
from tests.unit.runtime.test_queue import settle, take

KEYS = [Key("sea", name) for name in "abcd"]
keys = st.sampled_from(KEYS)
priorities = st.sampled_from([-100, 0, 5])
delays = st.integers(0, 40)


class QueueMachine(RuleBasedStateMachine):
    """No key is lost, none is handed out twice at once, and none comes for no reason."""

    def __init__(self) -> None:
        super().__init__()
        self.runner = asyncio.Runner()
        self.clock = FakeClock()
        self.dirty: dict[Key, int] = {}
        self.held: set[Key] = set()
        self.after: dict[Key, float] = {}
        self.at: dict[Key, float] = {}
        self.runner.run(self._start())

    async def _start(self) -> None:
        self.queue = Queue(self.clock, QueueSettings(Backoff(first=3, most=9, jitter=0.0)))
        self.task = asyncio.ensure_future(self.queue.run())
        await settle()

    async def _take(self) -> Key | None:
        return take(self.queue)

    def teardown(self) -> None:
        self.task.cancel()
        self.runner.run(settle())
        self.runner.close()

    @rule(key=keys, priority=priorities)
    def add(self, key: Key, priority: int) -> None:
        self.queue.add(key, priority)
        self.want(key, priority)

    @rule(key=keys, delay=delays)
    def add_after(self, key: Key, delay: int) -> None:
        self.queue.add_after(key, delay)
        due = self.clock.monotonic() + delay
        self.after[key] = min(due, self.after.get(key, due))
        self.ripen()

    @rule(key=keys, delay=delays)
    def add_at(self, key: Key, delay: int) -> None:
        self.queue.add_at(key, self.clock.now() + timedelta(seconds=delay))
        due = self.clock.now().timestamp() + delay
        self.at[key] = min(due, self.at.get(key, due))
        self.ripen()

    @rule(by=st.integers(1, 50))
    def pass_time(self, by: int) -> None:
        self.runner.run(settle())
        self.clock.advance(timedelta(seconds=by))
        self.runner.run(settle())
        self.ripen()

    @rule()
    def take_one(self) -> None:
        key = self.runner.run(self._take())
        ready = {one: priority for one, priority in self.dirty.items() if one not in self.held}
        if key is None:
            assert not ready
            return
        assert ready[key] == max(ready.values())
        del self.dirty[key]
        self.after.pop(key, None)
        self.at.pop(key, None)
        self.held.add(key)

    @precondition(lambda self: self.held)
    @rule(data=st.data())
    def give_back(self, data: st.DataObject) -> None:
        key = data.draw(st.sampled_from(sorted(self.held)))
        self.queue.done(key)
        self.held.remove(key)

    @invariant()
    def counts_agree(self) -> None:
        assert len(self.queue) == len(self.dirty.keys() - self.held)
        assert set(self.queue.processing) == self.held

    def want(self, key: Key, priority: int = 0) -> None:
        self.dirty[key] = max(priority, self.dirty.get(key, priority))

    def ripen(self) -> None:
        """Queue what is due."""
        for due, now in ((self.after, self.clock.monotonic()), (self.at, self._wall())):
            for key in [one for one, when in due.items() if when <= now]:
                del due[key]
                self.want(key)

    def _wall(self) -> float:
        return self.clock.now().timestamp()


TestQueueModel = QueueMachine.TestCase
TestQueueModel.settings = settings(max_examples=60, stateful_step_count=40, deadline=None)
