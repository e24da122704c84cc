"""What the synchronizer does with the API; keep it in step with controller.py."""

from typing import Final

from kedge.api.nonadmin.backup import NON_ADMIN_BACKUP
from kedge.api.nonadmin.location import NON_ADMIN_LOCATION
from kedge.api.velero.backup import BACKUP
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
from kedge.controllers.nabsync.heads import NAMESPACES
from kedge.kube.right import right
from kedge.selfservice.policies import APPLICATION, CONFIG_MAP

EVERYWHERE: Final = (
    right(NON_ADMIN_BACKUP, "list", "watch", "create"),
    right(NON_ADMIN_LOCATION, "list", "watch"),
    right(NAMESPACES, "list", "watch"),
)
"""In the namespaces of all people."""
AT_HOME: Final = (
    right(BACKUP, "list", "watch", "get"),
    right(BACKUP_STORAGE_LOCATION, "list", "watch"),
    # The policy of the administrator.
    right(CONFIG_MAP, "list", "watch"),
    right(APPLICATION, "list"),
)
"""In the server's namespace only."""
RIGHTS: Final = (*EVERYWHERE, *AT_HOME)
