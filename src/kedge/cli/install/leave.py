"""Which objects of others are left as they are, where an installation would do harm. Pure."""

from collections.abc import Mapping
from typing import Any, Final

from kedge.kube.kind import Object

MANAGER: Final = "kedge-install"
"""The field manager of an installation."""
OLD_KIND: Final = (
    "it is a Velero's, which could write no status any more; --replace-crds puts ours in its place"
)
OLD_STORAGE: Final = "it was there before us; delete it, and install again, to have another one"
OLD_NAMESPACE: Final = "it was there before us, so its labels stay as they are"


def reason_to_leave(there: Object, wanted: Object, *, replace_crds: bool = False) -> str:
    """Say why the object that is there is not touched; nothing where it may be."""
    match wanted["kind"]:
        case "CustomResourceDefinition" if not replace_crds and _loses_status(there, wanted):
            return OLD_KIND
        case "Secret" | "BackupStorageLocation" if not is_ours(there):
            # A Velero may work with it, or somebody has changed it since.
            return OLD_STORAGE
        case "Namespace" if not is_ours(there):
            # Pods that run there with the rights that its labels give would not start again.
            return OLD_NAMESPACE
    return ""


def _loses_status(there: Object, wanted: Object) -> bool:
    """Tell whether status would become a subresource: who does not know that writes in vain."""
    before, after = _versions(there), _versions(wanted)
    return any(
        _has_status(after[name]) and not _has_status(before[name])
        for name in after.keys() & before.keys()
    )


def _versions(crd: Object) -> dict[str, Mapping[str, Any]]:
    return {one["name"]: one for one in crd["spec"].get("versions") or ()}


def _has_status(version: Mapping[str, Any]) -> bool:
    return "status" in (version.get("subresources") or {})


def is_ours(there: Object) -> bool:
    """Tell whether an installation has made an object, or has taken it over."""
    entries = there["metadata"].get("managedFields") or ()
    return any(one.get("manager") == MANAGER and one.get("operation") == "Apply" for one in entries)
