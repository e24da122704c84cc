"""What the backup controller does with the API; keep it in step with the modules beside it.

What a backup reads is not told here: it reads all that there is.
"""

from typing import Final

from kedge.api.velero.backup import BACKUP
from kedge.api.velero.schedule import SCHEDULE
from kedge.api.velero.snapshot_location import VOLUME_SNAPSHOT_LOCATION
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
from kedge.controllers.backup.facts import CONFIG_MAPS
from kedge.engine.backup.existing import NAMESPACE
from kedge.kube.right import right

RIGHTS: Final = (
    right(BACKUP, "list", "watch", "get", "patch"),
    right(BACKUP, "update", subresource="status"),
    right(BACKUP_STORAGE_LOCATION, "list", "watch", "get"),
    right(VOLUME_SNAPSHOT_LOCATION, "list"),
    # Each has numbers, though it may have no backup yet.
    right(SCHEDULE, "list", "watch"),
    # Which there are, and which of them a label keeps out of backups.
    right(NAMESPACE, "list", "watch"),
    # The one that a resource policy names.
    right(CONFIG_MAPS, "get"),
)
