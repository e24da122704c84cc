"""What the controller of users' downloads does with the API; keep it in step with its modules."""

from typing import Final

from kedge.api.nonadmin.backup import NON_ADMIN_BACKUP
from kedge.api.nonadmin.download_request import NON_ADMIN_DOWNLOAD_REQUEST
from kedge.api.nonadmin.restore import NON_ADMIN_RESTORE
from kedge.api.velero.backup import BACKUP
from kedge.api.velero.download_request import DOWNLOAD_REQUEST
from kedge.api.velero.restore import RESTORE
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
from kedge.kube.right import right

EVERYWHERE: Final = (
    right(NON_ADMIN_DOWNLOAD_REQUEST, "list", "watch", "get", "delete"),
    right(NON_ADMIN_DOWNLOAD_REQUEST, "patch", subresource="status"),
    right(NON_ADMIN_BACKUP, "list", "watch", "get"),
    right(NON_ADMIN_RESTORE, "list", "watch", "get"),
)
"""In the namespaces of all people."""
AT_HOME: Final = (
    right(DOWNLOAD_REQUEST, "list", "watch", "create", "delete"),
    # What a file is of is looked up where users can not write.
    right(BACKUP, "get"),
    right(RESTORE, "get"),
    right(BACKUP_STORAGE_LOCATION, "get"),
)
"""In the server's namespace only."""
RIGHTS: Final = (*EVERYWHERE, *AT_HOME)
