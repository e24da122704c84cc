"""Kinds that are no workloads, as the recorded cases name them."""

CORE = {
    "configmaps": "ConfigMap",
    "endpoints": "Endpoints",
    "events": "Event",
    "limitranges": "LimitRange",
    "namespaces": "Namespace",
    "nodes": "Node",
    "persistentvolumeclaims": "PersistentVolumeClaim",
    "persistentvolumes": "PersistentVolume",
    "resourcequotas": "ResourceQuota",
    "secrets": "Secret",
    "serviceaccounts": "ServiceAccount",
    "services": "Service",
}
GROUPS = {
    "apiregistration.k8s.io": {"apiservices": "APIService"},
    "certificates.k8s.io": {"certificatesigningrequests": "CertificateSigningRequest"},
    "coordination.k8s.io": {"leases": "Lease"},
    "discovery.k8s.io": {"endpointslices": "EndpointSlice"},
    "flowcontrol.apiserver.k8s.io": {
        "flowschemas": "FlowSchema",
        "prioritylevelconfigurations": "PriorityLevelConfiguration",
    },
    "networking.k8s.io": {
        "ingressclasses": "IngressClass",
        "ingresses": "Ingress",
        "ipaddresses": "IPAddress",
        "networkpolicies": "NetworkPolicy",
        "servicecidrs": "ServiceCIDR",
    },
    "node.k8s.io": {"runtimeclasses": "RuntimeClass"},
    "resource.k8s.io": {
        "deviceclasses": "DeviceClass",
        "resourceclaims": "ResourceClaim",
        "resourceclaimtemplates": "ResourceClaimTemplate",
        "resourceslices": "ResourceSlice",
    },
    "storage.k8s.io": {
        "csidrivers": "CSIDriver",
        "csinodes": "CSINode",
        "csistoragecapacities": "CSIStorageCapacity",
        "storageclasses": "StorageClass",
        "volumeattachments": "VolumeAttachment",
        "volumeattributesclasses": "VolumeAttributesClass",
    },
}
OTHER_KINDS = {
    **{plural: ("", "v1", kind) for plural, kind in CORE.items()},
    **{
        plural: (group, "v1", kind)
        for group, kinds in GROUPS.items()
        for plural, kind in kinds.items()
    },
    "events.k8s.io/events": ("events.k8s.io", "v1", "Event"),
}
OTHERS_CLUSTER_WIDE = {
    "apiservices",
    "certificatesigningrequests",
    "csidrivers",
    "csinodes",
    "deviceclasses",
    "flowschemas",
    "ingressclasses",
    "ipaddresses",
    "namespaces",
    "nodes",
    "persistentvolumes",
    "prioritylevelconfigurations",
    "resourceslices",
    "runtimeclasses",
    "servicecidrs",
    "storageclasses",
    "volumeattachments",
    "volumeattributesclasses",
}
