"""The kinds of which an installation is made."""

from typing import Any, Final

from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
from kedge.kube.kind import Kind, Object, plain

OLDEST: Final = (1, 25)
"""The first Kubernetes that has all that our kinds use: rules in schemas, zones of CronJobs."""
RBAC: Final = "rbac.authorization.k8s.io"
CRD: Final = plain(
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
    "customresourcedefinitions",
    namespaced=False,
)
NAMESPACE: Final = plain("v1", "Namespace", "namespaces", namespaced=False)
DEPLOYMENT: Final = plain("apps/v1", "Deployment", "deployments")
SERVICE_ACCOUNT: Final = plain("v1", "ServiceAccount", "serviceaccounts")
ROLE: Final = plain(f"{RBAC}/v1", "Role", "roles")
ROLE_BINDING: Final = plain(f"{RBAC}/v1", "RoleBinding", "rolebindings")
CLUSTER_ROLE: Final = plain(f"{RBAC}/v1", "ClusterRole", "clusterroles", namespaced=False)
CLUSTER_ROLE_BINDING: Final = plain(
    f"{RBAC}/v1", "ClusterRoleBinding", "clusterrolebindings", namespaced=False
)
SECRET: Final = plain("v1", "Secret", "secrets")
SERVICE: Final = plain("v1", "Service", "services")
BUDGET: Final = plain("policy/v1", "PodDisruptionBudget", "poddisruptionbudgets")
LOCATION: Final = BACKUP_STORAGE_LOCATION.into(dict)
KINDS: Final[dict[str, Kind[dict[str, Any]]]] = {
    kind.name: kind
    for kind in (
        CRD,
        NAMESPACE,
        SERVICE_ACCOUNT,
        ROLE,
        ROLE_BINDING,
        CLUSTER_ROLE,
        CLUSTER_ROLE_BINDING,
        SECRET,
        LOCATION,
        SERVICE,
        BUDGET,
        DEPLOYMENT,
    )
}


def kind_of(obj: Object) -> Kind[dict[str, Any]]:
    """Give the kind of an object of an installation."""
    return KINDS[obj["kind"]]
