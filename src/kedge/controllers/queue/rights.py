"""What the queue does with the API; keep it in step with controller.py."""

from typing import Final

from kedge.api.velero.backup import BACKUP
from kedge.controllers.queue.controller import NAMESPACES
from kedge.kube.right import right

RIGHTS: Final = (
    # The object is patched where its status is no subresource.
    right(BACKUP, "list", "watch", "patch"),
    right(BACKUP, "patch", subresource="status"),
    right(NAMESPACES, "list", "watch"),
)
