"""When what happened to a pod, from its status and from Events. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Final

import msgspec

from kedge.controllers.prescaled.children import CONTAINER, JOB_LABEL
from kedge.controllers.prescaled.heads import instant_of

TO_SCHEDULE: Final = "time_to_schedule"
INIT_RAN: Final = "time_init_container_ran"
TO_START: Final = "time_to_start_workload"
DELAY: Final = "time_delay_of_workload"
POOL: Final = "agentpool"
NO_POOL: Final = "noneset"
OLD_JOB_LABEL: Final = "job-name"
EPOCH_MINUTES: Final = 60


class Running(msgspec.Struct, rename="camel", frozen=True):
    """Of the state of a container that runs or has run, when that was."""

    started_at: str | None = None
    finished_at: str | None = None


class State(msgspec.Struct, frozen=True):
    """The state of a container."""

    running: Running | None = None
    terminated: Running | None = None


class ContainerStatus(msgspec.Struct, rename="camel", frozen=True):
    """What became of a container."""

    name: str = ""
    state: State = State()
    restart_count: int = 0


class PodCondition(msgspec.Struct, rename="camel", frozen=True):
    """What holds of a pod, and since when."""

    type: str = ""
    status: str = ""
    last_transition_time: str | None = None


class PodStatus(msgspec.Struct, rename="camel", frozen=True):
    """Of the status, what tells times."""

    conditions: list[PodCondition] | None = None
    init_container_statuses: list[ContainerStatus] | None = None
    container_statuses: list[ContainerStatus] | None = None


class Container(msgspec.Struct, frozen=True):
    """Of a container, what it was asked to do."""

    name: str = ""
    args: list[str] | None = None


class PodSpec(msgspec.Struct, rename="camel", frozen=True):
    """Of the spec, where the pod is to run, and for how long it waits."""

    node_selector: dict[str, str] | None = None
    init_containers: list[Container] | None = None


class PodMeta(msgspec.Struct, rename="camel", frozen=True):
    """Of the metadata, whose pod it is."""

    name: str = ""
    namespace: str = ""
    uid: str = ""
    creation_timestamp: str = ""
    labels: dict[str, str] | None = None


class Pod(msgspec.Struct, frozen=True):
    """A pod, as far as it matters here."""

    metadata: PodMeta = PodMeta()
    spec: PodSpec = PodSpec()
    status: PodStatus = PodStatus()

    @property
    def pool(self) -> str:
        """The pool of nodes that it asks for."""
        return (self.spec.node_selector or {}).get(POOL, NO_POOL)


class Involved(msgspec.Struct, rename="camel", frozen=True):
    """What an Event is about."""

    field_path: str = ""


class Event(msgspec.Struct, rename="camel", frozen=True):
    """Of an Event, what happened and when."""

    reason: str = ""
    involved_object: Involved = Involved()
    first_timestamp: str | None = None
    event_time: str | None = None
    last_timestamp: str | None = None

    @property
    def at(self) -> datetime | None:
        """When it happened first."""
        texts = (self.first_timestamp, self.event_time, self.last_timestamp)
        return next((at for text in texts if (at := instant_of(text))), None)


@dataclass(frozen=True, slots=True)
class Times:
    """The stations of a pod, as far as it has come."""

    created: datetime | None = None
    scheduled: datetime | None = None
    warm_up_started: datetime | None = None
    warm_up_ended: datetime | None = None
    work_started: datetime | None = None

    @property
    def is_whole(self) -> bool:
        """Whether nothing is missing."""
        known = (self.scheduled, self.warm_up_started, self.warm_up_ended, self.work_started)
        return None not in known


def times_of(pod: Pod) -> Times:
    """Read the stations from the status; a container that was restarted tells of the last time."""
    warm_up = _state(pod.status.init_container_statuses, CONTAINER)
    scheduled = [
        instant_of(each.last_transition_time)
        for each in pod.status.conditions or ()
        if each.type == "PodScheduled" and each.status == "True"
    ]
    works = [_started(each) for each in pod.status.container_statuses or ()]
    ended = warm_up.state.terminated if warm_up else None
    return Times(
        created=instant_of(pod.metadata.creation_timestamp),
        scheduled=next(iter(scheduled), None),
        warm_up_started=_started(warm_up) if warm_up else None,
        warm_up_ended=instant_of(ended.finished_at) if ended else None,
        work_started=min((at for at in works if at), default=None),
    )


def is_restarted(pod: Pod) -> bool:
    """Tell whether the status of a pod forgot when its containers were first started."""
    statuses = [*(pod.status.init_container_statuses or ()), *(pod.status.container_statuses or ())]
    return any(each.restart_count for each in statuses)


def with_events(times: Times, events: Iterable[Event]) -> Times:
    """Add what Events tell: of each station, the first time that it was reached."""
    found: dict[str, datetime] = {}
    for event in events:
        station, at = _station(event), event.at
        if station and at is not None:
            found[station] = min(at, found.get(station, at))
    known = {name: at for name in found if (at := getattr(times, name)) is not None}
    return replace(times, **{name: min(at, known.get(name, at)) for name, at in found.items()})


def measures(times: Times, due: datetime | None) -> dict[str, tuple[timedelta, datetime]]:
    """Give the durations that can be told, each with the instant when it was known."""
    pairs = {
        TO_SCHEDULE: (times.created, times.scheduled),
        INIT_RAN: (times.warm_up_started, times.warm_up_ended),
        TO_START: (times.warm_up_ended, times.work_started),
        DELAY: (due, times.work_started),
    }
    return {
        name: (end - begin, end)
        for name, (begin, end) in pairs.items()
        if begin is not None and end is not None
    }


def start_of(pod: Pod) -> datetime | None:
    """Read from the name of its Job which start a pod is of."""
    labels: Mapping[str, str] = pod.metadata.labels or {}
    name = labels.get(JOB_LABEL) or labels.get(OLD_JOB_LABEL) or ""
    minutes = name.rpartition("-")[2]
    if not minutes.isascii() or not minutes.isdecimal():
        return None
    try:
        return datetime.fromtimestamp(int(minutes) * EPOCH_MINUTES, UTC)
    except (OverflowError, ValueError, OSError):
        return None


def lead_of(pod: Pod) -> timedelta | None:
    """Read how long before its run a pod was started; None where that was given by hand."""
    for each in pod.spec.init_containers or ():
        args = each.args or []
        if each.name == CONTAINER and "--lead" in args[:-1]:
            text = args[args.index("--lead") + 1].removesuffix("m")
            return timedelta(minutes=int(text)) if text.isdecimal() else None
    return None


def _state(statuses: list[ContainerStatus] | None, name: str) -> ContainerStatus | None:
    return next((each for each in statuses or () if each.name == name), None)


def _started(status: ContainerStatus) -> datetime | None:
    state = status.state.terminated or status.state.running
    return instant_of(state.started_at) if state else None


def _station(event: Event) -> str:
    """Say which station an Event tells of, if any."""
    path = event.involved_object.field_path
    is_warm_up = path == f"spec.initContainers{{{CONTAINER}}}"
    match event.reason:
        case "Scheduled":
            return "scheduled"
        case "Started" if is_warm_up:
            return "warm_up_started"
        case "Started" if path.startswith("spec.containers{"):
            return "work_started"
        case "Pulling" | "Pulled" if path and not is_warm_up:
            return "warm_up_ended"  # whatever comes next begins with its image
    return ""
