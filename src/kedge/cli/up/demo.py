"""A small example: a namespace with something in it, and schedules that save it."""

from typing import Any, Final

from kedge.api.velero.schedule import SCHEDULE
from kedge.kube.kind import Kind, Object, plain

HARBOUR: Final = "harbour"
_CONFIG: Final = plain("v1", "ConfigMap", "configmaps")
_DEPLOYMENT: Final = plain("apps/v1", "Deployment", "deployments")
_NAMESPACE: Final = plain("v1", "Namespace", "namespaces", namespaced=False)
_SCHEDULE: Final = SCHEDULE.into(dict)


def _schedule(name: str, expression: str, **more: Any) -> tuple[Kind[Any], Object]:
    spec = {
        "schedule": expression,
        "template": {"includedNamespaces": [HARBOUR], "ttl": "24h0m0s", "snapshotVolumes": False},
        **more,
    }
    return _SCHEDULE, {"metadata": {"name": name, "namespace": "velero"}, "spec": spec}


DEMO: Final[list[tuple[Kind[Any], Object]]] = [
    (_NAMESPACE, {"metadata": {"name": HARBOUR}}),
    (
        _CONFIG,
        {
            "metadata": {"name": "tides", "namespace": HARBOUR},
            "data": {"high": "06:12", "low": "12:25"},
        },
    ),
    (
        _DEPLOYMENT,
        {
            "metadata": {"name": "lighthouse", "namespace": HARBOUR},
            "spec": {
                "selector": {"matchLabels": {"app": "lighthouse"}},
                "template": {
                    "metadata": {"labels": {"app": "lighthouse"}},
                    "spec": {"containers": [{"name": "lamp", "image": "lamp:1"}]},
                },
            },
        },
    ),
    _schedule("every-minute", "* * * * *"),
    _schedule("nightly", "CRON_TZ=Europe/Vienna 30 2 * * *", skipImmediately=True),
    _schedule("weekly", "0 3 * * 0", paused=True),
]
