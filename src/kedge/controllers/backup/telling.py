"""Tells people what becomes of backups: Events, numbers, and lines in the log."""

import logging
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final, Protocol

from kedge.api.velero.backup import BackupPhase
from kedge.api.velero.labels import SCHEDULE_NAME
from kedge.controllers.backup.held import BACKUPS, Held
from kedge.kube.foreign import cut
from kedge.kube.kind import Object
from kedge.kube.times import TimeError, parse_time
from kedge.runtime import Cache
from kedge.runtime.recording import Recording

logger = logging.getLogger(__name__)

NORMAL: Final = "Normal"
WARNING: Final = "Warning"


class BackupNumbers(Protocol):
    """Hears of each backup, with the name of its schedule; empty: it has none."""

    def look_at(self, schedules: Cache[Any]) -> None:
        """Tell numbers of these schedules, and of no others."""

    def attempted(self, schedule: str) -> None:
        """Take note of a start."""

    def rejected(self, schedule: str) -> None:
        """Take note of one that was refused."""

    def uploaded(self, schedule: str, size_bytes: int) -> None:
        """Take note of the size of an archive."""

    def ended(self, schedule: str, status: Object, took: timedelta | None) -> None:
        """Take note of an end."""


class NoNumbers:
    """Counts nothing."""

    def look_at(self, schedules: Cache[Any]) -> None:
        """Take no note."""

    def attempted(self, schedule: str) -> None:
        """Take no note."""

    def rejected(self, schedule: str) -> None:
        """Take no note."""

    def uploaded(self, schedule: str, size_bytes: int) -> None:
        """Take no note."""

    def ended(self, schedule: str, status: Object, took: timedelta | None) -> None:
        """Take no note."""


@dataclass(frozen=True, slots=True)
class Telling:
    """Writes Events, and counts."""

    recorder: Recording
    numbers: BackupNumbers

    def started(self, held: Held) -> None:
        """Count a backup that runs."""
        self.numbers.attempted(_schedule(held))
        logger.info("backup", extra={"backup": str(held.key), "event": "started"})

    def goes_on(self, held: Held) -> None:
        """Tell that a backup runs; of one that is over at once, the end is enough."""
        self._record(held, NORMAL, "BackupStarted", "the backup is running")

    def rejected(self, held: Held, problems: list[str]) -> None:
        """Tell that a backup is refused, and why."""
        self.numbers.rejected(_schedule(held))
        self._record(held, WARNING, "BackupRejected", "; ".join(problems))

    def uploaded(self, held: Held, size_bytes: int) -> None:
        """Tell how large an archive is."""
        self.numbers.uploaded(_schedule(held), size_bytes)

    def ended(self, held: Held) -> None:
        """Tell what became of a backup."""
        status = held.status
        self.numbers.ended(_schedule(held), status, _took(status))
        items = (status.get("progress") or {}).get("itemsBackedUp", 0)
        counts = (
            f"{items} items, {status.get('errors', 0)} errors, {status.get('warnings', 0)} warnings"
        )
        match held.phase:
            case BackupPhase.COMPLETED:
                self._record(held, NORMAL, "BackupCompleted", f"the backup is complete: {counts}")
            case BackupPhase.PARTIALLY_FAILED:
                text = f"the backup is not complete: {counts}; see its log"
                self._record(held, WARNING, "BackupPartiallyFailed", text)
            case _:
                why = status.get("failureReason") or "for no reason that is known"
                self._record(held, WARNING, "BackupFailed", f"the backup failed: {why}")

    def _record(self, held: Held, type_: str, reason: str, text: str) -> None:
        logger.info("backup", extra={"backup": str(held.key), "event": reason, "text": cut(text)})
        self.recorder.record(held.obj, type_, reason, text, kind=BACKUPS)


def _schedule(held: Held) -> str:
    return str((held.obj["metadata"].get("labels") or {}).get(SCHEDULE_NAME) or "")


def _took(status: Object) -> timedelta | None:
    try:
        return parse_time(status["completionTimestamp"]) - parse_time(status["startTimestamp"])
    except (KeyError, TypeError, TimeError):
        return None
