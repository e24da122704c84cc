"""The Deployment that runs `kedge server`, as the restricted pod security standard wants it."""

from typing import Any, Final

from kedge.cli.install.settings import InstallSettings, Share
from kedge.kube.kind import Object
from kedge.kube.quantity import parse_quantity

NAME: Final = "kedge"
LABELS: Final = {"app.kubernetes.io/name": NAME}
PORT: Final = 8085
PORT_NAME: Final = "metrics"
GRACE_SECONDS: Final = 40
"""The server gives what is under way 30 s, and needs some to tell of it and to let the lead go."""


def deployment(settings: InstallSettings, account: str) -> Object:
    """Give the Deployment."""
    spec: dict[str, Any] = {"selector": {"matchLabels": dict(LABELS)}}
    if settings.replicas is not None:
        spec["replicas"] = settings.replicas
    spec["template"] = {"metadata": _pod_meta(settings), "spec": _pod(settings, account)}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": NAME,
            "namespace": settings.namespace,
            "labels": dict(LABELS),
        },
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
        "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
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
        # A restore keeps an archive there, however large it is.
        "volumes": [{"name": "tmp", "emptyDir": {}}],
    }
    if settings.priority_class:
        pod["priorityClassName"] = settings.priority_class
    return pod


def _container(settings: InstallSettings) -> dict[str, Any]:
    return {
        "name": NAME,
        "image": settings.image,
        "args": _arguments(settings),
        "ports": [{"name": PORT_NAME, "containerPort": PORT, "protocol": "TCP"}],
        "livenessProbe": _probe("/livez"),
        "readinessProbe": _probe("/readyz"),
        "resources": _resources(settings.share),
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "capabilities": {"drop": ["ALL"]},
            "readOnlyRootFilesystem": True,
        },
        "volumeMounts": [{"name": "tmp", "mountPath": "/tmp"}],
    }


def _arguments(settings: InstallSettings) -> list[str]:
    arguments = [
        "server",
        f"--namespace={settings.namespace}",
        f"--metrics-address=:{PORT}",
        "--log-format=json",
        # The same image holds the pods of PreScaledCronJobs until their run.
        f"--warmup-image={settings.image}",
    ]
    if settings.schedule_skip_immediately:
        arguments.append("--schedule-skip-immediately")
    return arguments


def _probe(path: str) -> dict[str, Any]:
    return {"httpGet": {"path": path, "port": PORT_NAME}, "timeoutSeconds": 5}


def _resources(share: Share) -> dict[str, Any]:
    wanted = {
        "requests": {"cpu": share.cpu_request, "memory": share.memory_request},
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
