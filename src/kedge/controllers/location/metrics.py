"""What is told of locations in numbers, worked out when somebody asks."""

from collections.abc import Iterator

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from kedge.api.velero.storage_location import BackupStorageLocation, LocationPhase
from kedge.runtime import Cache


class LocationMetrics(Collector):
    """Tells of each location whether it can be used; register it where metrics are collected."""

    def __init__(self) -> None:
        """Know of none."""
        self._locations: Cache[BackupStorageLocation] | None = None

    def look_at(self, locations: Cache[BackupStorageLocation]) -> None:
        """Tell of the locations in this cache."""
        self._locations = locations

    def collect(self) -> Iterator[Metric]:
        """Tell all numbers; of a location that nobody has looked at there is none."""
        gauge = GaugeMetricFamily(
            "velero_backup_location_status_gauge",
            "The status of backup location. A value of 1 is available, 0 is unavailable",
            labels=["backup_location_name"],
        )
        for entry in self._locations.entries() if self._locations is not None else ():
            phase = entry.read().status.phase
            if phase:
                gauge.add_metric([entry.key.name], float(phase == LocationPhase.AVAILABLE))
        yield gauge
