"""What an object leaves behind when it comes back: all that belonged to its former life."""

from typing import Any, Final

from kedge.api.velero.labels import BACKUP_NAME, RESTORE_NAME, valid_name
from kedge.engine.restore.fields import made
from kedge.kube.kind import Object

FORMER: Final = (
    "generateName",
    "selfLink",
    "uid",
    "resourceVersion",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "ownerReferences",
)
"""Fields of metadata that do not come back."""


def strip(obj: Object) -> Object:
    """Take away what does not come back, in place; what is in its status is given."""
    metadata = obj["metadata"]
    for field in FORMER:
        metadata.pop(field, None)
    for field in ("labels", "annotations", "finalizers"):
        if field in metadata and not metadata[field]:
            # A server does not keep an empty one.
            metadata.pop(field)
    return {"status": obj.pop("status")} if "status" in obj else {}


def take_managed(obj: Object) -> list[Any]:
    """Take away who set which field; given only where somebody applied some of them.

    Those who apply are told of a conflict, or lose fields, if their entries do not come back.
    """
    managed = obj["metadata"].pop("managedFields", None)
    if not isinstance(managed, list):
        return []
    applied = any(isinstance(each, dict) and each.get("operation") == "Apply" for each in managed)
    return managed if applied else []


def restore_labels(restore: str, backup: str) -> dict[str, str]:
    """Give the labels that say by which restore, from which backup, an object came back."""
    return {BACKUP_NAME: valid_name(backup), RESTORE_NAME: valid_name(restore)}


def add_labels(obj: Object, labels: dict[str, str]) -> None:
    """Put labels on an object."""
    made(obj, "metadata", "labels").update(labels)
