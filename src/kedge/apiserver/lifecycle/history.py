"""What grows old: the history of the log, and events."""

from datetime import timedelta

from kedge.aio.clock import Clock
from kedge.apiserver.lifecycle.follower import everything
from kedge.apiserver.lifecycle.system import System, place
from kedge.apiserver.objects import decode
from kedge.apiserver.registry import Registry
from kedge.apiserver.verbs.delete import DeleteOptions

HISTORY = timedelta(minutes=5)
"""How long watches can go back: as kube-apiserver's --etcd-compaction-interval."""
EVENTS = timedelta(hours=1)
"""How long an event lives after its last change: kube-apiserver's --event-ttl."""
TICK_SECONDS = 60.0


class History:
    """Forgets, once a minute."""

    def __init__(self, system: System, registry: Registry, clock: Clock) -> None:
        """Tell the time by `clock`."""
        self.system = system
        self.log = system.objects.log
        self.registry = registry
        self.clock = clock

    async def tick(self) -> None:
        """Note the time, and forget what is too old."""
        now = self.clock.now()
        self.log.mark(now)
        old = self.log.revision_at(now - HISTORY)
        if old > self.log.compacted:
            await self.log.compact(old)
        expired = self.log.revision_at(now - EVENTS)
        if expired:
            await self._expire_events(expired)

    async def _expire_events(self, revision: int) -> None:
        resource = self.registry.find("", "v1", "events")
        assert resource is not None
        async for record in everything(self.log, resource.prefix):
            if record.revision <= revision:
                namespace, name = place(resource, record.key)
                uid = decode(record.value)["metadata"]["uid"]
                await self.system.delete(resource, namespace, name, DeleteOptions(uid=uid))
