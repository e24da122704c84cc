"""How backups behave where they do not say it themselves."""

from dataclasses import dataclass
from datetime import timedelta

from kedge.api.velero.labels import VOLUME_GROUP
from kedge.selfservice.patience import MOST


@dataclass(frozen=True, slots=True)
class BackupSettings:
    """What a server gives to each backup."""

    concurrent_backups: int = 1
    """Backups that run at the same time, as the queue has it."""
    namespace: str | None = None
    """Where Backups are looked for; None: in all namespaces."""
    default_location: str = "default"
    """The storage location of those that name none, where none is marked as the default."""
    default_ttl: timedelta = timedelta(hours=720)
    csi_timeout: timedelta = timedelta(minutes=10)
    item_operation_timeout: timedelta = timedelta(hours=4)
    resource_timeout: timedelta = timedelta(minutes=10)
    """So long it is tried to tell the API what became of a backup."""
    tenants_timeout: timedelta = MOST
    """So long one may take that was made for people, whose hooks and bucket it is: others wait."""
    volume_group_label: str = VOLUME_GROUP
    page_size: int = 500
    """Objects in one answer to a list, or three times as many in long ones."""
