"""Persistent volume claims."""

from kedge.apiserver.builtin import amounts, fields
from kedge.apiserver.builtin.claims import check_spec, claim_warnings, default_spec
from kedge.apiserver.builtin.equality import same
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.persistentvolumes import check_not_negative
from kedge.apiserver.builtin.plain import Halved
from kedge.apiserver.builtin.pods.resources import is_native
from kedge.apiserver.builtin.pods.update import diff
from kedge.apiserver.builtin.protection import protect
from kedge.apiserver.builtin.resourcenames import check_amount
from kedge.apiserver.resource import Context, Object
from kedge.kube import names
from kedge.kube.fielderror import typed

FINALIZER = "kubernetes.io/pvc-protection"
CLASS = "volume.beta.kubernetes.io/storage-class"
SNAPSHOTS = "snapshot.storage.k8s.io"
FROZEN = (
    "spec is immutable after creation except resources.requests and volumeAttributesClassName "
    "for bound claims"
)
RESIZES = (
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
    "NodeResizePending",
)


class PersistentVolumeClaimStrategy(Halved):
    """Hooks of v1 PersistentVolumeClaim."""

    def default(self, obj: Object) -> None:
        """Fill in what the user left out."""
        status = obj.setdefault("status", {})
        if not status.get("phase"):
            status["phase"] = "Pending"
        default_spec(obj.setdefault("spec", {}))
        for name in ("capacity", "allocatedResources"):
            if status.get(name):
                amounts.round_all(status[name])

    def prepare_create(self, obj: Object, context: Context) -> None:
        """Begin pending, and protected against deletion while in use."""
        obj["status"] = {"phase": "Pending"}
        protect(obj, FINALIZER)
        _settle_sources(obj["spec"], None)

    def prepare_update(self, new: Object, old: Object, context: Context) -> None:
        """Keep the half that is not written, and the two ways to tell a source in step."""
        super().prepare_update(new, old, context)
        if context.subresource != "status":
            _settle_sources(new["spec"], old["spec"])
            _pair_sources(old["spec"])

    def check_update(self, errors: Errors, new: Object, old: Object) -> None:
        """Check the claim twice, as the real server does, then what may not change."""
        self.check_metadata(errors, new)
        self.check(errors, new, old)
        errors += self.changed_metadata(new, old)
        self.check_metadata(errors, new)
        self.check(errors, new, old)
        _check_change(errors, new, old)

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check the spec."""
        check_spec(errors, "spec", obj["spec"], old and old["spec"])

    def check_status(self, errors: Errors, new: Object, old: Object) -> None:
        """Check what was given."""
        status = new.get("status") or {}
        if not new["spec"].get("accessModes"):
            errors.required("Spec.accessModes")
        for name, amount in (status.get("capacity") or {}).items():
            check_not_negative(errors, f"status.capacity[{name}]", amount)
        path = "status.allocatedResourceStatuses"
        for name, resize in (status.get("allocatedResourceStatuses") or {}).items():
            _check_key(errors, path, name)
            if resize not in RESIZES:
                errors.unsupported(path, typed(name), RESIZES)
        path = "status.allocatedResources"
        for name, amount in (status.get("allocatedResources") or {}).items():
            if _check_key(errors, path, name):
                before = len(errors)
                check_not_negative(errors, f"{path}[{name}]", amount)
                if len(errors) == before:
                    check_amount(errors, f"{path}[{name}]", "storage", amount)

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        """Warn of what is on its way out, and of parts of a byte."""
        if old is not None and obj["spec"] is old["spec"]:  # only the status is written
            return []
        found = []
        if CLASS in (obj["metadata"].get("annotations") or {}):
            what = 'deprecated since v1.8; use "storageClassName" attribute instead'
            found.append(f"metadata.annotations[{CLASS}]: {what}")
        return found + claim_warnings("spec", obj["spec"])


def _settle_sources(spec: Object, old: Object | None) -> None:
    """Drop what may not be a source, and tell it in the old way and in the new."""
    before = old or {}
    if (spec.get("dataSourceRef") or {}).get("namespace") and "dataSourceRef" not in before:
        del spec["dataSourceRef"]  # other namespaces are a feature that is off
    has_old = "dataSource" in before or "dataSourceRef" in before
    if not has_old and spec.get("dataSourceRef") is None and not _is_source(spec.get("dataSource")):
        spec.pop("dataSource", None)
    _pair_sources(spec)


def _is_source(source: Object | None) -> bool:
    if source is None:
        return False
    told = (source.get("kind"), source.get("apiGroup") or "")
    return told in (("PersistentVolumeClaim", ""), ("VolumeSnapshot", SNAPSHOTS))


def _pair_sources(spec: Object) -> None:
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    if source is not None and reference is None:
        spec["dataSourceRef"] = dict(source)
    elif source is None and reference is not None and not reference.get("namespace"):
        spec["dataSource"] = {
            name: value for name, value in reference.items() if name != "namespace"
        }


def _check_change(errors: Errors, new: Object, old: Object) -> None:
    spec, before = dict(new["spec"]), dict(old["spec"])
    bound = (new.get("status") or {}).get("phase") == "Bound"
    if not before.get("volumeName") and spec.get("volumeName"):
        before["volumeName"] = spec["volumeName"]
    _allow_class(errors, spec, before, new, old)
    size, was = _request(new["spec"]), _request(old["spec"])
    if bound:
        resources = spec.get("resources") or {}
        if resources.get("requests"):
            requests = {**resources["requests"], "storage": was}
            spec["resources"] = {**resources, "requests": requests}
        _take(spec, before, "volumeAttributesClassName")
    if not same(spec, before):
        difference = diff("PersistentVolumeClaimSpec", before, spec)
        errors.forbidden("spec", f"{FROZEN}\n{difference}")
    if amounts.compare(size, was) < 0:
        given = ((old.get("status") or {}).get("capacity") or {}).get("storage", "0")
        if amounts.compare(size, given) <= 0:
            what = "field can not be less than status.capacity"
            errors.forbidden("spec.resources.requests.storage", what)
    mode = new["spec"].get("volumeMode")
    if mode != old["spec"].get("volumeMode"):
        errors.invalid("volumeMode", None if mode is None else typed(mode), fields.IMMUTABLE)
    _check_attributes(errors, new["spec"], old)


def _request(spec: Object) -> str:
    requests = (spec.get("resources") or {}).get("requests") or {}
    amount: str = requests.get("storage", "0")
    return amount


def _take(spec: Object, other: Object, name: str) -> None:
    if name in other:
        spec[name] = other[name]
    else:
        spec.pop(name, None)


def _allow_class(errors: Errors, spec: Object, before: Object, new: Object, old: Object) -> None:
    """Let a class be told that was not, or that an annotation told; in copies of the specs."""
    told = (new["metadata"].get("annotations") or {}).get(CLASS)
    was = (old["metadata"].get("annotations") or {}).get(CLASS)
    name, known = spec.get("storageClassName"), before.get("storageClassName")
    first = known is None and name is not None
    if first and was is not None and name == was and told in (None, was):
        del spec["storageClassName"]
        return
    if (told or "") != (was or ""):
        errors.invalid(f"metadata.annotations.{CLASS}", told or "", fields.IMMUTABLE)
    if first and was in (None, name):
        del spec["storageClassName"]


def _check_attributes(errors: Errors, spec: Object, old: Object) -> None:
    name, path = spec.get("volumeAttributesClassName"), "spec.volumeAttributesClassName"
    if name == old["spec"].get("volumeAttributesClassName"):
        return
    if (old.get("status") or {}).get("currentVolumeAttributesClassName") is None or name:
        return
    what = "nil" if name is None else "empty string"
    rule = "is forbidden when status.currentVolumeAttributesClassName is not nil"
    errors.forbidden(path, f"update to {what} {rule}")


def _check_key(errors: Errors, path: str, name: str) -> bool:
    """Check the name of something that can grow; tell whether it is one."""
    before = len(errors)
    errors.each(path, name, names.qualified_name(name))
    if len(errors) == before and is_native(name) and name != "storage":
        errors.unsupported(path, name, ("storage",))
    return len(errors) == before
