"""Without a cache there is nothing to tell."""

from kedge.controllers.location.metrics import LocationMetrics


def test_nothing_is_told_before_anything_is_known() -> None:
    (family,) = LocationMetrics().collect()
    assert family.name == "velero_backup_location_status_gauge"
    assert family.samples == []
