"""What other objects fill in or forbid: default classes, and the growth of claims."""

from collections.abc import Iterable

from kedge.apiserver.builtin import amounts
from kedge.apiserver.builtin.ingresses import CLASS as INGRESS_CLASS
from kedge.apiserver.builtin.persistentvolumeclaims import CLASS as STORAGE_CLASS
from kedge.apiserver.resource import Object

DEFAULT_STORAGE = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)
DEFAULT_INGRESS = ("ingressclass.kubernetes.io/is-default-class",)
NOT_BOUND = "Only bound persistent volume claims can be expanded"
NOT_GROWING = (
    "only dynamically provisioned pvc can be resized and the storageclass that provisions the "
    "pvc must support resize"
)


def set_storage_class(claim: Object, classes: Iterable[Object]) -> None:
    """Give a new claim without a class the default one, in place."""
    told = (claim["metadata"].get("annotations") or {}).get(STORAGE_CLASS)
    if told is None and claim["spec"].get("storageClassName") is None:
        name = _default_class(classes, DEFAULT_STORAGE)
        if name:
            claim["spec"]["storageClassName"] = name


def set_ingress_class(ingress: Object, classes: Iterable[Object]) -> None:
    """Give a new ingress without a class the default one, in place."""
    told = (ingress["metadata"].get("annotations") or {}).get(INGRESS_CLASS)
    if told is None and ingress["spec"].get("ingressClassName") is None:
        name = _default_class(classes, DEFAULT_INGRESS)
        if name:
            ingress["spec"]["ingressClassName"] = name


def _default_class(classes: Iterable[Object], keys: tuple[str, ...]) -> str:
    """Find the newest class that is marked as the default; of the same age, the first by name."""
    marked = [one["metadata"] for one in classes if _is_marked(one["metadata"], keys)]
    if not marked:
        return ""
    newest = max(one.get("creationTimestamp") or "" for one in marked)
    names: list[str] = [
        one["name"] for one in marked if (one.get("creationTimestamp") or "") == newest
    ]
    return min(names)


def _is_marked(metadata: Object, keys: tuple[str, ...]) -> bool:
    annotations = metadata.get("annotations") or {}
    return any(annotations.get(key) == "true" for key in keys)


def class_of_claim(claim: Object) -> str:
    """Name the storage class of a claim: the annotation goes before the field."""
    told = (claim["metadata"].get("annotations") or {}).get(STORAGE_CLASS)
    name: str = claim["spec"].get("storageClassName") or "" if told is None else told
    return name


def growth_problem(new: Object, old: Object, storage_class: Object | None) -> str:
    """Say why a claim of this class may not grow; nothing if it may, or does not."""
    if amounts.compare(_size(new), _size(old)) <= 0:
        return ""
    if (old.get("status") or {}).get("phase") != "Bound":
        return NOT_BOUND
    name = class_of_claim(new)
    if not name or name != class_of_claim(old):
        return NOT_GROWING
    grows = storage_class is not None and storage_class.get("allowVolumeExpansion")
    return "" if grows else NOT_GROWING


def _size(claim: Object) -> str:
    requests = (claim["spec"].get("resources") or {}).get("requests") or {}
    amount: str = requests.get("storage", "0")
    return amount
