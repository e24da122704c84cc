"""Tells people what becomes of restores: Events, numbers, and lines in the log."""

import logging
from dataclasses import dataclass
from typing import Final, Protocol

from kedge.api.velero.restore import RestorePhase
from kedge.kube.foreign import cut
from kedge.runtime.held import Held
from kedge.runtime.recording import Recording

logger = logging.getLogger(__name__)

NORMAL: Final = "Normal"
WARNING: Final = "Warning"


class RestoreNumbers(Protocol):
    """Hears of each restore, with the name of its schedule; empty: it has none."""

    def attempted(self, schedule: str) -> None:
        """Take note of one that was looked at."""

    def rejected(self, schedule: str) -> None:
        """Take note of one that was refused."""

    def ended(self, schedule: str, phase: str) -> None:
        """Take note of an end."""


class NoNumbers:
    """Counts nothing."""

    def attempted(self, schedule: str) -> None:
        """Take no note."""

    def rejected(self, schedule: str) -> None:
        """Take no note."""

    def ended(self, schedule: str, phase: str) -> None:
        """Take no note."""


@dataclass(frozen=True, slots=True)
class Telling:
    """Writes Events, and counts."""

    recorder: Recording
    numbers: RestoreNumbers

    def started(self, held: Held, backup: str) -> None:
        """Tell that a restore runs."""
        self.numbers.attempted(_schedule(held))
        self._record(held, NORMAL, "RestoreStarted", f"the restore of backup {backup} is running")

    def rejected(self, held: Held, problems: tuple[str, ...]) -> None:
        """Tell that a restore is refused, and why."""
        schedule = _schedule(held)
        self.numbers.attempted(schedule)
        self.numbers.rejected(schedule)
        self._record(held, WARNING, "RestoreRejected", "; ".join(problems))

    def ended(self, held: Held) -> None:
        """Tell what became of a restore."""
        status = held.status
        self.numbers.ended(_schedule(held), held.phase)
        items = (status.get("progress") or {}).get("itemsRestored", 0)
        counts = (
            f"{items} items, {status.get('errors', 0)} errors, {status.get('warnings', 0)} warnings"
        )
        match held.phase:
            case RestorePhase.COMPLETED:
                self._record(held, NORMAL, "RestoreCompleted", f"the restore is complete: {counts}")
            case RestorePhase.PARTIALLY_FAILED:
                text = f"the restore is not complete: {counts}; see its log"
                self._record(held, WARNING, "RestorePartiallyFailed", text)
            case _:
                why = status.get("failureReason") or "for no reason that is known"
                self._record(held, WARNING, "RestoreFailed", f"the restore failed: {why}")

    def stuck(self, held: Held, why: str) -> None:
        """Tell why a Restore that is deleted does not go."""
        text = f"the files of the restore can not be removed yet, so it is kept: {cut(why)}"
        self._record(held, WARNING, "RestoreNotRemoved", text)

    def _record(self, held: Held, type_: str, reason: str, text: str) -> None:
        logger.info("restore", extra={"restore": str(held.key), "event": reason, "text": cut(text)})
        self.recorder.record(held.obj, type_, reason, text, kind=held.kind)


def _schedule(held: Held) -> str:
    return str(held.spec.get("scheduleName") or "")
