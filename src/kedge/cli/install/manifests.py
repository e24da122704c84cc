"""The objects of an installation, in the order in which they are made. Pure."""

from copy import deepcopy
from typing import Any, Final

from kedge.api.crd import crds
from kedge.cli.install.rights import CLUSTER_RULES, RBAC, RIGHTS
from kedge.cli.install.settings import InstallSettings
from kedge.cli.install.workload import LABELS, NAME, deployment
from kedge.cli.operator.settings import NAMESPACE
from kedge.kube.kind import Object

POD_SECURITY: Final = "pod-security.kubernetes.io"


def manifests(settings: InstallSettings) -> list[Object]:
    """Give all objects of an installation; the same settings give the same objects."""
    made = [*crds(), _namespace(settings)]
    if not settings.service_account:
        made.append(_account(settings))
    rights = [
        _role(settings),
        _binding(settings),
        _cluster_role(settings),
        _cluster_binding(settings),
    ]
    return [*made, *rights, deployment(settings, account_of(settings))]


def account_of(settings: InstallSettings) -> str:
    """Name the service account that the server runs as."""
    return settings.service_account or NAME


def _namespace(settings: InstallSettings) -> Object:
    labels = dict(LABELS)
    for mode in ("enforce", "audit", "warn"):
        labels |= {
            f"{POD_SECURITY}/{mode}": "restricted",
            f"{POD_SECURITY}/{mode}-version": "latest",
        }
    return _object("v1", "Namespace", {"name": settings.namespace, "labels": labels})


def _account(settings: InstallSettings) -> Object:
    meta = _meta(settings)
    if settings.account_annotations:
        meta["annotations"] = dict(settings.account_annotations)
    # The pod asks for its token by itself; whatever else may run as this account gets none.
    return _object("v1", "ServiceAccount", meta, automountServiceAccountToken=False)


def _role(settings: InstallSettings) -> Object:
    rules = [one.rule for one in RIGHTS]
    return _object(f"{RBAC}/v1", "Role", _meta(settings), rules=rules)


def _binding(settings: InstallSettings) -> Object:
    role = {"apiGroup": RBAC, "kind": "Role", "name": NAME}
    meta, subjects = _meta(settings), _subjects(settings)
    return _object(f"{RBAC}/v1", "RoleBinding", meta, roleRef=role, subjects=subjects)


def _cluster_role(settings: InstallSettings) -> Object:
    meta = _cluster_meta(settings)
    return _object(f"{RBAC}/v1", "ClusterRole", meta, rules=deepcopy(CLUSTER_RULES))


def _cluster_binding(settings: InstallSettings) -> Object:
    meta, subjects = _cluster_meta(settings), _subjects(settings)
    role = {"apiGroup": RBAC, "kind": "ClusterRole", "name": meta["name"]}
    return _object(f"{RBAC}/v1", "ClusterRoleBinding", meta, roleRef=role, subjects=subjects)


def _subjects(settings: InstallSettings) -> list[dict[str, str]]:
    account = account_of(settings)
    return [{"kind": "ServiceAccount", "name": account, "namespace": settings.namespace}]


def _cluster_meta(settings: InstallSettings) -> dict[str, Any]:
    """Give a name that another installation does not have."""
    name = NAME if settings.namespace == NAMESPACE else f"{NAME}-{settings.namespace}"
    return {"name": name, "labels": dict(LABELS)}


def _meta(settings: InstallSettings) -> dict[str, Any]:
    return {"name": NAME, "namespace": settings.namespace, "labels": dict(LABELS)}


def _object(api_version: str, kind: str, metadata: dict[str, Any], **fields: Any) -> Object:
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}
