"""The Deployment that runs `kedge server`, as the restricted pod security standard wants it."""

from copy import deepcopy
from typing import Any, Final

from kedge.cli.install.names import (
    DOWNLOADS,
    DOWNLOADS_NAME,
    LABELS,
    NAME,
    PORT,
    PORT_NAME,
    meta_in,
)
from kedge.cli.install.settings import InstallSettings, ServerFlags, Share
from kedge.cli.install.storage import folder_of
from kedge.kube.kind import Object
from kedge.kube.quantity import parse_quantity

GRACE_SECONDS: Final = 40
"""The server gives what is under way 30 s, and needs some to tell of it and to let the lead go."""
GROUP: Final = 65532
"""Of the image's user: a volume that is mounted becomes writable for it."""
ONE_BY_ONE: Final = {
    "type": "RollingUpdate",
    "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1},
}
"""A volume is often for one node at a time: the old pod lets go before a new one is made."""


def deployment(settings: InstallSettings, account: str) -> Object:
    """Give the Deployment."""
    spec: dict[str, Any] = {"selector": {"matchLabels": dict(LABELS)}}
    if settings.replicas is not None:
        spec["replicas"] = settings.replicas
    if settings.volume_claim:
        spec["strategy"] = deepcopy(ONE_BY_ONE)
    spec["template"] = {"metadata": _pod_meta(settings), "spec": _pod(settings, account)}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": meta_in(settings.namespace),
        "spec": spec,
    }


def _pod_meta(settings: InstallSettings) -> dict[str, Any]:
    scraped = {
        "prometheus.io/scrape": "true",
        "prometheus.io/port": str(PORT),
        "prometheus.io/path": "/metrics",
    }
    return {
        "labels": {**settings.pod_labels, **LABELS},
        "annotations": {**scraped, **settings.pod_annotations},
    }


def _pod(settings: InstallSettings, account: str) -> dict[str, Any]:
    pod: dict[str, Any] = {
        "serviceAccountName": account,
        "automountServiceAccountToken": True,
        # Variables of Services named after us would be taken for settings of ours.
        "enableServiceLinks": False,
        "securityContext": _security(settings),
        "terminationGracePeriodSeconds": GRACE_SECONDS,
        # Replicas stand by for each other, so they had better not fall together.
        "topologySpreadConstraints": [
            {
                "maxSkew": 1,
                "topologyKey": "kubernetes.io/hostname",
                "whenUnsatisfiable": "ScheduleAnyway",
                "labelSelector": {"matchLabels": dict(LABELS)},
            }
        ],
        "containers": [_container(settings)],
        "volumes": _volumes(settings),
    }
    if settings.priority_class:
        pod["priorityClassName"] = settings.priority_class
    return pod


def _security(settings: InstallSettings) -> dict[str, Any]:
    security: dict[str, Any] = {
        "runAsNonRoot": True,
        "seccompProfile": {"type": "RuntimeDefault"},
    }
    if settings.volume_claim:
        security |= {"fsGroup": GROUP, "fsGroupChangePolicy": "OnRootMismatch"}
    return security


def _volumes(settings: InstallSettings) -> list[dict[str, Any]]:
    # A restore keeps an archive there, however large it is.
    volumes: list[dict[str, Any]] = [{"name": "tmp", "emptyDir": {}}]
    if settings.volume_claim:
        claim = {"claimName": settings.volume_claim}
        volumes.append({"name": "objects", "persistentVolumeClaim": claim})
    return volumes


def _container(settings: InstallSettings) -> dict[str, Any]:
    ports = [{"name": PORT_NAME, "containerPort": PORT, "protocol": "TCP"}]
    mounts = [{"name": "tmp", "mountPath": "/tmp"}]
    if settings.volume_claim:
        ports.append({"name": DOWNLOADS_NAME, "containerPort": DOWNLOADS, "protocol": "TCP"})
        mounts.append({"name": "objects", "mountPath": folder_of(settings)})
    return {
        "name": NAME,
        "image": settings.image,
        "args": _arguments(settings),
        # Not an argument: whoever moves these manifests to another namespace moves it, too.
        "env": [
            {
                "name": "KEDGE_NAMESPACE",
                "valueFrom": {"fieldRef": {"fieldPath": "metadata.namespace"}},
            }
        ],
        "ports": ports,
        "livenessProbe": _probe("/livez"),
        "readinessProbe": _probe("/readyz"),
        "resources": _resources(settings.share),
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        },
        "volumeMounts": mounts,
    }


def _arguments(settings: InstallSettings) -> list[str]:
    arguments = [
        "server",
        f"--metrics-address=:{PORT}",
        "--log-format=json",
        # The same image holds the pods of PreScaledCronJobs until their run.
        f"--warmup-image={settings.image}",
        *_flags(settings.server),
    ]
    if settings.volume_claim:
        url = settings.download_url or f"http://{NAME}.$(KEDGE_NAMESPACE).svc:{DOWNLOADS}"
        arguments += [
            f"--objects-dir={folder_of(settings)}",
            f"--download-address=:{DOWNLOADS}",
            f"--download-url={url}",
        ]
    return arguments


def _flags(server: ServerFlags) -> list[str]:
    """Give what differs from what the server does by itself."""
    switches = {
        "--schedule-skip-immediately": server.schedule_skip_immediately,
        "--restore-only": server.restore_only,
    }
    values = {
        "--disable-controllers": server.disabled_controllers,
        "--concurrent-backups": server.concurrent_backups,
        "--garbage-collection-frequency": server.gc_frequency,
    }
    return [name for name, is_on in switches.items() if is_on] + [
        f"{name}={value}" for name, value in values.items() if value
    ]


def _probe(path: str) -> dict[str, Any]:
    return {"httpGet": {"path": path, "port": PORT_NAME}, "timeoutSeconds": 5}


def _resources(share: Share) -> dict[str, Any]:
    wanted = {
        "requests": {
            "cpu": share.cpu_request,
            "memory": share.memory_request,
            "ephemeral-storage": share.storage_request,
        },
        "limits": {"cpu": share.cpu_limit, "memory": share.memory_limit},
    }
    return {
        part: kept
        for part, amounts in wanted.items()
        if (kept := {name: amount for name, amount in amounts.items() if not is_nothing(amount)})
    }


def is_nothing(amount: str) -> bool:
    """Tell whether an amount is 0, in whatever unit: there is then no promise, or no bound."""
    return not parse_quantity(amount).digits
