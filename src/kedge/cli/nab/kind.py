"""NonAdminBackups as the commands read and send them: whole, with fields newer than we are."""

from kedge.api.nonadmin.backup import NON_ADMIN_BACKUP
from kedge.api.velero.backup import TERMINAL
from kedge.cli.nab.request import Asking

NABS = NON_ADMIN_BACKUP.into(dict)
BACKING_UP = Asking(
    "backup",
    "nab",
    NABS,
    "veleroBackup",
    "itemsBackedUp",
    frozenset(map(str, TERMINAL)),
    outlasts=False,
)
