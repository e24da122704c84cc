"""The kinds of which an installation is made."""

from typing import Any, Final

from kedge.kube.kind import Kind, Object, plain

CRD: Final = plain(
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
    "customresourcedefinitions",
    namespaced=False,
)
NAMESPACE: Final = plain("v1", "Namespace", "namespaces", namespaced=False)
DEPLOYMENT: Final = plain("apps/v1", "Deployment", "deployments")
KINDS: Final[dict[str, Kind[dict[str, Any]]]] = {
    kind.name: kind
    for kind in (
        CRD,
        NAMESPACE,
        plain("v1", "ServiceAccount", "serviceaccounts"),
        plain("rbac.authorization.k8s.io/v1", "Role", "roles"),
        plain("rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings"),
        plain("rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles", namespaced=False),
        plain(
            "rbac.authorization.k8s.io/v1",
            "ClusterRoleBinding",
            "clusterrolebindings",
            namespaced=False,
        ),
        DEPLOYMENT,
    )
}


def kind_of(obj: Object) -> Kind[dict[str, Any]]:
    """Give the kind of an object of an installation."""
    return KINDS[obj["kind"]]
