"""What the controller does with the API; keep it in step with the code.

NonAdminBackups, namespaces and Events are those of all namespaces; all else is in the server's own.
"""

from typing import Final

from kedge.api.nonadmin.backup import NON_ADMIN_BACKUP
from kedge.api.nonadmin.location import NON_ADMIN_LOCATION
from kedge.api.velero.backup import BACKUP
from kedge.api.velero.delete_request import DELETE_BACKUP_REQUEST
from kedge.api.velero.pod_volume_backup import POD_VOLUME_BACKUP
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
from kedge.controllers.nab.heads import UPLOADS
from kedge.controllers.nab.surroundings import NAMESPACES
from kedge.kube.right import right
from kedge.selfservice.policies import APPLICATION, CONFIG_MAP
from kedge.selfservice.policy import POLICY_NAME

EVERYWHERE: Final = (
    # Finalizers are put; what is to be deleted is deleted, once its owner says so.
    right(NON_ADMIN_BACKUP, "list", "watch", "get", "update", "delete"),
    right(NON_ADMIN_BACKUP, "patch", "update", subresource="status"),
    right(NON_ADMIN_LOCATION, "list", "watch"),
    right(NAMESPACES, "list", "watch"),
)
"""In all namespaces."""

RIGHTS: Final = (
    right(BACKUP, "list", "watch", "get", "create", "delete"),
    right(DELETE_BACKUP_REQUEST, "list", "watch", "get", "create", "delete"),
    right(BACKUP_STORAGE_LOCATION, "list", "watch"),
    right(POD_VOLUME_BACKUP, "list", "watch"),
    # Where the cluster has that kind, and data is moved.
    right(UPLOADS, "list"),
    right(CONFIG_MAP, "list", "watch", names=(POLICY_NAME,)),
    right(APPLICATION, "list"),
)
"""In the server's namespace."""
