"""Owner references: who made an object, and what goes when the owner goes."""

from collections.abc import Mapping, Sequence
from typing import Any

Reference = dict[str, Any]


def reference_to(
    owner: Mapping[str, Any], *, controller: bool = True, block_deletion: bool = True
) -> Reference:
    """Make the reference by which a dependent points to its owner."""
    meta = owner["metadata"]
    reference = {
        "apiVersion": owner["apiVersion"],
        "kind": owner["kind"],
        "name": meta["name"],
        "uid": meta["uid"],
    }
    if controller:
        reference["controller"] = True
    if block_deletion:
        reference["blockOwnerDeletion"] = True
    return reference


def owners_of(obj: Mapping[str, Any]) -> Sequence[Reference]:
    """Give the owner references of an object."""
    return obj.get("metadata", {}).get("ownerReferences") or ()


def controller_of(obj: Mapping[str, Any]) -> Reference | None:
    """Give the reference to the owner that manages the object, if there is one."""
    return next((owner for owner in owners_of(obj) if owner.get("controller")), None)


def is_controlled_by(obj: Mapping[str, Any], owner: Mapping[str, Any]) -> bool:
    """Tell whether `owner` manages the object; the uid decides, not the name."""
    controller = controller_of(obj)
    return controller is not None and controller.get("uid") == owner["metadata"]["uid"]


def without_duplicates(
    references: Sequence[Reference],
) -> tuple[list[Reference], list[str]]:
    """Leave out references that are there twice; give also the uids of those left out."""
    kept: dict[frozenset[tuple[str, Any]], Reference] = {}
    duplicates = []
    for reference in references:
        content = frozenset(reference.items())
        if content in kept:
            duplicates.append(reference.get("uid") or "")
        else:
            kept[content] = reference
    return list(kept.values()), duplicates


def duplicates_warning(uids: Sequence[str], *, after_admission: bool = False) -> str:
    """Write the warning about references that were there twice."""
    when = " after mutating admission happens" if after_admission else ""
    return (
        f".metadata.ownerReferences contains duplicate entries{when}; API server dedups owner "
        "references in 1.20+, and may reject such requests as early as 1.24; please fix your "
        f"requests; duplicate UID(s) observed: {', '.join(uids)}"
    )
