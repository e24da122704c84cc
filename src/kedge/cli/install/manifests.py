"""The objects of an installation, in the order in which they are made. Pure."""

from copy import deepcopy
from typing import Any, Final

from kedge.api.crd import crds
from kedge.cli.install.kinds import RBAC
from kedge.cli.install.names import LABELS, NAME, meta_in
from kedge.cli.install.rights import CLUSTER_RULES, RIGHTS
from kedge.cli.install.service import budgets, service
from kedge.cli.install.settings import InstallSettings
from kedge.cli.install.storage import storage
from kedge.cli.install.tenants import policy_roles, tenant_roles
from kedge.cli.install.workload import deployment
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
        *tenant_roles(),
        *policy_roles(settings.namespace),
    ]
    reached = [service(settings), *budgets(settings)]
    server = deployment(settings, account_of(settings))
    return [*made, *rights, *storage(settings), *reached, server]


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
    meta = meta_in(settings.namespace)
    if settings.account_annotations:
        meta["annotations"] = dict(settings.account_annotations)
    # The pod asks for its token by itself; whatever else may run as this account gets none.
    return _object("v1", "ServiceAccount", meta, automountServiceAccountToken=False)


def _role(settings: InstallSettings) -> Object:
    rules = [one.rule for one in RIGHTS]
    return _object(f"{RBAC}/v1", "Role", meta_in(settings.namespace), rules=rules)


def _binding(settings: InstallSettings) -> Object:
    role = {"apiGroup": RBAC, "kind": "Role", "name": NAME}
    meta, subjects = meta_in(settings.namespace), _subjects(settings)
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


def _object(api_version: str, kind: str, metadata: dict[str, Any], **fields: Any) -> Object:
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}
