"""What an operator is told: the settings of its parts, put together."""

from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Final

from kedge import __version__
from kedge.client.settings import ClientSettings
from kedge.controllers.prescaled.controller import PrescaledSettings
from kedge.controllers.schedule.controller import ScheduleSettings
from kedge.runtime.leadersettings import LeaderSettings
from kedge.runtime.manager import ManagerSettings
from kedge.runtime.serving import ServingSettings
from kedge.selfservice.publish import PERIOD_SECONDS

NAMESPACE: Final = "velero"
"""Where Velero's objects live, unless told otherwise."""
LEASE: Final = "kedge"
REPOSITORY: Final = "ghcr.io/kedge-dev/kedge"
# A tag has no plus sign, which a version of somebody's own build has.
IMAGE: Final = f"{REPOSITORY}:{__version__.replace('+', '-')}"
"""Our own image."""
CONTROLLERS: Final = (
    "backup",
    "backup-deletion",
    "backup-queue",
    "backup-storage-location",
    "backup-sync",
    "download-request",
    "gc",
    "nonadminbackup",
    "nonadminbackup-gc",
    "nonadminbackup-sync",
    "nonadminbackupstoragelocation",
    "nonadmindownloadrequest",
    "nonadminrestore",
    "prescaled",
    "restore",
    "schedule",
    "server-status-request",
)
"""The names of all controllers, as `--disable-controllers` takes them."""
VELERO_ONLY: Final = frozenset(
    {
        "backup-finalizer",
        "backup-operations",
        "backup-repo",
        "restore-finalizer",
        "restore-operations",
    }
)
"""Controllers of Velero that there are not here; to switch them off is no mistake."""
RESTORE_ONLY: Final = frozenset({"backup", "backup-deletion", "gc", "schedule"})
"""The controllers that `--restore-only` switches off."""


def disabled_of(text: str) -> frozenset[str]:
    """Read the names that `--disable-controllers` is given; raises ValueError."""
    names = frozenset(name.strip() for name in text.split(",") if name.strip())
    for name in sorted(names - set(CONTROLLERS) - VELERO_ONLY):
        raise ValueError(
            f"invalid value for --disable-controllers: {name}; valid are {', '.join(CONTROLLERS)}"
        )
    return names


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """How backups and restores are made where they do not say it themselves."""

    default_location: str = "default"
    """The location of Backups that name none, where none is marked as the default."""
    backup_ttl: timedelta = timedelta(hours=720)
    sync_period: timedelta = timedelta(minutes=1)
    validation_frequency: timedelta = timedelta(minutes=1)
    gc_frequency: timedelta = timedelta(minutes=60)
    """How long after a deletion that failed it is tried again."""
    item_operation_timeout: timedelta = timedelta(hours=4)
    resource_timeout: timedelta = timedelta(minutes=10)
    terminating_timeout: timedelta = timedelta(minutes=10)
    restore_priorities: str = ""
    """As the flag has it; empty: Velero's order."""
    concurrent_backups: int = 1
    page: int = 500
    """Objects in one page of a list."""
    objects_folder: Path | None = None
    """Where kedge.dev/filesystem keeps its buckets."""
    download_host: str = "127.0.0.1"
    download_port: int | None = None
    """Where files of that provider are served; 0 takes a free one, None serves nothing."""
    download_url: str = ""
    """How others reach it; empty: by the address itself."""


@dataclass(frozen=True, slots=True)
class OperatorSettings:
    """How all controllers run."""

    namespace: str = NAMESPACE
    disabled: frozenset[str] = frozenset()
    """Controllers that do not run."""
    client: ClientSettings = field(default_factory=ClientSettings)
    leader: LeaderSettings | None = None
    """None: this process is alone, and leads at once."""
    serving: ServingSettings = field(default_factory=lambda: ServingSettings(port=None))
    manager: ManagerSettings = field(default_factory=ManagerSettings)
    schedules: ScheduleSettings = field(default_factory=ScheduleSettings)
    engine: EngineSettings = field(default_factory=EngineSettings)
    position_period: timedelta = timedelta(seconds=PERIOD_SECONDS)
    """Positions behind the first ten of self-service are told at most once in so long."""
    prescaled: PrescaledSettings = field(default_factory=lambda: PrescaledSettings(IMAGE))
