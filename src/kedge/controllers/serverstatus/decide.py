"""What a ServerStatusRequest needs now. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from kedge.api.velero.server_status import ServerStatusPhase, ServerStatusRequest
from kedge.kube.times import TimeError, parse_time

LIFE: Final = timedelta(minutes=1)
"""How long an answer is kept, as in Velero."""


@dataclass(frozen=True, slots=True)
class Answer:
    """It wants to know who we are."""


@dataclass(frozen=True, slots=True)
class Remove:
    """Its time is over."""


@dataclass(frozen=True, slots=True)
class Wait:
    """It has its answer, until this instant."""

    until: datetime


def decide(request: ServerStatusRequest, now: datetime) -> Answer | Remove | Wait | None:
    """Compare a request with the time; of a phase that is not known there is nothing to do."""
    if request.status.phase in ("", ServerStatusPhase.NEW):
        return Answer()
    if request.status.phase != ServerStatusPhase.PROCESSED:
        return None
    since = _time(request.status.processed_timestamp) or _time(request.metadata.creation_timestamp)
    until = (since or now) + LIFE
    return Remove() if until <= now else Wait(until)


def _time(text: str | None) -> datetime | None:
    try:
        return parse_time(text) if text else None
    except TimeError:
        return None
