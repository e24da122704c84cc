"""What the controller of locations does with the API; keep it in step with controller.py."""

from typing import Final

from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
from kedge.controllers.location.secrets import SECRETS
from kedge.kube.right import right

RIGHTS: Final = (
    # The spec is patched where another location is the default.
    right(BACKUP_STORAGE_LOCATION, "list", "watch", "patch"),
    right(BACKUP_STORAGE_LOCATION, "patch", subresource="status"),
    # Of all Secrets the metadata is followed; those that a location names are read to open it.
    right(SECRETS, "list", "watch", "get"),
)
