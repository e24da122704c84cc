"""What the schedule controller does with the API; keep it in step with controller.py."""

from typing import Final

from kedge.api.velero.backup import BACKUP
from kedge.api.velero.schedule import SCHEDULE
from kedge.kube.right import right

RIGHTS: Final = (
    # The spec is patched where a skip is taken; so is the status where it is no subresource.
    right(SCHEDULE, "list", "watch", "patch"),
    right(SCHEDULE, "patch", subresource="status"),
    # One Backup is read where its name is taken, to see whose it is.
    right(BACKUP, "list", "watch", "get", "create"),
)
