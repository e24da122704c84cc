"""How long what was asked for by self-service may take, while others wait for it. Pure."""

from datetime import timedelta
from typing import Final

from kedge.kube.durations import format_duration
from kedge.kube.kind import Object
from kedge.selfservice.marks import Mark, is_marked

MOST: Final = timedelta(hours=4)
"""Whose hooks and bucket it is may make it last; others wait meanwhile."""


def overtime(obj: Object, mark: Mark, seconds: float, most: timedelta) -> str:
    """Say that a Velero object which was made for people takes too long; empty: it does not.

    Those of the administrator take as long as they take.
    """
    meta = obj["metadata"]
    if seconds <= most.total_seconds():
        return ""
    if not is_marked(mark, meta.get("labels"), meta.get("annotations")):
        return ""
    text = f"it takes longer than {format_duration(most)}"
    return f"{text}, which is the most for what is asked for by self-service"
