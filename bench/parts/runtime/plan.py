"""What is measured: the sections of a run, who takes part in each, and how much is asked."""

from dataclasses import dataclass, replace

OURS, TRIMMED = "kedge", "kedge, trimmed"
LIGHTKUBE, KR8S = "lightkube", "kr8s"
TYPED, DICTS = "kubernetes_asyncio", "kubernetes_asyncio, dicts"
KOPF, KOPF_KEPT = "kopf, on.event", "kopf, on.event, kept"
KOPF_CREATE, KOPF_TIMERS = "kopf, on.create", "kopf, timers"
FEED = "only reading"
"""No contestant: it counts lines. What the load side can do at most."""

EVENTS, PACKED, CONFIG_MAPS = "events", "packed", "configmaps"
SYNC, CLUSTER, RECONCILES, IDLE = "sync", "cluster", "reconciles", "idle"


@dataclass(frozen=True)
class Effort:
    """How much is asked for."""

    rounds: int
    long_rounds: int
    """Rounds of the sections in which a contestant takes many seconds."""
    events: int
    slow_events: int
    """Events for those who would take too long over all of them."""
    synced: int
    clustered: int
    """Objects in the embedded server."""
    reconciled: int
    patched: int
    """Reconciles by kopf with a patch each."""
    idle_keys: int
    idle_seconds: float


FULL = Effort(3, 2, 50_000, 3_000, 20_000, 20_000, 10_000, 1_000, 1_000, 30.0)
QUICK = Effort(1, 1, 20_000, 1_000, 1_000, 500, 1_000, 200, 1_000, 10.0)


@dataclass(frozen=True)
class Section:
    """One kind of work, done by some contestants, each over a number of its own."""

    name: str
    what: str
    resource: str
    kind: str
    """The kind of namespace: see the feed; empty in the embedded server."""
    counts: dict[str, int]
    rounds: int = 1
    seconds: float = 0
    once: tuple[str, ...] = ()
    """Those who take part in the first round only, as they would take too long."""

    @property
    def is_fed(self) -> bool:
        """Tell whether the load comes from the feed, and not from the embedded server."""
        return bool(self.kind)

    @property
    def places(self) -> set[str]:
        """Name what the feed has to prepare, as resource/namespace."""
        return {f"{self.resource}/{self.namespace(who)}" for who in self.counts}

    def namespace(self, who: str) -> str:
        """Name the namespace that a contestant works on."""
        if not self.kind:
            return "bench"
        # Of a stream one may read a part; objects are as many as are counted.
        size = max(self.counts.values()) if self.what == "events" else self.counts[who]
        kind = "sync" if who == KOPF_CREATE else self.kind
        return f"{kind}-{size}"

    def only(self, who: str | None) -> "Section":
        """Leave out all but one library."""
        kept = {name: n for name, n in self.counts.items() if name.startswith(who or "")}
        return replace(self, counts=kept)


def sections(effort: Effort) -> list[Section]:
    """List all work."""
    many, few = effort.events, effort.slow_events
    fast = {OURS: many, LIGHTKUBE: many}
    slow = {TYPED: few, DICTS: few, KR8S: few}
    lists = (LIGHTKUBE, TYPED, KR8S)
    synced = dict.fromkeys((OURS, TRIMMED, KOPF, KOPF_KEPT, *lists), effort.synced)
    clustered = dict.fromkeys((OURS, TRIMMED, KOPF, LIGHTKUBE), effort.clustered)
    reconciled = {**dict.fromkeys((OURS, KOPF), effort.reconciled), KOPF_CREATE: effort.patched}
    idle = dict.fromkeys((OURS, KOPF_TIMERS), effort.idle_keys)
    short, long = effort.rounds, effort.long_rounds
    return [
        Section(EVENTS, "events", "pods", "events", fast | slow | {FEED: many}, short),
        Section(PACKED, "events", "pods", "packed", fast, short),
        Section(CONFIG_MAPS, "events", "configmaps", "events", fast | slow, short),
        Section(SYNC, "sync", "pods", "sync", synced, long, once=(TYPED, KR8S)),
        Section(RECONCILES, "reconciles", "pods", "burst", reconciled, long),
        Section(IDLE, "idle", "pods", "sync", idle, seconds=effort.idle_seconds),
        Section(CLUSTER, "sync", "configmaps", "", clustered),
    ]
