"""A small example of all there is: two apps, schedules, a backup, a request, a warm-up."""

from typing import Any, Final

from kedge.api.nonadmin.backup import NON_ADMIN_BACKUP
from kedge.api.prescaled.kind import PRE_SCALED_CRON_JOB
from kedge.api.velero.backup import BACKUP
from kedge.api.velero.schedule import SCHEDULE
from kedge.kube.kind import Kind, Object, plain

HARBOUR: Final = "harbour"
"""What an administrator backs up."""
FERRY: Final = "ferry"
"""What its owners back up themselves."""
FIRST: Final = "first-look"
"""A backup that is made at once."""
_CONFIG: Final = plain("v1", "ConfigMap", "configmaps")
_DEPLOYMENT: Final = plain("apps/v1", "Deployment", "deployments")
_NAMESPACE: Final = plain("v1", "Namespace", "namespaces", namespaced=False)
_SCHEDULE: Final = SCHEDULE.into(dict)
_KEPT: Final = {"ttl": "24h0m0s", "snapshotVolumes": False}
_SAVED: Final = {"includedNamespaces": [HARBOUR], **_KEPT}


def _schedule(name: str, expression: str, **more: Any) -> tuple[Kind[Any], Object]:
    spec = {
        "schedule": expression,
        "template": _SAVED,
        **more,
    }
    return _SCHEDULE, {"metadata": {"name": name, "namespace": "velero"}, "spec": spec}


def _of_ferry(kind: Kind[Any], name: str, **fields: Any) -> tuple[Kind[Any], Object]:
    return kind.into(dict), {"metadata": {"name": name, "namespace": FERRY}, **fields}


_REPORT: Final = {
    "spec": {
        "schedule": "0 6 * * 1-5",
        "timeZone": "Europe/Vienna",
        "jobTemplate": {
            "spec": {
                "template": {
                    "spec": {
                        "containers": [{"name": "report", "image": "report:1"}],
                        "restartPolicy": "Never",
                    }
                }
            }
        },
    }
}

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
    (
        BACKUP.into(dict),
        {"metadata": {"name": FIRST, "namespace": "velero"}, "spec": _SAVED},
    ),
    (_NAMESPACE, {"metadata": {"name": FERRY}}),
    _of_ferry(_CONFIG, "timetable", data={"first": "06:40", "last": "22:10"}),
    _of_ferry(NON_ADMIN_BACKUP, "our-own", spec={"backupSpec": _KEPT}),
    _of_ferry(PRE_SCALED_CRON_JOB, "report", spec={"warmUpTimeMins": 10, "cronJob": _REPORT}),
]
