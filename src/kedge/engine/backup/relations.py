"""What an object needs beside itself, and what of it is not kept. Pure."""

from collections.abc import Iterable, Iterator
from typing import Any, Final

import msgspec

from kedge.api.velero import labels
from kedge.archive.item import Place
from kedge.kube.kind import Object

PODS: Final = "pods"
CLAIMS: Final = "persistentvolumeclaims"
VOLUMES: Final = "persistentvolumes"
ACCOUNTS: Final = "serviceaccounts"
PRIORITIES: Final = "priorityclasses.scheduling.k8s.io"
BINDINGS: Final = "clusterrolebindings.rbac.authorization.k8s.io"
ROLES: Final = "clusterroles.rbac.authorization.k8s.io"
DEFINITIONS: Final = "customresourcedefinitions.apiextensions.k8s.io"

BOUND: Final = "Bound"
_VELERO: Final = "velero.io/"
_SNAPSHOT_NAME: Final = "velero.io/volume-snapshot-name"
_STALE: Final = frozenset({labels.RESTORE_NAME, labels.MUST_INCLUDE, _SNAPSHOT_NAME})


class _Claim(msgspec.Struct, rename="camel"):
    claim_name: str = ""


class _Volume(msgspec.Struct, rename="camel"):
    name: str = ""
    persistent_volume_claim: _Claim | None = None


class Container(msgspec.Struct, rename="camel"):
    """A container of a pod."""

    name: str = ""
    restart_policy: str = ""


class _PodSpec(msgspec.Struct, rename="camel"):
    volumes: list[_Volume] | None = None
    containers: list[Container] | None = None
    init_containers: list[Container] | None = None
    priority_class_name: str = ""


class _PodStatus(msgspec.Struct):
    phase: str = ""


class _PodMeta(msgspec.Struct):
    name: str = ""
    namespace: str = ""
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None


class Pod(msgspec.Struct):
    """What is read of a pod."""

    metadata: _PodMeta
    spec: _PodSpec = msgspec.field(default_factory=_PodSpec)
    status: _PodStatus = msgspec.field(default_factory=_PodStatus)

    def needs(self) -> Iterator[Place]:
        """Give its claims and its priority."""
        if self.spec.priority_class_name:
            yield Place(PRIORITIES, "", self.spec.priority_class_name)
        for volume in self.spec.volumes or ():
            claim = volume.persistent_volume_claim
            if claim is not None and claim.claim_name:
                yield Place(CLAIMS, self.metadata.namespace, claim.claim_name)


POD: Final = msgspec.json.Decoder(Pod)


def is_bound(claim: Object) -> bool:
    """Tell whether a claim has a volume."""
    phase = _part(claim, "status").get("phase")
    return phase == BOUND and bool(_part(claim, "spec").get("volumeName"))


def trim(claim: Object, backup: str) -> bool:
    """Take out of a bound claim what would keep it from getting a new volume; True: it changed."""
    spec, metadata = _part(claim, "spec"), _part(claim, "metadata")
    gone = [name for name in ("dataSource", "dataSourceRef") if spec.get(name) is not None]
    if spec.get("storageClassName") != "" and spec.get("selector") is not None:
        gone.append("selector")
    for name in gone:
        del spec[name]
    matched = _part(_part(spec, "selector"), "matchLabels")
    stale = [key for key in matched if key.startswith(_VELERO)]
    own = _part(metadata, "labels")
    old = [key for key, value in own.items() if _is_stale(key, value, backup)]
    for key in stale:
        del matched[key]
    for key in old:
        del own[key]
    if old and not own:
        del metadata["labels"]
    return bool(gone or stale or old)


def _is_stale(key: str, value: str, backup: str) -> bool:
    return key in _STALE or (key == labels.BACKUP_NAME and value != backup)


def _part(obj: Object, name: str) -> Object:
    part = obj.get(name)
    return part if isinstance(part, dict) else {}


class _Subject(msgspec.Struct):
    kind: str = ""
    name: str = ""
    namespace: str = ""


class _Role(msgspec.Struct):
    name: str = ""


class _BindingMeta(msgspec.Struct):
    name: str = ""


class Binding(msgspec.Struct, rename="camel"):
    """What is read of a ClusterRoleBinding."""

    metadata: _BindingMeta
    subjects: list[_Subject] | None = None
    role_ref: _Role = msgspec.field(default_factory=_Role)

    def accounts(self) -> Iterator[tuple[str, str]]:
        """Give namespace and name of the service accounts that it is for."""
        for subject in self.subjects or ():
            if subject.kind == "ServiceAccount":
                yield subject.namespace, subject.name

    def places(self) -> Iterable[Place]:
        """Give itself and its role."""
        places = [Place(BINDINGS, "", self.metadata.name)]
        return [*places, Place(ROLES, "", self.role_ref.name)] if self.role_ref.name else places


BINDING: Final = msgspec.json.Decoder(Binding)


def definition_of(resource: str, group: str) -> Place | None:
    """Give the place of the definition that a resource may have; a built-in one has none."""
    return Place(DEFINITIONS, "", resource) if "." in group else None


def decode(data: bytes) -> dict[str, Any]:
    """Read an object whole."""
    return msgspec.json.decode(data, type=dict[str, Any])
