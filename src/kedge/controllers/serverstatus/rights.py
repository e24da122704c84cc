"""What the controller of status requests does with the API; keep it in step with controller.py."""

from typing import Final

from kedge.api.velero.server_status import SERVER_STATUS_REQUEST
from kedge.kube.right import right

RIGHTS: Final = (
    # Patched where the status is no subresource.
    right(SERVER_STATUS_REQUEST, "list", "watch", "patch", "delete"),
    right(SERVER_STATUS_REQUEST, "patch", subresource="status"),
)
