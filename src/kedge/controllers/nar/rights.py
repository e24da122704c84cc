"""What the controller of NonAdminRestores does with the API; keep it in step with its modules."""

from typing import Final

from kedge.api.nonadmin.backup import NON_ADMIN_BACKUP
from kedge.api.nonadmin.restore import NON_ADMIN_RESTORE
from kedge.api.velero.backup import BACKUP
from kedge.api.velero.pod_volume_restore import POD_VOLUME_RESTORE
from kedge.api.velero.restore import RESTORE
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
from kedge.controllers.nar.controller import NAMESPACES
from kedge.controllers.nar.heads import DOWNLOADS
from kedge.kube.right import right
from kedge.selfservice.policies import APPLICATION, CONFIG_MAP

EVERYWHERE: Final = (
    # It is put for the finalizer; one is read before its Velero Restore is made.
    right(NON_ADMIN_RESTORE, "list", "watch", "get", "update"),
    right(NON_ADMIN_RESTORE, "patch", "update", subresource="status"),
    right(NON_ADMIN_BACKUP, "list", "watch"),
    right(NAMESPACES, "list", "watch"),
)
"""In the namespaces of all people."""
AT_HOME: Final = (
    # One is read where its name is taken, or no cache shows it any more.
    right(RESTORE, "list", "watch", "get", "create", "delete"),
    # One is read before it is restored: the cache may show one that was replaced.
    right(BACKUP, "list", "watch", "get"),
    # Whose bucket a Backup is in.
    right(BACKUP_STORAGE_LOCATION, "list", "watch"),
    right(POD_VOLUME_RESTORE, "list", "watch"),
    right(DOWNLOADS, "list"),
    # The policy of the administrator.
    right(CONFIG_MAP, "list", "watch"),
    right(APPLICATION, "list"),
)
"""In the server's namespace only."""
RIGHTS: Final = (*EVERYWHERE, *AT_HOME)
