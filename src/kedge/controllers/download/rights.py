"""What the controller of downloads does with the API; keep it in step with controller.py."""

from typing import Final

from kedge.api.velero.backup import BACKUP
from kedge.api.velero.download_request import DOWNLOAD_REQUEST
from kedge.api.velero.restore import RESTORE
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
from kedge.kube.kind import plain
from kedge.kube.right import right

RIGHTS: Final = (
    # Patched where the status is no subresource.
    right(DOWNLOAD_REQUEST, "list", "watch", "patch", "delete"),
    right(DOWNLOAD_REQUEST, "patch", subresource="status"),
    right(RESTORE, "get"),
    right(BACKUP, "get"),
    # Followed to know the folders from which files are served.
    right(BACKUP_STORAGE_LOCATION, "get", "list", "watch"),
    right(plain("v1", "Secret", "secrets"), "get"),
)
