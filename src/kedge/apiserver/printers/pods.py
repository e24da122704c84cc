"""Pods: the state of their containers in a word."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from kedge.apiserver.printers.wording import NONE, Cells, age_of, name_of, part
from kedge.apiserver.resource import Object
from kedge.kube.ages import since

_ENDS: Final = {
    "Succeeded": "The pod has completed successfully.",
    "Failed": "The pod failed.",
}


@dataclass(slots=True)
class _Restarts:
    """How often containers were restarted, and when last; the server's times sort as text."""

    count: int = 0
    last: str = ""

    def add(self, container: Object) -> None:
        self.count += container.get("restartCount", 0)
        finished = part(container, "lastState", "terminated").get("finishedAt") or ""
        self.last = max(self.last, finished)

    def text(self, now: datetime) -> str:
        if self.count and self.last:
            return f"{self.count} ({since(self.last, now)} ago)"
        return str(self.count)


@dataclass(slots=True)
class _Start:
    """How far the init containers are."""

    restarts: _Restarts
    lasting: _Restarts
    """Of the init containers that go on running beside the others."""
    ready: int = 0
    reason: str = ""
    """Why the pod is still starting; empty if it is not."""


def pod(obj: Object, now: datetime) -> Cells:
    """Give the cells of a Pod."""
    spec, status = part(obj, "spec"), part(obj, "status")
    inits: Sequence[Object] = spec.get("initContainers") or ()
    lasting = {one.get("name", "") for one in inits if one.get("restartPolicy") == "Always"}
    start = _started(status.get("initContainerStatuses") or (), lasting, len(inits))
    reason, ready, restarts = start.reason or _reason(status), start.ready, start.restarts
    if not start.reason or _condition(status, "Initialized"):
        restarts = start.lasting
        reason, running = _run(status, reason, restarts)
        ready += running
    total = len(spec.get("containers") or ()) + len(lasting)
    return [
        name_of(obj),
        f"{ready}/{total}",
        _ending(obj, status) or reason,
        restarts.text(now),
        age_of(obj, now),
        next((one.get("ip", "") for one in status.get("podIPs") or ()), "") or NONE,
        spec.get("nodeName") or NONE,
        status.get("nominatedNodeName") or NONE,
        _gates(spec.get("readinessGates") or (), status),
    ]


def pod_conditions(obj: Object) -> list[Object]:
    """Give the conditions of a Pod's row: whether it is over."""
    phase = part(obj, "status").get("phase", "")
    if phase not in _ENDS:
        return []
    ended = {"type": "Completed", "status": "True", "reason": phase, "message": _ENDS[phase]}
    return [ended]


def _reason(status: Object) -> str:
    for condition in status.get("conditions") or ():
        if condition.get("type") == "PodScheduled" and condition.get("reason") == "SchedulingGated":
            return "SchedulingGated"
    return status.get("reason") or status.get("phase") or ""


def _started(statuses: Sequence[Object], lasting: set[str], count: int) -> _Start:
    start = _Start(_Restarts(), _Restarts())
    for index, container in enumerate(statuses):
        lasts = container.get("name", "") in lasting
        start.restarts.add(container)
        if lasts:
            start.lasting.add(container)
        ended = part(container, "state").get("terminated")
        if ended is not None and not ended.get("exitCode"):
            continue
        if lasts and container.get("started"):
            start.ready += bool(container.get("ready"))
            continue
        waiting = part(container, "state", "waiting").get("reason", "")
        if ended is not None:
            start.reason = f"Init:{_end(ended)}"
        elif waiting and waiting != "PodInitializing":
            start.reason = f"Init:{waiting}"
        else:
            start.reason = f"Init:{index}/{count}"
        break
    return start


def _run(status: Object, reason: str, restarts: _Restarts) -> tuple[str, int]:
    """Let each container have its say, the first one last; count those that are ready."""
    ready = 0
    for container in reversed(status.get("containerStatuses") or ()):
        restarts.add(container)
        state = part(container, "state")
        waiting, ended = part(state, "waiting").get("reason"), state.get("terminated")
        if waiting:
            reason = waiting
        elif ended is not None:
            reason = _end(ended)
        elif container.get("ready") and state.get("running") is not None:
            ready += 1
    if reason == "Completed" and ready:
        reason = "Running" if _condition(status, "Ready", first=False) else "NotReady"
    return reason, ready


def _end(terminated: Object) -> str:
    if terminated.get("reason"):
        reason: str = terminated["reason"]
        return reason
    if terminated.get("signal"):
        return f"Signal:{terminated['signal']}"
    return f"ExitCode:{terminated.get('exitCode', 0)}"


def _condition(status: Object, kind: str, *, first: bool = True) -> bool:
    """Tell whether the first condition of a type is true, or any of them."""
    found = (
        condition.get("status") == "True"
        for condition in status.get("conditions") or ()
        if condition.get("type") == kind
    )
    return next(found, False) if first else any(found)


def _ending(obj: Object, status: Object) -> str:
    """Tell how a pod is that is being deleted; nothing for any other."""
    if not obj["metadata"].get("deletionTimestamp"):
        return ""
    if status.get("reason") == "NodeLost":
        return "Unknown"
    return "" if status.get("phase") in _ENDS else "Terminating"


def _gates(gates: Iterable[dict[str, Any]], status: Object) -> str:
    kinds = [gate.get("conditionType", "") for gate in gates]
    if not kinds:
        return NONE
    return f"{sum(_condition(status, kind) for kind in kinds)}/{len(kinds)}"
