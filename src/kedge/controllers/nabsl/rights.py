"""What the controller of users' locations does with the API; keep it in step with its modules."""

from typing import Final

from kedge.api.nonadmin.backup import NON_ADMIN_BACKUP
from kedge.api.nonadmin.location import NON_ADMIN_LOCATION
from kedge.api.nonadmin.location_request import NON_ADMIN_LOCATION_REQUEST
from kedge.api.velero.backup import BACKUP
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
from kedge.controllers.nabsl.heads import SECRETS
from kedge.kube.right import right
from kedge.selfservice.policies import APPLICATION, CONFIG_MAP

EVERYWHERE: Final = (
    # It is put for the finalizer; each is read before anything is done for it.
    right(NON_ADMIN_LOCATION, "list", "watch", "get", "update"),
    right(NON_ADMIN_LOCATION, "patch", subresource="status"),
    # Those that are kept in a bucket that goes, go with it.
    right(NON_ADMIN_BACKUP, "list", "watch", "patch", "delete"),
    # They are followed by their metadata, and read when they are to be copied.
    right(SECRETS, "list", "watch", "get"),
)
"""In the namespaces of all people."""
AT_HOME: Final = (
    right(NON_ADMIN_LOCATION_REQUEST, "list", "watch", "get", "create", "patch", "delete"),
    right(NON_ADMIN_LOCATION_REQUEST, "patch", subresource="status"),
    right(BACKUP_STORAGE_LOCATION, "list", "watch", "get", "create", "patch", "delete"),
    right(SECRETS, "get", "create", "update", "delete"),
    # What was found in a bucket goes with it.
    right(BACKUP, "list", "delete"),
    # The policy of the administrator.
    right(CONFIG_MAP, "list", "watch"),
    right(APPLICATION, "list"),
)
"""In the server's namespace only."""
RIGHTS: Final = (*EVERYWHERE, *AT_HOME)
