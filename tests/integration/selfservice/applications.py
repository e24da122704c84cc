"""DataProtectionApplications, as a cluster has them on which the original was installed."""

from typing import Any

from kedge.kube.kind import Object
from tests.integration.definitions import anything

APPLICATIONS = "/apis/oadp.openshift.io/v1alpha1/namespaces/velero/dataprotectionapplications"
APPLICATION_CRD = anything(
    "oadp.openshift.io", "v1alpha1", "dataprotectionapplications", "DataProtectionApplication"
)


def application(**non_admin: Any) -> Object:
    """Write one that says something about self-service."""
    return {
        "apiVersion": "oadp.openshift.io/v1alpha1",
        "kind": "DataProtectionApplication",
        "metadata": {"name": "velero"},
        "spec": {"nonAdmin": non_admin},
    }
