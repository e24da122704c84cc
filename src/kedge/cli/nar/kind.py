"""NonAdminRestores as the commands read and send them, and what is said of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kedge.api.nonadmin.restore import NON_ADMIN_RESTORE
from kedge.api.velero.restore import TERMINAL
from kedge.cli.nab.outlook import Words, outlook
from kedge.cli.nab.request import NOT_READY, Asking, is_leaving

if TYPE_CHECKING:
    from kedge.kube.kind import Object

NARS = NON_ADMIN_RESTORE.into(dict)
RESTORING = Asking(
    "restore",
    "nar",
    NARS,
    "veleroRestore",
    "itemsRestored",
    frozenset(map(str, TERMINAL)),
    outlasts=True,
)
LEAVING = "It is being deleted, and what was restored stays; there is nothing to do."
WORDS = Words(
    "Nothing happens until its spec is valid: mend it with `kubectl edit nar {name}`, or delete it "
    "with `kedge nar delete {name}`; `kedge nab policy` prints the rules.",
    "The restore is gone and is not made again: delete this with `kedge nar delete {name}`, and "
    "create a new one.",
    "It waits for its backup, which does not get ready by itself: `kedge nab describe {other}` "
    "tells what to do.",
    NOT_READY,
    ("spec", "restoreSpec", "backupName"),
    {
        "Completed": "What was asked for is back in the namespace; `kedge nar delete {name}` "
        "deletes this, and nothing that was restored.",
        "PartiallyFailed": "It has ended with errors, and some of it is back in the namespace: "
        "create a new one when their cause is gone.",
        "Failed": "It has failed and is not tried again: create a new one, and delete this with "
        "`kedge nar delete {name}`.",
        "FailedValidation": "It was refused and is not tried again: create a new one, and delete "
        "this with `kedge nar delete {name}`.",
    },
)


def nar_outlook(obj: Object) -> str:
    """Say what happens next to a NonAdminRestore."""
    return LEAVING if is_leaving(obj) else outlook(RESTORING, obj, WORDS)
