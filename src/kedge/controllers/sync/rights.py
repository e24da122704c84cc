"""What the sync does with the API; keep it in step with controller.py and bringing.py."""

from typing import Final

from kedge.api.velero.backup import BACKUP
from kedge.api.velero.pod_volume_backup import POD_VOLUME_BACKUP
from kedge.api.velero.schedule import SCHEDULE
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
from kedge.kube.kind import plain
from kedge.kube.right import right

RIGHTS: Final = (
    # Patched, as Backups are, where the status is no subresource.
    right(BACKUP_STORAGE_LOCATION, "list", "watch", "patch"),
    right(BACKUP_STORAGE_LOCATION, "patch", subresource="status"),
    # One is read where its name is taken, to see whether it was brought by us.
    right(BACKUP, "list", "watch", "get", "create", "patch", "delete"),
    right(BACKUP, "patch", subresource="status"),
    right(POD_VOLUME_BACKUP, "get", "create"),
    right(POD_VOLUME_BACKUP, "patch", subresource="status"),
    right(SCHEDULE, "get"),
    right(plain("v1", "Secret", "secrets"), "get"),
)
