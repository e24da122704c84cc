"""What the machinery beneath the controllers does with the API."""

from typing import Final

from kedge.kube.right import Right, right
from kedge.runtime.events import EVENTS
from kedge.runtime.lease import LEASES

EVENT_RIGHTS: Final = (right(EVENTS, "create", "patch"),)
"""Of `events`: one that happens again is counted in the Event that is there."""


def lease_rights(name: str) -> tuple[Right, ...]:
    """Give what `leader` does with the Lease of this name."""
    return (right(LEASES, "create"), right(LEASES, "get", "update", names=(name,)))
