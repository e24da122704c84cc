"""What the machinery counts, under the names that dashboards for controllers expect.

Counting costs an addition: labels are bound once, and put to names when somebody asks for it all.
A controller's own metrics go into the same `registry`.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from prometheus_client import CollectorRegistry, GCCollector, PlatformCollector, ProcessCollector
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
)
from prometheus_client.registry import Collector

from kedge.client.http import Observer

QUEUE_BUCKETS: Final = tuple(float(f"1e{exponent}") for exponent in range(-8, 4))
"""As in controller-runtime: from 10 ns, each ten times the one before."""
RECONCILE_BUCKETS: Final = (
    *(0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8),
    *(0.9, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0, 3.5, 4.0, 4.5, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0),
    *(15.0, 20.0, 25.0, 30.0, 40.0, 50.0, 60.0),
)
REQUEST_BUCKETS: Final = (0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 30.0, 60.0)
SUCCESS: Final = "success"
ERROR: Final = "error"
REQUEUE: Final = "requeue"
REQUEUE_AFTER: Final = "requeue_after"
TERMINAL: Final = "terminal"
"""An error that is not tried again."""
NO_ANSWER: Final = "<error>"
"""The code of a request that got no answer, as client-go has it."""


class Histogram:
    """Counts values by size."""

    __slots__ = ("_bounds", "_counts", "_sum")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        """Count up to each bound, which belongs to its bucket, and beyond the last."""
        self._bounds = bounds
        self._counts = [0] * (len(bounds) + 1)
        self._sum = 0.0

    def observe(self, value: float) -> None:
        """Take a value in."""
        self._counts[bisect_left(self._bounds, value)] += 1
        self._sum += value

    def add_to(self, family: HistogramMetricFamily, *labels: str) -> None:
        """Tell the counts, each with those of the smaller values."""
        buckets, total = [], 0
        for bound, count in zip((*self._bounds, float("inf")), self._counts, strict=True):
            total += count
            buckets.append((_bound(bound), float(total)))
        family.add_metric(labels, buckets, self._sum)


def _bound(value: float) -> str:
    """Write a bound as client_golang does: `1e-08`, `0.005`, `10.0`, `+Inf`."""
    return "+Inf" if value == float("inf") else repr(value)


class QueueMetrics:
    """Counts the keys of one queue."""

    def __init__(self, name: str) -> None:
        """Begin with none."""
        self.name = name
        self.depth = self.adds = self.retries = 0
        self.waited = Histogram(QUEUE_BUCKETS)
        self.worked = Histogram(QUEUE_BUCKETS)
        self.running: Callable[[], Iterable[float]] = tuple
        """Gives the seconds for which each worker has had its key; set by the queue."""

    def added(self, depth: int) -> None:
        """Take note of a key that was queued."""
        self.depth = depth
        self.adds += 1

    def taken(self, depth: int, waited_seconds: float) -> None:
        """Take note of a key that a worker has taken."""
        self.depth = depth
        self.waited.observe(waited_seconds)

    def done(self, worked_seconds: float) -> None:
        """Take note of a key that a worker is done with."""
        self.worked.observe(worked_seconds)

    def retried(self) -> None:
        """Take note of a key that comes again after a failure."""
        self.retries += 1


class ReconcileMetrics:
    """Counts the reconciles of one controller."""

    def __init__(self, name: str, workers: int) -> None:
        """Begin with none."""
        self.name = name
        self.workers = workers
        self.active = self.terminal = 0
        self.results = dict.fromkeys((SUCCESS, ERROR, REQUEUE, REQUEUE_AFTER), 0)
        self.took = Histogram(RECONCILE_BUCKETS)

    def started(self) -> None:
        """Take note of a worker that has begun."""
        self.active += 1

    def ended(self, result: str, seconds: float) -> None:
        """Take note of how a reconcile went; a terminal error is an error, too."""
        self.active -= 1
        if result == TERMINAL:
            self.terminal += 1
            result = ERROR
        self.results[result] += 1
        self.took.observe(seconds)


class RequestMetrics:
    """Counts the requests to one host."""

    def __init__(self, host: str) -> None:
        """Begin with none."""
        self.host = host
        self.counts: dict[tuple[str, int], int] = {}
        self.took: dict[str, Histogram] = {}

    def observe(self, method: str, code: int, seconds: float) -> None:
        """Take note of an attempt; a code of 0 is none."""
        key = (method, code)
        self.counts[key] = self.counts.get(key, 0) + 1
        took = self.took.get(method)
        if took is None:
            took = self.took[method] = Histogram(REQUEST_BUCKETS)
        took.observe(seconds)


class Metrics:
    """All metrics of one manager; nothing is global."""

    def __init__(self) -> None:
        """Begin with those of the process."""
        self.registry = CollectorRegistry(auto_describe=False)
        ProcessCollector(registry=self.registry)
        PlatformCollector(registry=self.registry)
        GCCollector(registry=self.registry)
        self._queues: dict[str, QueueMetrics] = {}
        self._reconciles: dict[str, ReconcileMetrics] = {}
        self._requests: dict[str, RequestMetrics] = {}
        self._leaders: dict[str, bool] = {}
        self.registry.register(_Machinery(self._families))

    def queue(self, name: str) -> QueueMetrics:
        """Count the keys of a queue, which has the name of its controller."""
        return self._queues.setdefault(name, QueueMetrics(name))

    def reconcile(self, name: str, workers: int) -> ReconcileMetrics:
        """Count the reconciles of a controller."""
        counts = self._reconciles.setdefault(name, ReconcileMetrics(name, workers))
        counts.workers = workers
        return counts

    def client_observer(self, host: str) -> Observer:
        """Count the requests of clients to a host; `host` is as in a URL, with its port."""
        return self._requests.setdefault(host, RequestMetrics(host)).observe

    def leader(self, name: str) -> Callable[[bool], None]:
        """Tell of a lease whether this process holds it; what is given is to be told."""
        self._leaders.setdefault(name, False)

        def report(is_leading: bool) -> None:
            self._leaders[name] = is_leading

        return report

    def _families(self) -> Iterator[Metric]:
        yield from _queue_families(self._queues.values())
        yield from _reconcile_families(self._reconciles.values())
        yield from _request_families(self._requests.values())
        leaders = GaugeMetricFamily(
            "leader_election_master_status",
            "Gauge of if the reporting system is master of the relevant lease, 0 indicates backup, "
            "1 indicates master. 'name' is the string used to identify the lease.",
            labels=["name"],
        )
        for name, is_leading in self._leaders.items():
            leaders.add_metric([name], float(is_leading))
        yield leaders


class _Machinery(Collector):
    def __init__(self, families: Callable[[], Iterator[Metric]]) -> None:
        self._families = families

    def collect(self) -> Iterator[Metric]:
        return self._families()


def _queue_families(queues: Iterable[QueueMetrics]) -> Iterator[Metric]:
    labels = ["name", "controller"]
    depth = GaugeMetricFamily("workqueue_depth", "Current depth of workqueue", labels=labels)
    adds = CounterMetricFamily(
        "workqueue_adds", "Total number of adds handled by workqueue", labels=labels
    )
    retries = CounterMetricFamily(
        "workqueue_retries", "Total number of retries handled by workqueue", labels=labels
    )
    waited = HistogramMetricFamily(
        "workqueue_queue_duration_seconds",
        "How long in seconds an item stays in workqueue before being requested",
        labels=labels,
    )
    worked = HistogramMetricFamily(
        "workqueue_work_duration_seconds",
        "How long in seconds processing an item from workqueue takes.",
        labels=labels,
    )
    unfinished = GaugeMetricFamily(
        "workqueue_unfinished_work_seconds",
        "How many seconds of work has been done that is in progress and hasn't been observed by "
        "work_duration. Large values indicate stuck workers.",
        labels=labels,
    )
    longest = GaugeMetricFamily(
        "workqueue_longest_running_processor_seconds",
        "How many seconds has the longest running processor for workqueue been running.",
        labels=labels,
    )
    for queue in queues:
        names, running = [queue.name, queue.name], list(queue.running())
        depth.add_metric(names, queue.depth)
        adds.add_metric(names, queue.adds)
        retries.add_metric(names, queue.retries)
        queue.waited.add_to(waited, *names)
        queue.worked.add_to(worked, *names)
        unfinished.add_metric(names, sum(running))
        longest.add_metric(names, max(running, default=0.0))
    yield from (depth, adds, retries, waited, worked, unfinished, longest)


def _reconcile_families(controllers: Iterable[ReconcileMetrics]) -> Iterator[Metric]:
    prefix, labels = "controller_runtime", ["controller"]
    total = CounterMetricFamily(
        f"{prefix}_reconcile",
        "Total number of reconciliations per controller",
        labels=["controller", "result"],
    )
    errors = CounterMetricFamily(
        f"{prefix}_reconcile_errors",
        "Total number of reconciliation errors per controller",
        labels=labels,
    )
    terminal = CounterMetricFamily(
        f"{prefix}_terminal_reconcile_errors",
        "Total number of terminal reconciliation errors per controller",
        labels=labels,
    )
    took = HistogramMetricFamily(
        f"{prefix}_reconcile_time_seconds",
        "Length of time per reconciliation per controller",
        labels=labels,
    )
    workers = GaugeMetricFamily(
        f"{prefix}_max_concurrent_reconciles",
        "Maximum number of concurrent reconciles per controller",
        labels=labels,
    )
    active = GaugeMetricFamily(
        f"{prefix}_active_workers",
        "Number of currently used workers per controller",
        labels=labels,
    )
    for one in controllers:
        for result, count in one.results.items():
            total.add_metric([one.name, result], count)
        errors.add_metric([one.name], one.results[ERROR])
        terminal.add_metric([one.name], one.terminal)
        one.took.add_to(took, one.name)
        workers.add_metric([one.name], one.workers)
        active.add_metric([one.name], one.active)
    yield from (total, errors, terminal, took, workers, active)


def _request_families(hosts: Iterable[RequestMetrics]) -> Iterator[Metric]:
    requests = CounterMetricFamily(
        "rest_client_requests",
        "Number of HTTP requests, partitioned by status code, method, and host.",
        labels=["code", "method", "host"],
    )
    took = HistogramMetricFamily(
        "rest_client_request_duration_seconds",
        "Request latency in seconds. Broken down by verb, and host.",
        labels=["verb", "host"],
    )
    for one in hosts:
        for (method, code), count in one.counts.items():
            requests.add_metric([str(code) if code else NO_ANSWER, method, one.host], count)
        for method, histogram in one.took.items():
            histogram.add_to(took, method, one.host)
    yield from (requests, took)
