"""Persistent volumes."""

from typing import Any

from kedge.apiserver.builtin import amounts, fields
from kedge.apiserver.builtin.claims import ACCESS_MODES
from kedge.apiserver.builtin.equality import same
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.internal import internal_value
from kedge.apiserver.builtin.labels import has_bad_value
from kedge.apiserver.builtin.plain import Halved
from kedge.apiserver.builtin.pods.defaults import DISKS
from kedge.apiserver.builtin.pods.scheduling import check_node_term
from kedge.apiserver.builtin.pods.warnings import OLD_NODE_LABELS
from kedge.apiserver.builtin.protection import protect
from kedge.apiserver.builtin.volume_sources import check_source, source_difference, source_of
from kedge.apiserver.resource import Context, Object
from kedge.kube.fielderror import Shown, typed
from kedge.kube.gotext import Struct, to_json

FINALIZER = "kubernetes.io/pv-protection"
RECLAIM = ("Delete", "Recycle", "Retain")
MODES = ("Block", "Filesystem")
INLINE = "in the context of inline volumes"
MOUNT_OPTIONS = "volume.beta.kubernetes.io/mount-options"
# Volumes that can be mounted with options told by an annotation.
MOUNTED = (
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "nfs",
    "rbd",
    "quobyte",
    "iscsi",
    "cinder",
    "cephfs",
    "azureFile",
    "vsphereVolume",
    "azureDisk",
    "photonPersistentDisk",
)
OLD_ANNOTATIONS = {
    "volume.beta.kubernetes.io/storage-class": (
        'deprecated since v1.8; use "storageClassName" attribute instead'
    ),
    MOUNT_OPTIONS: 'deprecated since v1.31; use "mountOptions" attribute instead',
}
OLD_SOURCES = {
    "cephfs": "cephfs: deprecated in v1.28, non-functional in v1.31+",
    "photonPersistentDisk": "photonPersistentDisk: deprecated in v1.11, non-functional in v1.16+",
    "scaleIO": "scaleIO: deprecated in v1.16, non-functional in v1.22+",
    "storageos": "storageOS: deprecated in v1.22, non-functional in v1.25+",
    "glusterfs": "glusterfs: deprecated in v1.25, non-functional in v1.26+",
    "rbd": "rbd: deprecated in v1.28, non-functional in v1.31+",
}
# Labels of nodes that have got new names.
RENAMED = {
    "beta.kubernetes.io/os": "kubernetes.io/os",
    "beta.kubernetes.io/arch": "kubernetes.io/arch",
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
}


class PersistentVolumeStrategy(Halved):
    """Hooks of v1 PersistentVolume."""

    namespaced = False

    def default(self, obj: Object) -> None:
        """Fill in what the user left out."""
        status, spec = obj.setdefault("status", {}), obj.setdefault("spec", {})
        if not status.get("phase"):
            status["phase"] = "Pending"
        if not spec.get("persistentVolumeReclaimPolicy"):
            spec["persistentVolumeReclaimPolicy"] = "Retain"
        default_volume(spec)

    def prepare_create(self, obj: Object, context: Context) -> None:
        """Begin pending, and protected against deletion while in use."""
        phased = obj["metadata"].get("creationTimestamp")
        obj["status"] = {"phase": "Pending", "lastPhaseTransitionTime": phased}
        protect(obj, FINALIZER)

    def prepare_update(self, new: Object, old: Object, context: Context) -> None:
        """Keep the half that is not written; note when the phase changes."""
        super().prepare_update(new, old, context)
        if context.subresource == "status":
            _note_phase(new.setdefault("status", {}), old.get("status") or {}, context)

    def check_update(self, errors: Errors, new: Object, old: Object) -> None:
        """Check the volume twice, as the real server does, then what may not change."""
        self.check_metadata(errors, new)
        self.check(errors, new, old)
        self.check_metadata(errors, new)
        self._check_spec(errors, new, old)
        _check_change(errors, new["spec"], old["spec"])

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check the spec, and that options for mounting are told where they are heard."""
        self._check_spec(errors, obj, old)
        annotations = obj["metadata"].get("annotations") or {}
        if MOUNT_OPTIONS in annotations and not any(name in obj["spec"] for name in MOUNTED):
            what = "may not specify mount options for this volume type"
            errors.forbidden(f"metadata.annotations.{MOUNT_OPTIONS}", what)

    def _check_spec(self, errors: Errors, obj: Object, old: Object | None) -> None:
        terms = _terms(old["spec"]) if old is not None else []
        loose = any(has_bad_value(term) for term in terms)
        check_volume(errors, "spec", obj["spec"], obj["metadata"].get("name", ""), loose)

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        """Warn of what is on its way out."""
        if old is not None and obj["spec"] is old["spec"]:  # only the status is written
            return []
        annotations, spec = obj["metadata"].get("annotations") or {}, obj["spec"]
        found = [
            f"metadata.annotations[{name}]: {what}"
            for name, what in OLD_ANNOTATIONS.items()
            if name in annotations
        ]
        if spec.get("persistentVolumeReclaimPolicy") == "Recycle":
            found.append(
                "spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. "
                "Instead, the recommended approach is to use dynamic provisioning."
            )
        for index, term in enumerate(_terms(spec)):
            for at, rule in enumerate(term.get("matchExpressions") or ()):
                if rule.get("key") in OLD_NODE_LABELS:
                    path = f"spec.nodeAffinity.required.nodeSelectorTerms[{index}]"
                    what = OLD_NODE_LABELS[rule["key"]]
                    found.append(f"{path}.matchExpressions[{at}].key: {rule['key']} is {what}")
        return found + [f"spec.{what}" for name, what in OLD_SOURCES.items() if name in spec]


def default_volume(spec: Object) -> None:
    """Fill in the spec of a volume, be it inline."""
    spec.setdefault("volumeMode", "Filesystem")
    if spec.get("capacity"):
        amounts.round_all(spec["capacity"])
    default_source(spec)


def default_source(spec: Object) -> None:
    """Fill in the place of a volume."""
    for name, values in DISKS.items():
        source = spec.get(name)
        if isinstance(source, dict):
            for key, value in values.items():
                if source.get(key) in (None, "") or key not in source:
                    source[key] = value


def _note_phase(status: Object, old: Object, context: Context) -> None:
    name = "lastPhaseTransitionTime"
    before, told = old.get(name), status.get(name)
    if status.get("phase") == old.get("phase"):
        if told is None and before is not None:
            status[name] = before
    elif told is None or told == before:
        status[name] = context.now


def check_volume(
    errors: Errors, path: str, spec: Object, name: str, loose: bool, inline: bool = False
) -> None:
    """Check the spec of a volume; one that is inline has less to say."""
    if inline:
        _check_inline(errors, path, spec)
    modes = spec.get("accessModes") or ()
    if not modes:
        errors.required(f"{path}.accessModes")
    for mode in modes:
        if mode not in ACCESS_MODES:
            errors.unsupported(f"{path}.accessModes", typed(mode), ACCESS_MODES)
    known = {mode for mode in modes if mode in ACCESS_MODES}
    if "ReadWriteOncePod" in known and len(known) > 1:
        what = "may not use ReadWriteOncePod with other access modes"
        errors.forbidden(f"{path}.accessModes", what)
    policy = spec.get("persistentVolumeReclaimPolicy")
    if not inline:
        _check_capacity(errors, f"{path}.capacity", spec.get("capacity"))
        if policy:
            where = f"{path}.persistentVolumeReclaimPolicy"
            fields.optional_enum(errors, where, policy, RECLAIM)
    elif policy and policy != "Retain":
        what = f"may only be Retain {INLINE}"
        errors.forbidden(f"{path}.persistentVolumeReclaimPolicy", what)
    if spec.get("nodeAffinity") is not None:
        _check_affinity(errors, f"{path}.nodeAffinity", spec["nodeAffinity"], loose, inline)
    check_source(errors, path, spec, name)
    _check_classes(errors, path, spec, inline)


def _check_inline(errors: Errors, path: str, spec: Object) -> None:
    for name in ("claimRef", "capacity"):
        if spec.get(name):
            errors.forbidden(f"{path}.{name}", f"may not be specified {INLINE}")
    if "csi" not in spec:
        errors.required(f"{path}.csi", f"has to be specified {INLINE}")


def _check_capacity(errors: Errors, path: str, given: dict[str, str] | None) -> None:
    capacity = given or {}
    if not capacity:
        errors.required(path)
    if "storage" not in capacity or len(capacity) > 1:
        errors.unsupported(path, Shown(to_json(given)), ("storage",))
    for name, amount in capacity.items():
        check_not_negative(errors, f"{path}[{name}]", amount)
        if amounts.sign(amount) <= 0:
            errors.invalid(f"{path}[{name}]", amount, fields.NOT_POSITIVE)


def check_not_negative(errors: Errors, path: str, amount: str) -> None:
    """Check an amount by its whole number."""
    if amounts.whole(amount) < 0:
        errors.invalid(path, amounts.whole(amount), "must be a valid resource quantity")


def _check_affinity(errors: Errors, path: str, affinity: Object, loose: bool, inline: bool) -> None:
    if inline:
        errors.forbidden(path, f"may not be specified {INLINE}")
        return
    required = affinity.get("required")
    if required is None:
        errors.required(f"{path}.required", "must specify required node constraints")
        return
    where, terms = f"{path}.required.nodeSelectorTerms", required.get("nodeSelectorTerms")
    if not terms:
        errors.required(where, "must have at least one node selector term")
    for index, term in enumerate(terms or ()):
        check_node_term(errors, f"{where}[{index}]", term, loose)


def _check_classes(errors: Errors, path: str, spec: Object, inline: bool) -> None:
    name, mode = spec.get("storageClassName"), spec.get("volumeMode")
    if inline:
        if name:
            errors.forbidden(f"{path}.storageClassName", f"may not be specified {INLINE}")
        if mode not in (None, "Filesystem"):
            what = f"may not specify volumeMode other than Filesystem {INLINE}"
            errors.forbidden(f"{path}.volumeMode", what)
        return
    if name:
        fields.dns_subdomain(errors, f"{path}.storageClassName", name)
    fields.optional_enum(errors, f"{path}.volumeMode", mode, MODES)
    attributes = spec.get("volumeAttributesClassName")
    if attributes is None:
        return
    where = f"{path}.volumeAttributesClassName"
    if attributes:
        fields.dns_subdomain(errors, where, attributes)
    else:
        errors.required(where, "an empty string is disallowed")
    if "csi" not in spec:
        errors.required(f"{path}.csi", "has to be specified when using volumeAttributesClassName")


def _terms(spec: Object) -> list[Object]:
    required = (spec.get("nodeAffinity") or {}).get("required") or {}
    return required.get("nodeSelectorTerms") or []


def _check_change(errors: Errors, spec: Object, old: Object) -> None:
    source, before = source_of(spec), source_of(old)
    csi, was = source.get("csi"), before.get("csi")
    if csi and was and "controllerExpandSecretRef" not in was:
        kept = {name: csi[name] for name in csi if name != "controllerExpandSecretRef"}
        source = {**source, "csi": kept}
    if not same(source, before):
        what = "spec.persistentvolumesource is immutable after creation"
        difference = source_difference(before, source)
        errors.forbidden("spec.persistentvolumesource", f"{what}\n{difference}")
    mode = spec.get("volumeMode")
    if mode != old.get("volumeMode"):
        errors.invalid("volumeMode", None if mode is None else typed(mode), fields.IMMUTABLE)
    affinity, bound = spec.get("nodeAffinity"), old.get("nodeAffinity")
    if bound is not None and not _same_affinity(affinity, bound):
        what = f"{fields.IMMUTABLE}, except for updating from beta label to GA"
        errors.invalid("nodeAffinity", _shown_affinity(affinity), what)
    if old.get("volumeAttributesClassName") and spec.get("volumeAttributesClassName") is None:
        what = "update from non-nil value to nil is forbidden"
        errors.forbidden("spec.volumeAttributesClassName", what)


def _same_affinity(new: Object | None, old: Object) -> bool:
    """Compare affinities; labels may be replaced by their new names."""
    if new is None or same(new, old):
        return new is not None
    terms, before = _terms({"nodeAffinity": new}), _terms({"nodeAffinity": old})
    if len(terms) != len(before):
        return False
    return all(
        _same_rules(term.get("matchFields") or [], was.get("matchFields") or [])
        and _same_rules(term.get("matchExpressions") or [], was.get("matchExpressions") or [])
        for term, was in zip(terms, before, strict=True)
    )


def _same_rules(rules: list[Object], old: list[Object]) -> bool:
    if len(rules) != len(old):
        return False
    for rule, was in zip(rules, old, strict=True):
        if RENAMED.get(was.get("key", ""), "") == rule.get("key", ""):
            was = {**was, "key": rule.get("key")}
        if not same(rule, was):
            return False
    return True


def _shown_affinity(affinity: Object | None) -> Any:
    if affinity is None:
        return None
    required = internal_value("*NodeSelector", affinity.get("required"))
    return Shown(to_json(Struct(Required=required)))
