"""DataProtectionApplications, as a cluster has them on which the original was installed."""

from typing import Any

from kedge.kube.kind import Object

APPLICATIONS = "/apis/oadp.openshift.io/v1alpha1/namespaces/velero/dataprotectionapplications"
APPLICATION_CRD = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "dataprotectionapplications.oadp.openshift.io"},
    "spec": {
        "group": "oadp.openshift.io",
        "names": {
            "kind": "DataProtectionApplication",
            "listKind": "DataProtectionApplicationList",
            "plural": "dataprotectionapplications",
            "singular": "dataprotectionapplication",
        },
        "scope": "Namespaced",
        "versions": [
            {
                "name": "v1alpha1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "x-kubernetes-preserve-unknown-fields": True,
                    }
                },
            }
        ],
    },
}


def application(**non_admin: Any) -> Object:
    """Write one that says something about self-service."""
    return {
        "apiVersion": "oadp.openshift.io/v1alpha1",
        "kind": "DataProtectionApplication",
        "metadata": {"name": "velero"},
        "spec": {"nonAdmin": non_admin},
    }
