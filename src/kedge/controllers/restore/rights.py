"""What the restore controller does with the API; keep it in step with the modules beside it.

What a restore writes is not told here: it writes whatever a backup holds.
"""

from typing import Final

from kedge.api.velero.backup import BACKUP
from kedge.api.velero.restore import RESTORE
from kedge.api.velero.schedule import SCHEDULE
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
from kedge.controllers.restore.source import CONFIG_MAPS
from kedge.kube.right import right

RIGHTS: Final = (
    # The spec is patched where something is filled in, the metadata for the finalizer.
    right(RESTORE, "list", "watch", "get", "patch"),
    right(RESTORE, "update", subresource="status"),
    # Those of a schedule are listed to find the newest.
    right(BACKUP, "get", "list"),
    right(BACKUP_STORAGE_LOCATION, "get"),
    # Each has numbers, though nothing of it may have been restored yet.
    right(SCHEDULE, "list", "watch"),
    # The one that has the rules by which objects are changed.
    right(CONFIG_MAPS, "get"),
)
