"""What a DownloadRequest needs now. Pure."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from kedge.api.velero.download_request import DownloadPhase, DownloadRequest
from kedge.kube.times import TimeError, format_time, parse_time

LIFE: Final = timedelta(minutes=10)
"""How long a URL is good, and a request is kept, as in Velero."""


@dataclass(frozen=True, slots=True)
class Remove:
    """Its time is over."""


@dataclass(frozen=True, slots=True)
class Wait:
    """It has its answer, until this instant."""

    until: datetime


@dataclass(frozen=True, slots=True)
class Answer:
    """It wants a URL."""

    until: datetime | None
    """When it is removed even without one; None: nobody has said that yet."""


def decide(request: DownloadRequest, now: datetime) -> Remove | Wait | Answer:
    """Compare a request with the time."""
    until = _time(request.status.expiration)
    is_answered = request.status.phase == DownloadPhase.PROCESSED
    if until is None and is_answered:
        until = (_time(request.metadata.creation_timestamp) or now) + LIFE
    if until is not None and until <= now:
        return Remove()
    if until is not None and is_answered:
        return Wait(until)
    return Answer(until)


def expiry(now: datetime) -> datetime:
    """Give the end of the life that begins now, to the second as it is written."""
    return now.replace(microsecond=0) + LIFE


def answered(url: str, until: datetime) -> dict[str, Any]:
    """Give the status of a request that has its URL."""
    return {
        "phase": DownloadPhase.PROCESSED.value,
        "downloadURL": url,
        "expiration": format_time(until),
    }


def _time(text: str | None) -> datetime | None:
    try:
        return parse_time(text) if text else None
    except TimeError:
        return None
