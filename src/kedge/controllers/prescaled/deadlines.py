"""How long the work may take: what its user gave it counts from the run, and not from the wait."""

from datetime import timedelta
from typing import Final

from kedge.kube.kind import Object

FIELD: Final = "activeDeadlineSeconds"
MOST: Final = 2**31 - 1
"""The longest deadline that a server takes of a pod."""


def extend_deadline(spec: Object, lead: timedelta | None) -> None:
    """Add the wait to the deadline of a job or a pod, in place; one that is wrong stays so."""
    given = spec.get(FIELD)
    if lead is None or type(given) is not int or given <= 0:
        return
    spec[FIELD] = max(given, min(given + int(lead.total_seconds()), MOST))
