"""The Velero objects that are made for those of self-service. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from kedge.api.velero.backup import BACKUP
from kedge.api.velero.hook import HOOKS, NO_HOOKS
from kedge.api.velero.restore import RESTORE
from kedge.kube.errors import BadRequest, Forbidden, Invalid, NotFound
from kedge.kube.kind import Kind, Object
from kedge.selfservice.marks import NAB, NAR, Mark, annotations_for, labels_for
from kedge.selfservice.policy import Enforced, Policy
from kedge.selfservice.spelling import BACKUP_FORMS, RESTORE_FORMS, Forms, is_set

Spec = Mapping[str, Any]

NAMESPACED_EXCLUDED: Final = (
    "nonadminbackups",
    "nonadminrestores",
    "nonadminbackupstoragelocations",
)
CLUSTER_EXCLUDED: Final = (
    "securitycontextconstraints",
    "clusterroles",
    "clusterrolebindings",
    "priorityclasses",
    "customresourcedefinitions",
    "virtualmachineclusterinstancetypes",
    "virtualmachineclusterpreferences",
)
RESTORE_EXCLUDED: Final = (
    "volumesnapshotclasses",
    *NAMESPACED_EXCLUDED,
    "nonadmindownloadrequests",
)
"""An archive may be a user's own work: what asks the server for something must not come of it."""
BUCKET_EXCLUDED: Final = (
    "roles.rbac.authorization.k8s.io",
    "rolebindings.rbac.authorization.k8s.io",
    "roles.authorization.openshift.io",
    "rolebindings.authorization.openshift.io",
    "rolebindingrestrictions.authorization.openshift.io",
    "resourcequotas",
    "limitranges",
    "endpoints",
    "endpointslices.discovery.k8s.io",
    "csistoragecapacities.storage.k8s.io",
)
"""Not restored from a bucket of people's own, unless an administrator has agreed to that bucket.

They give rights, by two names on OpenShift, set bounds within a namespace, lead its Services to any
address, and tell the scheduler of room that all the cluster's pods count on: this is not for all
who may edit it.
"""
BUCKET_FOLDERS: Final = tuple(f"{name.partition('.')[0]}.*" for name in BUCKET_EXCLUDED)
"""The same, in folders of made-up groups: a Velero looks at the name of a folder when it leaves
something out, and at the object in it when it makes it."""
NO_STATUS: Final = {"excludedResources": ["*", "?*"]}
"""Nor is any status: that of a Service, or of a pod, draws traffic to any address.

A Velero ignores the first, and would restore all of them; ours takes it for what objects say of
themselves, too.
"""
NAMESPACES: Final = "namespaces"
"""Left out where labels are selected: then a Velero saves each Namespace that has them."""
EVERYTHING: Final = "*"
"""A list by scope that leaves out everything must name nothing else, or it is refused."""
UNTAKEN: Final = (Invalid, Forbidden, NotFound, BadRequest)
"""What a server says that does not take an object of Velero."""
_SCOPED: Final = (
    "includedClusterScopedResources",
    "excludedClusterScopedResources",
    "includedNamespaceScopedResources",
    "excludedNamespaceScopedResources",
)


@dataclass(frozen=True, slots=True)
class Request:
    """The object of self-service that a Velero object is made for."""

    namespace: str
    name: str
    uid: str
    nacuuid: str
    spec: Spec
    """Its backupSpec or restoreSpec."""


def velero_backup(request: Request, home: str, policy: Policy, location: str = "") -> Object:
    """Write the Velero Backup of a NonAdminBackup.

    `location` is the BackupStorageLocation that its storageLocation leads to.
    """
    spec = filled(request.spec, policy.backup, BACKUP_FORMS)
    spec["includedNamespaces"] = [request.namespace]
    if spec.get("storageLocation"):
        spec["storageLocation"] = location
    _exclude(spec)
    return _hookless(_made(BACKUP, NAB, request, home, spec), policy)


def velero_restore(
    request: Request, home: str, policy: Policy, backup: str, *, is_own_work: bool = False
) -> Object:
    """Write the Velero Restore of a NonAdminRestore, from a Velero Backup.

    Nothing outside of the namespace comes back, and of an archive that may be a user's own work
    nothing that gives rights, and no status.
    """
    spec = filled(request.spec, policy.restore, RESTORE_FORMS)
    spec |= {"backupName": backup, "includedNamespaces": [request.namespace]}
    spec["includeClusterResources"] = False
    forged = (*BUCKET_EXCLUDED, *BUCKET_FOLDERS) if is_own_work else ()
    excluded = (*RESTORE_EXCLUDED, *CLUSTER_EXCLUDED, *forged)
    spec["excludedResources"] = _joined(spec.get("excludedResources"), excluded)
    if is_own_work:
        spec["restoreStatus"] = NO_STATUS
    return _hookless(_made(RESTORE, NAR, request, home, spec), policy)


def filled(spec: Spec, enforced: Enforced, forms: Forms) -> dict[str, Any]:
    """Put what is enforced into the fields that are not set; what is null is left out."""
    made = {name: value for name, value in spec.items() if value is not None}
    for name, value in enforced.items():
        if not is_set(forms[name], made.get(name)):
            made[name] = value
    return made


def _exclude(spec: dict[str, Any]) -> None:
    """Leave out what nobody may have in a backup of theirs, in the style of the filters."""
    selects = any(spec.get(name) is not None for name in ("labelSelector", "orLabelSelectors"))
    outside = (*CLUSTER_EXCLUDED, *((NAMESPACES,) if selects else ()))
    if any(spec.get(name) for name in _SCOPED):
        for name, resources in (
            ("excludedNamespaceScopedResources", NAMESPACED_EXCLUDED),
            ("excludedClusterScopedResources", outside),
        ):
            if EVERYTHING not in (spec.get(name) or ()):
                spec[name] = _joined(spec.get(name), resources)
        return
    everything = (*NAMESPACED_EXCLUDED, *outside)
    spec["excludedResources"] = _joined(spec.get("excludedResources"), everything)


def _joined(given: list[str] | None, more: tuple[str, ...]) -> list[str]:
    known = list(given or ())
    return known + [each for each in more if each not in known]


def _hookless(made: Object, policy: Policy) -> Object:
    """Say that no hooks run where none may: pods can name some themselves."""
    if not policy.allow_hooks:
        made["metadata"]["annotations"][HOOKS] = NO_HOOKS
    return made


def _made(kind: Kind[Any], mark: Mark, request: Request, home: str, spec: Spec) -> Object:
    return {
        "apiVersion": kind.api_version,
        "kind": kind.name,
        "metadata": {
            "name": request.nacuuid,
            "namespace": home,
            "labels": labels_for(mark, request.nacuuid),
            "annotations": annotations_for(mark, request.namespace, request.name, request.uid),
        },
        "spec": dict(spec),
    }
