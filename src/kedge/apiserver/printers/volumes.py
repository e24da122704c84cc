"""Volumes, claims on them, and the drivers that provide them."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from kedge.apiserver.printers.wording import NONE, UNSET, Cells, age_of, name_of, part
from kedge.apiserver.resource import Object

_CLASS: Final = "volume.beta.kubernetes.io/storage-class"
_DEFAULTS: Final = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)
_MODES: Final = {
    "ReadWriteOnce": "RWO",
    "ReadOnlyMany": "ROX",
    "ReadWriteMany": "RWX",
    "ReadWriteOncePod": "RWOP",
}


def volume(obj: Object, now: datetime) -> Cells:
    """Give the cells of a PersistentVolume."""
    spec, status = part(obj, "spec"), part(obj, "status")
    claim = spec.get("claimRef")
    bound = "" if claim is None else f"{claim.get('namespace', '')}/{claim.get('name', '')}"
    return [
        name_of(obj),
        part(spec, "capacity").get("storage", "0"),
        _modes(spec.get("accessModes") or ()),
        spec.get("persistentVolumeReclaimPolicy", ""),
        _phase(obj),
        bound,
        _storage_class(obj),
        spec.get("volumeAttributesClassName", UNSET),
        status.get("reason", ""),
        age_of(obj, now),
        spec.get("volumeMode", UNSET),
    ]


def claim(obj: Object, now: datetime) -> Cells:
    """Give the cells of a PersistentVolumeClaim."""
    spec, status = part(obj, "spec"), part(obj, "status")
    bound = spec.get("volumeName", "")
    return [
        name_of(obj),
        _phase(obj),
        bound,
        part(status, "capacity").get("storage", "0") if bound else "",
        _modes(status.get("accessModes") or ()) if bound else "",
        _storage_class(obj),
        spec.get("volumeAttributesClassName", UNSET),
        age_of(obj, now),
        spec.get("volumeMode", UNSET),
    ]


def _modes(modes: Iterable[str]) -> str:
    found = set(modes)
    return ",".join(short for mode, short in _MODES.items() if mode in found)


def _phase(obj: Object) -> str:
    if obj["metadata"].get("deletionTimestamp"):
        return "Terminating"
    phase: str = part(obj, "status").get("phase", "")
    return phase


def _storage_class(obj: Object) -> str:
    asked = part(obj["metadata"], "annotations").get(_CLASS)
    name: str = part(obj, "spec").get("storageClassName", "") if asked is None else asked
    return name


def storage_class(obj: Object, now: datetime) -> Cells:
    """Give the cells of a StorageClass."""
    annotations = part(obj["metadata"], "annotations")
    name = name_of(obj)
    if any(annotations.get(each) == "true" for each in _DEFAULTS):
        name += " (default)"
    return [
        name,
        obj.get("provisioner", ""),
        obj.get("reclaimPolicy", "Delete"),
        obj.get("volumeBindingMode", "Immediate"),
        obj.get("allowVolumeExpansion", False),
        age_of(obj, now),
    ]


def attributes_class(obj: Object, now: datetime) -> Cells:
    """Give the cells of a VolumeAttributesClass."""
    return [name_of(obj), obj.get("driverName", ""), age_of(obj, now)]


def attachment(obj: Object, now: datetime) -> Cells:
    """Give the cells of a VolumeAttachment."""
    spec = part(obj, "spec")
    return [
        name_of(obj),
        spec.get("attacher", ""),
        part(spec, "source").get("persistentVolumeName", ""),
        spec.get("nodeName", ""),
        part(obj, "status").get("attached", False),
        age_of(obj, now),
    ]


def csi_driver(obj: Object, now: datetime) -> Cells:
    """Give the cells of a CSIDriver."""
    spec = part(obj, "spec")
    tokens = spec.get("tokenRequests")
    return [
        name_of(obj),
        spec.get("attachRequired", True),
        spec.get("podInfoOnMount", False),
        spec.get("storageCapacity", False),
        ",".join(one.get("audience", "") for one in tokens) if tokens else UNSET,
        spec.get("requiresRepublish", False),
        ",".join(spec.get("volumeLifecycleModes") or ()) or NONE,
        age_of(obj, now),
    ]


def csi_node(obj: Object, now: datetime) -> Cells:
    """Give the cells of a CSINode."""
    return [name_of(obj), len(part(obj, "spec").get("drivers") or ()), age_of(obj, now)]
