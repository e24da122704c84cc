"""What a pod has where its author says nothing, and the fields that the API keeps in two places."""

from typing import Any

from kedge.apiserver.builtin import claims
from kedge.apiserver.builtin.amounts import round_all
from kedge.apiserver.builtin.pods.images import pull_policy
from kedge.apiserver.builtin.pods.resources import default_pod_resources
from kedge.apiserver.builtin.pods.surroundings import CONTAINER_LISTS
from kedge.apiserver.resource import Object

PROBES = ("livenessProbe", "readinessProbe", "startupProbe")
FILE_MODE = 0o644
TOKEN_SECONDS = 3600
# Init containers were annotations once; the server drops them, so that no old node heeds them.
OLD_ANNOTATIONS = frozenset(
    f"pod.{stage}.kubernetes.io/init-container{what}"
    for stage in ("alpha", "beta")
    for what in ("s", "-statuses")
)
DISKS: dict[str, dict[str, Any]] = {
    "iscsi": {"iscsiInterface": "default"},
    "rbd": {"pool": "rbd", "user": "admin", "keyring": "/etc/ceph/keyring"},
    "azureDisk": {
        "cachingMode": "ReadWrite",
        "fsType": "ext4",
        "readOnly": False,
        "kind": "Shared",
    },
    "scaleIO": {"storageMode": "ThinProvisioned", "fsType": "xfs"},
    "hostPath": {"type": ""},
    "secret": {"defaultMode": FILE_MODE},
    "configMap": {"defaultMode": FILE_MODE},
    "downwardAPI": {"defaultMode": FILE_MODE},
    "projected": {"defaultMode": FILE_MODE},
}
"""Fields of a volume source that have a default, by the source's name."""


def default_pod(pod: Object) -> None:
    """Fill in a pod. Some of it is for pods only, lest templates change for their owners."""
    drop_old_annotations(pod["metadata"])
    spec: Object = pod.setdefault("spec", {})
    for name in ("containers", "initContainers"):
        for container in spec.get(name) or ():
            _request_limits(container)
    if spec.get("resources"):
        default_pod_resources(spec)
    spec.setdefault("enableServiceLinks", True)
    if spec.get("hostNetwork"):
        _open_host_ports(spec)
    default_spec(spec)
    if spec["terminationGracePeriodSeconds"] < 0:
        spec["terminationGracePeriodSeconds"] = 1
    status = pod.get("status")
    if status:
        _default_status(status)


def default_template(template: Object) -> None:
    """Fill in a pod template."""
    drop_old_annotations(template.setdefault("metadata", {}))
    default_spec(template.setdefault("spec", {}))


def drop_old_annotations(metadata: Object) -> None:
    """Drop annotations that the server does not keep."""
    annotations = metadata.get("annotations")
    if annotations and not OLD_ANNOTATIONS.isdisjoint(annotations):
        kept = {key: text for key, text in annotations.items() if key not in OLD_ANNOTATIONS}
        metadata["annotations"] = kept
        if not kept:
            del metadata["annotations"]


def default_spec(spec: Object) -> None:
    """Fill in a pod's spec."""
    setdefault = spec.setdefault
    setdefault("dnsPolicy", "ClusterFirst")
    setdefault("restartPolicy", "Always")
    setdefault("securityContext", {})
    setdefault("terminationGracePeriodSeconds", 30)
    setdefault("schedulerName", "default-scheduler")
    account = spec.get("serviceAccountName") or spec.get("serviceAccount")
    if account:
        spec["serviceAccountName"] = spec["serviceAccount"] = account
    for volume in spec.get("volumes") or ():
        _default_volume(volume)
    for name in CONTAINER_LISTS:
        for container in spec.get(name) or ():
            _default_container(container)
    if spec.get("overhead"):
        round_all(spec["overhead"])
    if spec.get("resources"):
        _round_resources(spec["resources"])


def _request_limits(container: Object) -> None:
    """Request what is limited, where nothing else is requested."""
    resources = container.get("resources") or {}
    limits = resources.get("limits")
    if limits:
        resources["requests"] = {**limits, **(resources.get("requests") or {})}


def _open_host_ports(spec: Object) -> None:
    for name in ("containers", "initContainers"):
        for container in spec.get(name) or ():
            for port in container.get("ports") or ():
                if not port.get("hostPort") and port.get("containerPort"):
                    port["hostPort"] = port["containerPort"]


def _default_container(container: Object) -> None:
    if not container.get("imagePullPolicy"):
        container["imagePullPolicy"] = pull_policy(container.get("image", ""))
    container.setdefault("terminationMessagePath", "/dev/termination-log")
    container.setdefault("terminationMessagePolicy", "File")
    for port in container.get("ports") or ():
        port.setdefault("protocol", "TCP")
    for variable in container.get("env") or ():
        if "valueFrom" in variable:
            _default_field(variable["valueFrom"])
    if container.get("resources"):
        _round_resources(container["resources"])
    for name in PROBES:
        if name in container:
            _default_probe(container[name])
    for handler in (container.get("lifecycle") or {}).values():
        if isinstance(handler, dict) and "httpGet" in handler:
            _default_http(handler["httpGet"])


def _default_field(source: Object) -> None:
    if "fieldRef" in source:
        source["fieldRef"].setdefault("apiVersion", "v1")
    if "fileKeyRef" in source:
        source["fileKeyRef"].setdefault("optional", False)


def _default_probe(probe: Object) -> None:
    probe.setdefault("timeoutSeconds", 1)
    probe.setdefault("periodSeconds", 10)
    probe.setdefault("successThreshold", 1)
    probe.setdefault("failureThreshold", 3)
    if "httpGet" in probe:
        _default_http(probe["httpGet"])
    if "grpc" in probe and probe["grpc"].get("service") is None:
        probe["grpc"]["service"] = ""


def _default_http(action: Object) -> None:
    action.setdefault("path", "/")
    action.setdefault("scheme", "HTTP")


def _default_volume(volume: Object) -> None:
    if len(volume) == 1 or not any(isinstance(value, dict) for value in volume.values()):
        volume["emptyDir"] = {}
        return
    for name, source in volume.items():
        for key, value in DISKS.get(name, {}).items():
            source.setdefault(key, value)
        if name == "downwardAPI":
            _default_files(source)
        elif name == "projected":
            for part in source.get("sources") or ():
                _default_projection(part)
        elif name == "ephemeral" and source.get("volumeClaimTemplate"):
            claims.default_spec(source["volumeClaimTemplate"].setdefault("spec", {}))


def _default_projection(source: Object) -> None:
    if "downwardAPI" in source:
        _default_files(source["downwardAPI"])
    if "serviceAccountToken" in source:
        source["serviceAccountToken"].setdefault("expirationSeconds", TOKEN_SECONDS)


def _default_files(source: Object) -> None:
    for item in source.get("items") or ():
        _default_field(item)


def _round_resources(resources: Object) -> None:
    for name in ("limits", "requests"):
        if resources.get(name):
            round_all(resources[name])


def _default_status(status: Object) -> None:
    ips = status.get("podIPs")
    ip = status.get("podIP")
    if ip and (not ips or ips[0].get("ip") != ip):
        status["podIPs"] = [{"ip": ip}]
    elif ips and ips[0].get("ip"):
        status["podIP"] = ips[0]["ip"]
    for name in ("initContainerStatuses", "containerStatuses", "ephemeralContainerStatuses"):
        for container in status.get(name) or ():
            if container.get("allocatedResources"):
                round_all(container["allocatedResources"])
            if container.get("resources"):
                _round_resources(container["resources"])
