from prometheus_client import Counter, generate_latest
from prometheus_client.openmetrics.exposition import generate_latest as generate
from prometheus_client.openmetrics.parser import text_string_to_metric_families

from kedge.runtime.metrics import (
    QUEUE_BUCKETS,
    RECONCILE_BUCKETS,
    REQUEST_BUCKETS,
    Metrics,
)
from kedge.runtime.queue import QueueMetrics as QueueProtocol

NAME = {"name": "boats", "controller": "boats"}
CONTROLLER = {"controller": "boats"}


def value(metrics: Metrics, name: str, labels: dict[str, str]) -> float | None:
    return metrics.registry.get_sample_value(name, labels)


def test_a_queue_counts_under_the_usual_names() -> None:
    metrics = Metrics()
    queue = metrics.queue("boats")
    for depth in (1, 2, 3):
        queue.added(depth)
    queue.taken(2, 0.02)
    queue.done(0.5)
    queue.retried()
    queue.running = lambda: [1.5, 4.0]
    assert value(metrics, "workqueue_depth", NAME) == 2
    assert value(metrics, "workqueue_adds_total", NAME) == 3
    assert value(metrics, "workqueue_retries_total", NAME) == 1
    assert value(metrics, "workqueue_queue_duration_seconds_sum", NAME) == 0.02
    assert value(metrics, "workqueue_queue_duration_seconds_count", NAME) == 1
    assert value(metrics, "workqueue_work_duration_seconds_sum", NAME) == 0.5
    assert value(metrics, "workqueue_unfinished_work_seconds", NAME) == 5.5
    assert value(metrics, "workqueue_longest_running_processor_seconds", NAME) == 4.0


def test_a_queue_that_was_never_used_is_all_zero() -> None:
    metrics = Metrics()
    metrics.queue("boats")
    assert value(metrics, "workqueue_depth", NAME) == 0
    assert value(metrics, "workqueue_longest_running_processor_seconds", NAME) == 0
    assert value(metrics, "workqueue_unfinished_work_seconds", NAME) == 0


def test_a_value_on_a_bound_belongs_to_its_bucket() -> None:
    metrics = Metrics()
    queue = metrics.queue("boats")
    for waited in (0.0, 1e-8, 0.01, 0.0100001, 1000.0, 5000.0):
        queue.taken(0, waited)

    def upto(bound: str) -> float | None:
        name = "workqueue_queue_duration_seconds_bucket"
        return value(metrics, name, {**NAME, "le": bound})

    assert [upto(bound) for bound in ("1e-08", "0.01", "0.1", "1000.0", "+Inf")] == [2, 3, 4, 5, 6]


def test_the_buckets_are_those_of_controller_runtime() -> None:
    powers = [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10, 100, 1000]
    assert list(QUEUE_BUCKETS) == powers
    assert len(RECONCILE_BUCKETS) == 40
    assert list(RECONCILE_BUCKETS) == sorted(RECONCILE_BUCKETS)
    assert list(RECONCILE_BUCKETS[-8:]) == [10, 15, 20, 25, 30, 40, 50, 60]
    assert list(REQUEST_BUCKETS) == [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60]


def test_a_controller_counts_its_reconciles_by_result() -> None:
    metrics = Metrics()
    counts = metrics.reconcile("boats", workers=3)
    for result in ("success", "success", "error", "requeue", "requeue_after", "terminal"):
        counts.started()
        counts.ended(result, 0.25)
    counts.started()

    def total(result: str) -> float | None:
        labels = {**CONTROLLER, "result": result}
        return value(metrics, "controller_runtime_reconcile_total", labels)

    results = ("success", "error", "requeue", "requeue_after")
    assert [total(result) for result in results] == [2, 2, 1, 1]
    assert value(metrics, "controller_runtime_reconcile_errors_total", CONTROLLER) == 2
    assert value(metrics, "controller_runtime_terminal_reconcile_errors_total", CONTROLLER) == 1
    assert value(metrics, "controller_runtime_reconcile_time_seconds_count", CONTROLLER) == 6
    assert value(metrics, "controller_runtime_active_workers", CONTROLLER) == 1
    assert value(metrics, "controller_runtime_max_concurrent_reconciles", CONTROLLER) == 3


def test_a_controller_that_has_done_nothing_tells_zeros() -> None:
    metrics = Metrics()
    metrics.reconcile("boats", workers=1)
    labels = {**CONTROLLER, "result": "error"}
    assert value(metrics, "controller_runtime_reconcile_total", labels) == 0


def test_requests_are_counted_by_code_method_and_host() -> None:
    metrics = Metrics()
    observe = metrics.client_observer("api:6443")
    observe("GET", 200, 0.1)
    observe("GET", 200, 0.3)
    observe("PATCH", 0, 32.0)

    def requests(code: str, method: str) -> float | None:
        labels = {"code": code, "method": method, "host": "api:6443"}
        return value(metrics, "rest_client_requests_total", labels)

    assert requests("200", "GET") == 2
    assert requests("<error>", "PATCH") == 1
    labels = {"verb": "GET", "host": "api:6443"}
    assert value(metrics, "rest_client_request_duration_seconds_sum", labels) == 0.4
    assert value(metrics, "rest_client_request_duration_seconds_count", labels) == 2


def test_two_clients_of_one_host_are_counted_together() -> None:
    metrics = Metrics()
    metrics.client_observer("api")("GET", 200, 0.1)
    metrics.client_observer("api")("GET", 200, 0.1)
    labels = {"code": "200", "method": "GET", "host": "api"}
    assert value(metrics, "rest_client_requests_total", labels) == 2


def test_whether_we_lead_is_told() -> None:
    metrics = Metrics()
    report = metrics.leader("boat")
    labels = {"name": "boat"}
    assert value(metrics, "leader_election_master_status", labels) == 0
    report(True)
    assert value(metrics, "leader_election_master_status", labels) == 1
    report(False)
    assert value(metrics, "leader_election_master_status", labels) == 0


def test_managers_share_nothing() -> None:
    one, other = Metrics(), Metrics()
    one.queue("boats").added(1)
    assert value(other, "workqueue_adds_total", NAME) is None


def test_a_controllers_own_metrics_stand_beside_ours() -> None:
    metrics = Metrics()
    counter = Counter("kedge_sails", "Sails that were set", registry=metrics.registry)
    counter.inc()
    assert value(metrics, "kedge_sails_total", {}) == 1


def test_process_and_python_are_told_of() -> None:
    text = generate_latest(Metrics().registry).decode()
    for name in ("process_cpu_seconds_total", "process_resident_memory_bytes", "python_info{"):
        assert f"\n{name}" in text


def test_all_of_it_is_valid_openmetrics() -> None:
    metrics = Metrics()
    metrics.queue('a "b" c\n').added(1)
    metrics.reconcile("boats", 1).started()
    metrics.client_observer("api")("GET", 200, 0.1)
    metrics.leader("boat")
    text = generate(metrics.registry).decode()  # type: ignore[no-untyped-call]
    parsed = text_string_to_metric_families(text)  # type: ignore[no-untyped-call]
    families = {family.name for family in parsed}
    assert {"workqueue_adds", "controller_runtime_reconcile", "rest_client_requests"} <= families


def test_they_fit_where_queues_want_them() -> None:
    queue: QueueProtocol = Metrics().queue("boats")
    queue.added(1)
