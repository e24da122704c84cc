"""What is told of backups in numbers."""

from datetime import timedelta

from prometheus_client import CollectorRegistry, generate_latest

from kedge.controllers.backup.metrics import BackupMetrics


def told(metrics: BackupMetrics) -> dict[str, float]:
    registry = CollectorRegistry()
    registry.register(metrics)
    lines = generate_latest(registry).decode().splitlines()
    pairs = [line.rsplit(" ", 1) for line in lines if not line.startswith("#")]
    return {name: float(value) for name, value in pairs}


def test_all_counters_begin_at_zero_for_backups_without_a_schedule() -> None:
    found = told(BackupMetrics())
    for name in (
        "backup_attempt_total",
        "backup_success_total",
        "backup_partial_failure_total",
        "backup_failure_total",
        "backup_validation_failure_total",
        "backup_warning_total",
        "volume_snapshot_attempt_total",
        "volume_snapshot_success_total",
        "volume_snapshot_failure_total",
        "backup_items_total",
        "backup_items_errors",
    ):
        assert found.pop(f'velero_{name}{{schedule=""}}') == 0
    assert found == {}


def test_each_end_is_counted_under_its_name() -> None:
    metrics = BackupMetrics()
    for phase in ("Completed", "PartiallyFailed", "PartiallyFailed", "Failed"):
        metrics.attempted("nightly")
        metrics.ended("nightly", {"phase": phase}, None)
    metrics.rejected("nightly")
    found = told(metrics)
    counts = {
        "attempt": 4,
        "success": 1,
        "partial_failure": 2,
        "failure": 1,
        "validation_failure": 1,
        "warning": 0,
    }
    for name, count in counts.items():
        assert found[f'velero_backup_{name}_total{{schedule="nightly"}}'] == count


def test_items_size_warnings_and_duration_are_told() -> None:
    metrics = BackupMetrics()
    metrics.uploaded("", 4096)
    status = {"phase": "PartiallyFailed", "errors": 2, "warnings": 7}
    status["progress"] = {"totalItems": 10, "itemsBackedUp": 10}
    metrics.ended("", status, timedelta(seconds=90))
    found = told(metrics)
    assert found['velero_backup_tarball_size_bytes{schedule=""}'] == 4096
    assert found['velero_backup_items_total{schedule=""}'] == 10
    assert found['velero_backup_items_errors{schedule=""}'] == 2
    assert found['velero_backup_warning_total{schedule=""}'] == 1
    assert found['velero_backup_duration_seconds_bucket{le="60.0",schedule=""}'] == 0
    assert found['velero_backup_duration_seconds_bucket{le="300.0",schedule=""}'] == 1
    assert found['velero_backup_duration_seconds_sum{schedule=""}'] == 90
