"""Rules for volumes and resources, from the ConfigMap of spec.resourcePolicy. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

import msgspec

from kedge.engine.backup.filterpolicies import (
    NO_FILTERS,
    ClusterPart,
    FilterPolicies,
    SpacePart,
    read_filters,
)
from kedge.engine.backup.policyparts import PolicyError, Strict, yaml_type
from kedge.engine.ruletext import RuleTextError, read_rules
from kedge.kube.kind import Object
from kedge.kube.quantity import Quantity, QuantityError, parse_quantity
from kedge.kube.yamlscalars import Dialect

__all__ = [
    "Claim",
    "Policies",
    "PolicyError",
    "ResourceRules",
    "Volume",
    "VolumeAction",
    "bounds",
    "read_policies",
]

VERSION: Final = "v1"
ZERO: Final = parse_quantity("0")


class VolumeAction(StrEnum):
    """What is to be done with a volume."""

    SKIP = "skip"
    SNAPSHOT = "snapshot"
    FILES = "fs-backup"
    CUSTOM = "custom"


@dataclass(frozen=True, slots=True)
class ResourceRules:
    """Resources to save and to leave out, where the spec of a backup does not name them."""

    included_cluster_scoped: tuple[str, ...] = ()
    excluded_cluster_scoped: tuple[str, ...] = ()
    included_namespace_scoped: tuple[str, ...] = ()
    excluded_namespace_scoped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Volume:
    """What rules ask of a volume."""

    capacity: Quantity = ZERO
    storage_class: str = ""
    type: str = ""
    source: Mapping[str, Any] = field(default_factory=dict)
    """Where the data is: the part of the spec that bears the name of the type."""

    @classmethod
    def of(cls, volume: Object) -> "Volume":
        """Read a PersistentVolume."""
        spec = volume.get("spec") or {}
        try:
            capacity = parse_quantity(str((spec.get("capacity") or {}).get("storage") or "0"))
        except QuantityError:
            capacity = ZERO
        kind = next((name for name in TYPES if isinstance(spec.get(name), dict)), "")
        return cls(capacity, spec.get("storageClassName") or "", kind, spec.get(kind) or {})


@dataclass(frozen=True, slots=True)
class Claim:
    """What rules ask of a claim."""

    phase: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    mode: str = ""
    access: tuple[str, ...] = ()

    @classmethod
    def of(cls, claim: Object) -> "Claim":
        """Read a PersistentVolumeClaim."""
        spec, status = claim.get("spec") or {}, claim.get("status") or {}
        return cls(
            status.get("phase") or "",
            (claim.get("metadata") or {}).get("labels") or {},
            spec.get("volumeMode") or "",
            tuple(spec.get("accessModes") or ()),
        )


TYPES: Final = (
    "awsElasticBlockStore",
    "azureDisk",
    "azureFile",
    "cephfs",
    "cinder",
    "csi",
    "fc",
    "flocker",
    "flexVolume",
    "gcePersistentDisk",
    "glusterfs",
    "hostPath",
    "iscsi",
    "local",
    "nfs",
    "photonPersistentDisk",
    "portworxVolume",
    "quobyte",
    "rbd",
    "scaleIO",
    "storageos",
    "vsphereVolume",
)
"""Sources of volumes, as their specs name them."""
_RENAMED: Final = {"storageos": "storageOS"}
"""Sources that rules call otherwise."""


class _Nfs(Strict, frozen=True):
    server: str = ""
    path: str = ""


class _Csi(Strict, frozen=True):
    driver: str = ""
    volume_attributes: dict[str, str] | None = None


class Conditions(Strict, frozen=True):
    """Which volumes a rule is for; all that is given must hold."""

    capacity: str = ""
    storage_class: list[str] | None = None
    nfs: _Nfs | None = None
    csi: _Csi | None = None
    volume_types: list[str] | None = None
    pvc_labels: dict[str, str] | None = msgspec.field(default=None, name="pvcLabels")
    pvc_phase: list[str] | None = msgspec.field(default=None, name="pvcPhase")
    pvc_volume_mode: str = msgspec.field(default="", name="pvcVolumeMode")
    pvc_access_modes: list[str] | None = msgspec.field(default=None, name="pvcAccessModes")

    def match(self, volume: Volume, claim: Claim) -> bool:
        """Tell whether a volume, and the claim that it belongs to, are meant."""
        return self._takes_volume(volume) and self._takes_claim(claim)

    def _takes_volume(self, volume: Volume) -> bool:
        return (
            self._fits(volume.capacity)
            and (not self.storage_class or volume.storage_class in self.storage_class)
            and self._is_nfs(volume)
            and self._is_csi(volume)
            and (not self.volume_types or _type_of(volume) in self.volume_types)
        )

    def _takes_claim(self, claim: Claim) -> bool:
        return (
            _has(self.pvc_labels or {}, claim.labels)
            and (not self.pvc_phase or claim.phase in self.pvc_phase)
            and self.pvc_volume_mode in ("", claim.mode)
            and (not self.pvc_access_modes or _is_same(self.pvc_access_modes, claim.access))
        )

    def _fits(self, capacity: Quantity) -> bool:
        low, high = bounds(self.capacity)
        return low <= capacity and (high == ZERO or capacity <= high)

    def _is_nfs(self, volume: Volume) -> bool:
        if self.nfs is None:
            return True
        wanted = {"path": self.nfs.path, "server": self.nfs.server}
        given = {name: value for name, value in wanted.items() if value}
        return volume.type == "nfs" and _has(given, volume.source)

    def _is_csi(self, volume: Volume) -> bool:
        if self.csi is None:
            return True
        if volume.type != "csi":
            return False
        if not self.csi.driver:
            return True
        attributes = volume.source.get("volumeAttributes") or {}
        same = volume.source.get("driver") == self.csi.driver
        return same and _has(self.csi.volume_attributes or {}, attributes)


def _type_of(volume: Volume) -> str:
    return _RENAMED.get(volume.type, volume.type)


def _has(wanted: Mapping[str, str], found: Mapping[str, Any]) -> bool:
    return all(found.get(name) == value for name, value in wanted.items())


def _is_same(wanted: Sequence[str], found: Sequence[str]) -> bool:
    """Tell whether two lists have the same members, in any order."""
    return len(wanted) == len(found) and {*wanted} == {*found}


class _Action(Strict, frozen=True):
    type: str = ""
    parameters: dict[str, Any] | None = None


class _Rule(Strict, frozen=True):
    conditions: dict[str, Any] | None = None
    action: _Action = _Action()


class _Resources(Strict, frozen=True):
    included_cluster_scoped_resources: list[str] | None = None
    excluded_cluster_scoped_resources: list[str] | None = None
    included_namespace_scoped_resources: list[str] | None = None
    excluded_namespace_scoped_resources: list[str] | None = None


class _Document(Strict, frozen=True):
    version: str = ""
    volume_policies: list[_Rule] | None = None
    include_exclude_policy: _Resources | None = None
    cluster_scoped_filter_policy: ClusterPart | None = None
    namespaced_filter_policies: list[SpacePart] | None = None


@dataclass(frozen=True, slots=True)
class Policies:
    """The rules of one ConfigMap."""

    volumes: tuple[tuple[Conditions, VolumeAction], ...] = ()
    resources: ResourceRules | None = None
    filters: FilterPolicies = NO_FILTERS

    def action(self, volume: Volume | None, claim: Claim | None) -> VolumeAction | None:
        """Find what the first rule says that a volume, or a claim without one, meets."""
        of_volume, of_claim = volume or Volume(), claim or Claim()
        for conditions, action in self.volumes:
            if conditions.match(of_volume, of_claim):
                return action
        return None


def read_policies(config_map: Object) -> Policies:
    """Read the rules of a ConfigMap; raises PolicyError."""
    metadata, data = config_map.get("metadata") or {}, config_map.get("data") or {}
    if len(data) != 1:
        where = f"{metadata.get('namespace', '')}/{metadata.get('name', '')}"
        raise PolicyError(f"illegal resource policies {where} configmap")
    (text,) = data.values()
    try:
        document = read_rules(text, _Document, Dialect.V3)
    except RuleTextError as exc:
        told = f"failed to decode yaml data into resource policies  {exc}"
        raise PolicyError(told) from None
    rules = [_rule(rule) for rule in document.volume_policies or ()]
    if document.version != VERSION:
        raise PolicyError(
            f"incompatible version number {document.version} with supported version {VERSION}"
        )
    resources = _resources(document.include_exclude_policy)
    filters = read_filters(
        document.cluster_scoped_filter_policy, document.namespaced_filter_policies or ()
    )
    return Policies(tuple(rules), resources, filters)


def _rule(rule: _Rule) -> tuple[Conditions, VolumeAction]:
    given = rule.conditions or {}
    _check_types(given)
    try:
        conditions = msgspec.convert(given, Conditions)
    except msgspec.ValidationError as exc:
        raise PolicyError(f"failed to decode volume conditions: {exc}") from None
    low, high = bounds(conditions.capacity)
    if high < low and not (low != ZERO and high == ZERO):
        raise PolicyError(f"illegal values for capacity {conditions.capacity}")
    csi = conditions.csi
    if csi is not None and not csi.driver and csi.volume_attributes is not None:
        raise PolicyError("csi driver should not be empty when filtering by volume attributes")
    try:
        return conditions, VolumeAction(rule.action.type)
    except ValueError:
        raise PolicyError(f"invalid action type {rule.action.type}") from None


def _check_types(given: Mapping[str, Any]) -> None:
    labels, mode = given.get("pvcLabels", {}), given.get("pvcVolumeMode", "")
    if not isinstance(labels, dict):
        raise PolicyError(f"pvcLabels must be a map of string to string, got {yaml_type(labels)}")
    if not isinstance(mode, str):
        raise PolicyError(f"pvcVolumeMode must be a string, got {yaml_type(mode)}")
    modes = given.get("pvcAccessModes", [])
    if not isinstance(modes, list):
        raise PolicyError(f"pvcAccessModes must be a list of strings, got {yaml_type(modes)}")
    for each in modes:
        if not isinstance(each, str):
            told = f"got element {yaml_type(each)}"
            raise PolicyError(f"pvcAccessModes must be a list of strings, {told}")


def bounds(text: str) -> tuple[Quantity, Quantity]:
    """Read `low,high`, either of which may be missing and is 0 then; raises PolicyError."""
    parts = (text or ",").split(",")
    if len(parts) != 2:
        raise PolicyError(f"wrong format of Capacity {text}")
    try:
        low, high = (parse_quantity(part.strip() or "0") for part in parts)
    except QuantityError as exc:
        raise PolicyError(f"wrong format of Capacity {text} with err {exc}") from None
    return low, high


def _resources(given: _Resources | None) -> ResourceRules | None:
    if given is None:
        return None
    rules = ResourceRules(
        tuple(given.included_cluster_scoped_resources or ()),
        tuple(given.excluded_cluster_scoped_resources or ()),
        tuple(given.included_namespace_scoped_resources or ()),
        tuple(given.excluded_namespace_scoped_resources or ()),
    )
    for included, excluded in (
        (rules.included_cluster_scoped, rules.excluded_cluster_scoped),
        (rules.included_namespace_scoped, rules.excluded_namespace_scoped),
    ):
        if "*" in (*included, *excluded):
            raise PolicyError("cannot use '*' in includes or excludes filters in the policy")
        for name in sorted({*included} & {*excluded}):
            raise PolicyError(f"excludes list cannot contain an item in the includes list: {name}")
    return rules
