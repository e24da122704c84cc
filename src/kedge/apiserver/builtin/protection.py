"""Finalizers that keep storage from being deleted while it is in use."""

from kedge.apiserver.resource import Object


def protect(obj: Object, finalizer: str) -> None:
    """Add a finalizer to a new object, in place."""
    finalizers = obj["metadata"].setdefault("finalizers", [])
    if finalizer not in finalizers:
        finalizers.append(finalizer)
