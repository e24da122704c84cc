"""What the controller of deletions does with the API; keep it in step with controller.py."""

from typing import Final

from kedge.api.velero.backup import BACKUP
from kedge.api.velero.delete_request import DELETE_BACKUP_REQUEST
from kedge.api.velero.restore import RESTORE
from kedge.api.velero.schedule import SCHEDULE
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
from kedge.kube.kind import plain
from kedge.kube.right import right

RIGHTS: Final = (
    # Patched where a request has no labels; and all where the status is no subresource.
    right(DELETE_BACKUP_REQUEST, "list", "watch", "patch", "delete"),
    right(DELETE_BACKUP_REQUEST, "patch", subresource="status"),
    right(BACKUP, "get", "patch", "delete"),
    right(BACKUP, "patch", subresource="status"),
    right(RESTORE, "list", "watch", "delete"),
    # Each has numbers, and none that is gone has.
    right(SCHEDULE, "list", "watch"),
    right(BACKUP_STORAGE_LOCATION, "get"),
    right(plain("v1", "Secret", "secrets"), "get"),
)
