"""What each controller does with the API, by its name. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from kedge.controllers.backup.rights import RIGHTS as BACKUP_RIGHTS
from kedge.controllers.deletion.rights import RIGHTS as DELETION_RIGHTS
from kedge.controllers.download.rights import RIGHTS as DOWNLOAD_RIGHTS
from kedge.controllers.gc.rights import RIGHTS as GC_RIGHTS
from kedge.controllers.location.rights import RIGHTS as LOCATION_RIGHTS
from kedge.controllers.nab.rights import EVERYWHERE as NAB_EVERYWHERE
from kedge.controllers.nab.rights import RIGHTS as NAB_RIGHTS
from kedge.controllers.nabgc.rights import AT_HOME as NABGC_RIGHTS
from kedge.controllers.nabgc.rights import EVERYWHERE as NABGC_EVERYWHERE
from kedge.controllers.nabsl.rights import AT_HOME as NABSL_RIGHTS
from kedge.controllers.nabsl.rights import EVERYWHERE as NABSL_EVERYWHERE
from kedge.controllers.nabsync.rights import AT_HOME as NABSYNC_RIGHTS
from kedge.controllers.nabsync.rights import EVERYWHERE as NABSYNC_EVERYWHERE
from kedge.controllers.nadr.rights import AT_HOME as NADR_RIGHTS
from kedge.controllers.nadr.rights import EVERYWHERE as NADR_EVERYWHERE
from kedge.controllers.nar.rights import AT_HOME as NAR_RIGHTS
from kedge.controllers.nar.rights import EVERYWHERE as NAR_EVERYWHERE
from kedge.controllers.prescaled.rights import RIGHTS as PRESCALED_RIGHTS
from kedge.controllers.queue.rights import RIGHTS as QUEUE_RIGHTS
from kedge.controllers.restore.rights import RIGHTS as RESTORE_RIGHTS
from kedge.controllers.schedule.rights import RIGHTS as SCHEDULE_RIGHTS
from kedge.controllers.serverstatus.rights import RIGHTS as SERVER_STATUS_RIGHTS
from kedge.controllers.sync.rights import RIGHTS as SYNC_RIGHTS
from kedge.kube.right import Right


@dataclass(frozen=True, slots=True)
class Reach:
    """What a controller does, and where."""

    at_home: tuple[Right, ...] = ()
    """In the namespace of the server; Namespaces, which are in none, are among it, too."""
    everywhere: tuple[Right, ...] = ()
    """In all namespaces."""

    @property
    def rights(self) -> tuple[Right, ...]:
        """All of it."""
        return self.at_home + self.everywhere

    @property
    def is_spare(self) -> bool:
        """Whether it works on kinds of which a Velero knows nothing, and may stay away."""
        return bool(self.everywhere)


BY_CONTROLLER: Final[Mapping[str, Reach]] = {
    "backup": Reach(BACKUP_RIGHTS),
    "backup-deletion": Reach(DELETION_RIGHTS),
    "backup-queue": Reach(QUEUE_RIGHTS),
    "backup-storage-location": Reach(LOCATION_RIGHTS),
    "backup-sync": Reach(SYNC_RIGHTS),
    "download-request": Reach(DOWNLOAD_RIGHTS),
    "gc": Reach(GC_RIGHTS),
    "nonadminbackup": Reach(NAB_RIGHTS, NAB_EVERYWHERE),
    "nonadminbackup-gc": Reach(NABGC_RIGHTS, NABGC_EVERYWHERE),
    "nonadminbackup-sync": Reach(NABSYNC_RIGHTS, NABSYNC_EVERYWHERE),
    "nonadminbackupstoragelocation": Reach(NABSL_RIGHTS, NABSL_EVERYWHERE),
    "nonadmindownloadrequest": Reach(NADR_RIGHTS, NADR_EVERYWHERE),
    "nonadminrestore": Reach(NAR_RIGHTS, NAR_EVERYWHERE),
    "prescaled": Reach(everywhere=PRESCALED_RIGHTS),
    "restore": Reach(RESTORE_RIGHTS),
    "schedule": Reach(SCHEDULE_RIGHTS),
    "server-status-request": Reach(SERVER_STATUS_RIGHTS),
}


def watched(controllers: Iterable[str]) -> set[tuple[str, str]]:
    """Give group and plural of all that these controllers watch."""
    return {
        (one.group, one.resource)
        for name in controllers
        for one in BY_CONTROLLER[name].rights
        if "watch" in one.verbs
    }
