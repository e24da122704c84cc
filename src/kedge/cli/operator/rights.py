"""What each controller does with the API, by its name. Pure."""

from collections.abc import Iterable, Mapping
from typing import Final

from kedge.controllers.backup.rights import RIGHTS as BACKUP_RIGHTS
from kedge.controllers.deletion.rights import RIGHTS as DELETION_RIGHTS
from kedge.controllers.download.rights import RIGHTS as DOWNLOAD_RIGHTS
from kedge.controllers.gc.rights import RIGHTS as GC_RIGHTS
from kedge.controllers.location.rights import RIGHTS as LOCATION_RIGHTS
from kedge.controllers.prescaled.rights import RIGHTS as PRESCALED_RIGHTS
from kedge.controllers.queue.rights import RIGHTS as QUEUE_RIGHTS
from kedge.controllers.restore.rights import RIGHTS as RESTORE_RIGHTS
from kedge.controllers.schedule.rights import RIGHTS as SCHEDULE_RIGHTS
from kedge.controllers.serverstatus.rights import RIGHTS as SERVER_STATUS_RIGHTS
from kedge.controllers.sync.rights import RIGHTS as SYNC_RIGHTS
from kedge.kube.right import Right

BY_CONTROLLER: Final[Mapping[str, tuple[Right, ...]]] = {
    "backup": BACKUP_RIGHTS,
    "backup-deletion": DELETION_RIGHTS,
    "backup-queue": QUEUE_RIGHTS,
    "backup-storage-location": LOCATION_RIGHTS,
    "backup-sync": SYNC_RIGHTS,
    "download-request": DOWNLOAD_RIGHTS,
    "gc": GC_RIGHTS,
    "prescaled": PRESCALED_RIGHTS,
    "restore": RESTORE_RIGHTS,
    "schedule": SCHEDULE_RIGHTS,
    "server-status-request": SERVER_STATUS_RIGHTS,
}
"""What each does; all of it in the namespace of the server, but for what follows."""
EVERYWHERE: Final = frozenset({"prescaled"})
"""Controllers that work in all namespaces, on kinds of which a Velero knows nothing."""


def watched(controllers: Iterable[str]) -> set[tuple[str, str]]:
    """Give group and plural of all that these controllers watch."""
    return {
        (one.group, one.resource)
        for name in controllers
        for one in BY_CONTROLLER[name]
        if "watch" in one.verbs
    }
