"""The life of a pod as a cluster told of it: its statuses one after the other, and its Events."""

from datetime import UTC, datetime, timedelta
from typing import Any

Object = dict[str, Any]

BORN = datetime(2030, 1, 1, 23, 50, 1, tzinfo=UTC)
START_MINUTES = int(BORN.timestamp()) // 60
WARM_UP = "kedge-warm-up"


def stamp(seconds: float) -> str:
    """Write a time so many seconds after the pod was made."""
    return (BORN + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def pod(lead: str | None = "10m", pool: str | None = "big") -> Object:
    """Write a pod as a Job makes it."""
    args = ["warmup", *(["--lead", lead] if lead else []), "--schedule", "0 0 * * *"]
    job = f"autogen-report-{START_MINUTES}"
    return {
        "metadata": {
            "name": f"{job}-x7k2p",
            "labels": {"primedcron": "report", "batch.kubernetes.io/job-name": job},
        },
        "spec": {
            **({"nodeSelector": {"agentpool": pool}} if pool else {}),
            "restartPolicy": "Never",
            "initContainers": [{"name": WARM_UP, "image": "k", "args": args}],
            "containers": [{"name": "work", "image": "w"}, {"name": "side", "image": "s"}],
        },
    }


def _waiting(name: str, reason: str = "PodInitializing") -> Object:
    return {"name": name, "state": {"waiting": {"reason": reason}}, "restartCount": 0}


def _running(name: str, at: float) -> Object:
    return {"name": name, "state": {"running": {"startedAt": stamp(at)}}, "restartCount": 0}


def _ended(name: str, begin: float, end: float) -> Object:
    state = {"startedAt": stamp(begin), "finishedAt": stamp(end), "exitCode": 0}
    return {"name": name, "state": {"terminated": state}, "restartCount": 0}


SCHEDULED = {"type": "PodScheduled", "status": "True", "lastTransitionTime": stamp(95)}
UNSCHEDULABLE = {**SCHEDULED, "status": "False", "lastTransitionTime": stamp(1)}
NOT_YET = [_waiting("work"), _waiting("side")]
HELD = _ended(WARM_UP, 99, 599)
STAGES: list[Object] = [
    {"phase": "Pending"},
    {"phase": "Pending", "conditions": [UNSCHEDULABLE]},
    {"phase": "Pending", "conditions": [SCHEDULED]},
    {
        "conditions": [SCHEDULED],
        "initContainerStatuses": [_waiting(WARM_UP)],
        "containerStatuses": NOT_YET,
    },
    {
        "conditions": [SCHEDULED],
        "initContainerStatuses": [_running(WARM_UP, 99)],
        "containerStatuses": NOT_YET,
    },
    {"conditions": [SCHEDULED], "initContainerStatuses": [HELD], "containerStatuses": NOT_YET},
    {
        "phase": "Running",
        "conditions": [SCHEDULED],
        "initContainerStatuses": [HELD],
        "containerStatuses": [_running("work", 602), _running("side", 604)],
    },
    {
        "phase": "Succeeded",
        "conditions": [SCHEDULED],
        "initContainerStatuses": [HELD],
        "containerStatuses": [_ended("work", 602, 700), _ended("side", 604, 701)],
    },
]
"""A pod that waits 95 s for a node, is held for 500 s, and starts 3 s after that."""
EXPECTED = {
    "time_to_schedule": 95.0,
    "time_init_container_ran": 500.0,
    "time_to_start_workload": 3.0,
    "time_delay_of_workload": 3.0,
}


def _event(reason: str, at: float, path: str = "") -> Object:
    involved = {"fieldPath": path} if path else {}
    return {"reason": reason, "involvedObject": involved, "firstTimestamp": stamp(at)}


OURS, WORK, SIDE = (
    f"spec.initContainers{{{WARM_UP}}}",
    "spec.containers{work}",
    "spec.containers{side}",
)
EVENTS: list[Object] = [
    _event("FailedScheduling", 1),
    {"reason": "Scheduled", "eventTime": stamp(95), "involvedObject": {}},
    _event("Pulled", 98, OURS),
    _event("Created", 99, OURS),
    _event("Started", 99, OURS),
    _event("Pulling", 599, WORK),
    _event("Pulled", 601, WORK),
    _event("Created", 602, WORK),
    _event("Started", 602, WORK),
    _event("Pulled", 603, SIDE),
    _event("Started", 604, SIDE),
    _event("BackOff", 650, WORK),
    _event("Started", 660, WORK),
]
"""The same pod in Events; its work was restarted once."""
