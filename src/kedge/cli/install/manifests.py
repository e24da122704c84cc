"""The objects of an installation, in the order in which they are made. Pure."""

from typing import Any, Final

from kedge.api.crd import crds
from kedge.cli.install.settings import InstallSettings
from kedge.cli.install.workload import LABELS, NAME, deployment
from kedge.cli.operator.settings import LEASE
from kedge.controllers.schedule.rights import RIGHTS as SCHEDULE_RIGHTS
from kedge.kube.kind import Object
from kedge.kube.right import Right
from kedge.runtime.rights import EVENT_RIGHTS, lease_rights

RBAC: Final = "rbac.authorization.k8s.io"
POD_SECURITY: Final = "pod-security.kubernetes.io"
RIGHTS: Final[tuple[Right, ...]] = (*SCHEDULE_RIGHTS, *EVENT_RIGHTS, *lease_rights(LEASE))
"""All that `kedge server` does with the API, in its namespace; what it reads of discovery is
open to every service account."""


def manifests(settings: InstallSettings) -> list[Object]:
    """Give all objects of an installation; the same settings give the same objects."""
    made = [*crds(), _namespace(settings)]
    if not settings.service_account:
        made.append(_account(settings))
    return [*made, _role(settings), _binding(settings), deployment(settings, account_of(settings))]


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
    subject = {
        "kind": "ServiceAccount",
        "name": account_of(settings),
        "namespace": settings.namespace,
    }
    role = {"apiGroup": RBAC, "kind": "Role", "name": NAME}
    meta = _meta(settings)
    return _object(f"{RBAC}/v1", "RoleBinding", meta, roleRef=role, subjects=[subject])


def _meta(settings: InstallSettings) -> dict[str, Any]:
    return {"name": NAME, "namespace": settings.namespace, "labels": dict(LABELS)}


def _object(api_version: str, kind: str, metadata: dict[str, Any], **fields: Any) -> Object:
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **fields}
