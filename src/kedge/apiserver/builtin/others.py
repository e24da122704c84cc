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
ADMISSION = {
    "MutatingWebhookConfiguration": "refused:MutatingWebhookConfigurationStrategy",
    "ValidatingAdmissionPolicy": "refused:ValidatingAdmissionPolicyStrategy",
    "ValidatingAdmissionPolicyBinding": "refused:ValidatingAdmissionPolicyBindingStrategy",
    "ValidatingWebhookConfiguration": "refused:ValidatingWebhookConfigurationStrategy",
}
DEVICES = {
    "DeviceClass": "devices:DeviceClassStrategy",
    "ResourceClaim": "devices:ResourceClaimStrategy",
    "ResourceClaimTemplate": "devices:ResourceClaimTemplateStrategy",
    "ResourceSlice": "devices:ResourceSliceStrategy",
}
FLOW = {
    "FlowSchema": "flowcontrol:FlowSchemaStrategy",
    "PriorityLevelConfiguration": "flowcontrol:PriorityLevelStrategy",
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
        "admissionregistration.k8s.io": ADMISSION,
        "apiregistration.k8s.io": {"APIService": "apiservices:APIServiceStrategy"},
        "certificates.k8s.io": {
            "CertificateSigningRequest": "signingrequests:SigningRequestStrategy"
        },
        "coordination.k8s.io": {"Lease": "leases:LeaseStrategy"},
        "discovery.k8s.io": {"EndpointSlice": "endpointslices:EndpointSliceStrategy"},
        "events.k8s.io": {"Event": "events:NewEventStrategy"},
        "flowcontrol.apiserver.k8s.io": FLOW,
        "networking.k8s.io": NETWORK,
        "node.k8s.io": {"RuntimeClass": "runtimeclasses:RuntimeClassStrategy"},
        "resource.k8s.io": DEVICES,
        "storage.k8s.io": STORAGE,
    }.items()
    for kind, place in kinds.items()
}
"""`module:Class` by group and kind."""
