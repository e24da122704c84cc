"""What the removal of orphans does with the API; keep it in step with controller.py."""

from typing import Final

from kedge.api.nonadmin.backup import NON_ADMIN_BACKUP
from kedge.api.nonadmin.location import NON_ADMIN_LOCATION
from kedge.api.nonadmin.location_request import NON_ADMIN_LOCATION_REQUEST
from kedge.api.nonadmin.restore import NON_ADMIN_RESTORE
from kedge.api.velero.backup import BACKUP
from kedge.api.velero.restore import RESTORE
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
from kedge.controllers.nabgc.controller import SECRETS
from kedge.kube.right import right
from kedge.selfservice.policies import APPLICATION, CONFIG_MAP

EVERYWHERE: Final = (
    # One is read before what may be its own is deleted.
    right(NON_ADMIN_BACKUP, "list", "get"),
    right(NON_ADMIN_RESTORE, "list"),
    right(NON_ADMIN_LOCATION, "list"),
)
"""In the namespaces of all people."""
AT_HOME: Final = (
    right(BACKUP, "list", "delete"),
    right(RESTORE, "list", "delete"),
    right(BACKUP_STORAGE_LOCATION, "list", "delete"),
    right(SECRETS, "list", "delete"),
    right(NON_ADMIN_LOCATION_REQUEST, "list", "delete"),
    # The policy of the administrator.
    right(CONFIG_MAP, "list", "watch"),
    right(APPLICATION, "list"),
)
"""In the server's namespace only."""
RIGHTS: Final = (*EVERYWHERE, *AT_HOME)
