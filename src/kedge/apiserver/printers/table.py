"""Which printer belongs to which built-in kind. Code is imported when a kind is first printed."""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import msgspec

from kedge.apiserver.resource import Column, Printer

HERE: Final = "kedge.apiserver.printers"
POD: Final = ("", "Pod")
DATA: Final = Path(__file__).with_name("columns.json")

# Group and kind, and a version where versions differ: `module.function`.
CELLS: Final[dict[tuple[str, ...], str]] = {
    ("", "ComponentStatus"): "nodes.component_status",
    ("", "ConfigMap"): "configuration.config_map",
    ("", "Endpoints"): "services.endpoints",
    ("", "Event"): "events.event",
    ("", "Namespace"): "configuration.namespace",
    ("", "Node"): "nodes.node",
    ("", "PersistentVolume"): "volumes.volume",
    ("", "PersistentVolumeClaim"): "volumes.claim",
    ("", "Pod"): "pods.pod",
    ("", "PodTemplate"): "workloads.pod_template",
    ("", "ReplicationController"): "workloads.replication_controller",
    ("", "ResourceQuota"): "configuration.resource_quota",
    ("", "Secret"): "configuration.secret",
    ("", "Service"): "services.service",
    ("", "ServiceAccount"): "configuration.service_account",
    ("admissionregistration.k8s.io", "MutatingWebhookConfiguration"): "serving.webhooks",
    ("admissionregistration.k8s.io", "ValidatingAdmissionPolicy"): "serving.admission_policy",
    (
        "admissionregistration.k8s.io",
        "ValidatingAdmissionPolicyBinding",
    ): "serving.admission_binding",
    ("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"): "serving.webhooks",
    ("apiregistration.k8s.io", "APIService"): "serving.api_service",
    ("apps", "ControllerRevision"): "workloads.controller_revision",
    ("apps", "DaemonSet"): "workloads.daemon_set",
    ("apps", "Deployment"): "workloads.deployment",
    ("apps", "ReplicaSet"): "workloads.replica_set",
    ("apps", "StatefulSet"): "workloads.stateful_set",
    ("autoscaling", "HorizontalPodAutoscaler"): "autoscalers.autoscaler",
    ("autoscaling", "HorizontalPodAutoscaler", "v1"): "autoscalers.autoscaler_v1",
    ("autoscaling", "Scale"): "autoscalers.scale",
    ("batch", "CronJob"): "jobs.cron_job",
    ("batch", "Job"): "jobs.job",
    ("certificates.k8s.io", "CertificateSigningRequest"): "access.signing_request",
    ("coordination.k8s.io", "Lease"): "configuration.lease",
    ("discovery.k8s.io", "EndpointSlice"): "services.endpoint_slice",
    ("events.k8s.io", "Event"): "events.new_event",
    ("flowcontrol.apiserver.k8s.io", "FlowSchema"): "serving.flow_schema",
    ("flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration"): "serving.priority_level",
    ("networking.k8s.io", "IPAddress"): "networking.ip_address",
    ("networking.k8s.io", "Ingress"): "networking.ingress",
    ("networking.k8s.io", "IngressClass"): "networking.ingress_class",
    ("networking.k8s.io", "NetworkPolicy"): "networking.network_policy",
    ("networking.k8s.io", "ServiceCIDR"): "networking.service_cidr",
    ("node.k8s.io", "RuntimeClass"): "nodes.runtime_class",
    ("policy", "PodDisruptionBudget"): "workloads.disruption_budget",
    ("rbac.authorization.k8s.io", "ClusterRoleBinding"): "access.role_binding",
    ("rbac.authorization.k8s.io", "RoleBinding"): "access.role_binding",
    ("resource.k8s.io", "DeviceClass"): "devices.named",
    ("resource.k8s.io", "ResourceClaim"): "devices.claim",
    ("resource.k8s.io", "ResourceClaimTemplate"): "devices.named",
    ("resource.k8s.io", "ResourceSlice"): "devices.device_slice",
    ("scheduling.k8s.io", "PriorityClass"): "nodes.priority_class",
    ("storage.k8s.io", "CSIDriver"): "volumes.csi_driver",
    ("storage.k8s.io", "CSINode"): "volumes.csi_node",
    ("storage.k8s.io", "StorageClass"): "volumes.storage_class",
    ("storage.k8s.io", "VolumeAttachment"): "volumes.attachment",
    ("storage.k8s.io", "VolumeAttributesClass"): "volumes.attributes_class",
}


class _Columns(msgspec.Struct, frozen=True):
    texts: list[str]
    kinds: dict[str, list[tuple[str, str, str, int, int]]]


@cache
def _columns() -> dict[str, tuple[Column, ...]]:
    data = msgspec.json.decode(DATA.read_bytes(), type=_Columns)
    return {
        kind: tuple(
            Column(name, type_, format_, data.texts[text], priority)
            for name, type_, format_, text, priority in columns
        )
        for kind, columns in data.kinds.items()
    }


@cache
def printer_for(group: str, version: str, kind: str) -> Printer | None:
    """Give the printer of a kind; None for one that has no columns of its own."""
    place = CELLS.get((group, kind, version)) or CELLS.get((group, kind))
    if place is None:
        return None
    return Printer(
        _columns()[f"{group}/{kind}"],
        _late(place),
        _late("pods.pod_conditions") if (group, kind) == POD else None,
        _late("serving.flow_schema_order") if kind == "FlowSchema" else None,
    )


def _late(place: str) -> Callable[..., Any]:
    """Make the function that fetches the real one at its first call."""
    found: Callable[..., Any] | None = None

    def late(*args: Any) -> Any:
        nonlocal found
        if found is None:
            module, _, name = place.rpartition(".")
            found = getattr(import_module(f"{HERE}.{module}"), name)
        return found(*args)

    return late
