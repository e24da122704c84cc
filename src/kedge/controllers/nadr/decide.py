"""What a NonAdminDownloadRequest needs now. Pure."""

from dataclasses import dataclass
from datetime import datetime
from typing import Final, TypeAlias

from kedge.api.nonadmin.stage import NonAdminPhase
from kedge.api.velero.download_request import DownloadPhase
from kedge.controllers.nadr.heads import ORIGIN_GENERATION, PROCESSED, Download, Nadr
from kedge.kube.conditions import condition, find_condition, set_condition
from kedge.kube.kind import Object
from kedge.kube.times import TimeError, format_time, parse_time
from kedge.selfservice.change import change_to
from kedge.selfservice.conditions import TRUE, later
from kedge.selfservice.marks import NADR, annotations_for, labels_for

SUCCESS: Final = "Success"
ERROR: Final = "Error"


@dataclass(frozen=True, slots=True)
class Remove:
    """Its time is over."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Nothing is to be done, at least until this instant; None: until something changes."""

    until: datetime | None = None


@dataclass(frozen=True, slots=True)
class Write:
    """Write a status."""

    change: Object


@dataclass(frozen=True, slots=True)
class Ask:
    """It wants a DownloadRequest."""


Step: TypeAlias = Remove | Wait | Write | Ask


def decide(nadr: Nadr, download: Download | None, now: datetime) -> Step:
    """Compare a request with its answer, and with the time."""
    if not all(nadr.target):
        return Wait()
    until = _time(nadr.answer.get("expiration"))
    if until is not None and until <= now:
        return Remove()
    if nadr.answer.get("downloadURL"):
        return Wait(until)
    if download is None:
        return Ask()
    answer = download.status or {}
    if answer.get("phase") != DownloadPhase.PROCESSED or not answer.get("downloadURL"):
        return Wait()
    until = _time(answer.get("expiration"))
    if until is not None and until <= now:
        return Wait()
    change = change_to(nadr.status, answered(nadr, answer, format_time(now)))
    return Write(change) if change else Wait(until)


def answered(nadr: Nadr, answer: Object, now: str) -> Object:
    """Write the answer."""
    told = _said(nadr, NonAdminPhase.CREATED, condition(PROCESSED, TRUE, SUCCESS), now)
    return {**told, "velero": {"status": answer}}


def failed(nadr: Nadr, kind: str, message: str, now: str) -> Object:
    """Write why there is no answer."""
    told = _said(nadr, NonAdminPhase.BACKING_OFF, condition(kind, TRUE, ERROR, message), now)
    told.pop("velero", None)  # it was the answer to what was asked for before
    return told


def download_for(nadr: Nadr, home: str, name: str) -> Object:
    """Write the DownloadRequest, for a file of the Velero object of this name."""
    return {
        "metadata": {
            "name": nadr.download_name,
            "namespace": home,
            "labels": labels_for(NADR, nadr.metadata.uid),
            "annotations": annotations_for(NADR, *nadr.place, nadr.metadata.uid)
            | {ORIGIN_GENERATION: str(nadr.metadata.generation)},
        },
        "spec": {"target": {"kind": nadr.target[0], "name": name}},
    }


def _said(nadr: Nadr, phase: str, new: Object, now: str) -> Object:
    """Put one condition in the place of all others."""
    known = nadr.status or {}
    before = find_condition(known.get("conditions"), new["type"])
    new["observedGeneration"] = nadr.metadata.generation
    conditions = set_condition([before] if before else [], new, now)
    return {**known, "phase": later(str(known.get("phase") or ""), phase), "conditions": conditions}


def _time(text: str | None) -> datetime | None:
    try:
        return parse_time(text) if text else None
    except TimeError:
        return None
