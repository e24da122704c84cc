"""A server's resources for tests, without a server."""

from kedge.engine.backup.plan import VERBS
from kedge.engine.discovery import Resource, Served
from kedge.kube.kind import plain


def resource(
    api_version: str, kind: str, plural: str, *, namespaced: bool = True, short: str = ""
) -> Resource:
    """Make a resource in its preferred version."""
    made = plain(api_version, kind, plural, namespaced=namespaced)
    return Resource(made, True, VERBS, kind.lower(), tuple(short.split()))


PODS = resource("v1", "Pod", "pods", short="po")
CONFIGS = resource("v1", "ConfigMap", "configmaps", short="cm")
CLAIMS = resource("v1", "PersistentVolumeClaim", "persistentvolumeclaims", short="pvc")
VOLUMES = resource("v1", "PersistentVolume", "persistentvolumes", namespaced=False, short="pv")
NAMESPACES = resource("v1", "Namespace", "namespaces", namespaced=False, short="ns")
EVENTS = resource("v1", "Event", "events", short="ev")
DEPLOYMENTS = resource("apps/v1", "Deployment", "deployments", short="deploy")
NEW_EVENTS = resource("events.k8s.io/v1", "Event", "events", short="ev")
POLICIES = resource("networking.k8s.io/v1", "NetworkPolicy", "networkpolicies", short="netpol")
ROLES = resource("rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles", namespaced=False)
CRDS = resource(
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
    "customresourcedefinitions",
    namespaced=False,
    short="crd crds",
)
SNAPSHOTS = resource("snapshot.storage.k8s.io/v1", "VolumeSnapshot", "volumesnapshots", short="vs")
CONTENTS = resource(
    "snapshot.storage.k8s.io/v1",
    "VolumeSnapshotContent",
    "volumesnapshotcontents",
    namespaced=False,
)
OLD_DEPLOYMENTS = resource("extensions/v1beta1", "Deployment", "deployments", short="deploy")
OLD_POLICIES = resource("extensions/v1beta1", "NetworkPolicy", "networkpolicies", short="netpol")

ALL = (
    CONFIGS,
    EVENTS,
    NAMESPACES,
    CLAIMS,
    VOLUMES,
    PODS,
    OLD_DEPLOYMENTS,
    OLD_POLICIES,
    DEPLOYMENTS,
    NEW_EVENTS,
    POLICIES,
    ROLES,
    CRDS,
    SNAPSHOTS,
    CONTENTS,
)
SERVED = Served(ALL)
