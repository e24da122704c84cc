"""What garbage collection does with the API; keep it in step with controller.py."""

from typing import Final

from kedge.api.velero.backup import BACKUP
from kedge.api.velero.delete_request import DELETE_BACKUP_REQUEST
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
from kedge.kube.right import right

RIGHTS: Final = (
    # A label says why one can not be removed.
    right(BACKUP, "list", "watch", "patch"),
    right(BACKUP_STORAGE_LOCATION, "list", "watch"),
    right(DELETE_BACKUP_REQUEST, "list", "watch", "create"),
)
