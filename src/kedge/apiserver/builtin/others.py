"""Which class has the hooks of a kind that is no workload, by group and kind."""

MODULES = "kedge.apiserver.builtin"
CORE = {
    "ConfigMap": "configmaps:ConfigMapStrategy",
    "Endpoints": "endpoints:EndpointsStrategy",
    "Event": "events:EventStrategy",
    "LimitRange": "limitranges:LimitRangeStrategy",
    "Namespace": "namespaces:NamespaceStrategy",
    "Node": "nodes:NodeStrategy",
    "PersistentVolume": "persistentvolumes:PersistentVolumeStrategy",
    "PersistentVolumeClaim": "persistentvolumeclaims:PersistentVolumeClaimStrategy",
    "ResourceQuota": "quotas:ResourceQuotaStrategy",
    "Secret": "secrets:SecretStrategy",
    "Service": "services:ServiceStrategy",
    "ServiceAccount": "serviceaccounts:ServiceAccountStrategy",
}
NETWORK = {
    "IPAddress": "serviceranges:IPAddressStrategy",
    "Ingress": "ingresses:IngressStrategy",
    "IngressClass": "ingresses:IngressClassStrategy",
    "NetworkPolicy": "networkpolicies:NetworkPolicyStrategy",
    "ServiceCIDR": "serviceranges:ServiceCIDRStrategy",
}
STORAGE = {
    "CSIDriver": "csi:CSIDriverStrategy",
    "CSINode": "csi:CSINodeStrategy",
    "CSIStorageCapacity": "csi:CSIStorageCapacityStrategy",
    "StorageClass": "storageclasses:StorageClassStrategy",
    "VolumeAttachment": "volumeattachments:VolumeAttachmentStrategy",
    "VolumeAttributesClass": "storageclasses:VolumeAttributesClassStrategy",
}

OTHERS: dict[tuple[str, str], str] = {
    (group, kind): f"{MODULES}.{place}"
    for group, kinds in {
        "": CORE,
        "coordination.k8s.io": {"Lease": "leases:LeaseStrategy"},
        "discovery.k8s.io": {"EndpointSlice": "endpointslices:EndpointSliceStrategy"},
        "events.k8s.io": {"Event": "events:NewEventStrategy"},
        "networking.k8s.io": NETWORK,
        "node.k8s.io": {"RuntimeClass": "runtimeclasses:RuntimeClassStrategy"},
        "storage.k8s.io": STORAGE,
    }.items()
    for kind, place in kinds.items()
}
"""`module:Class` by group and kind."""
