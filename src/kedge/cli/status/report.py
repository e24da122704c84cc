"""What `kedge status` tells: a report of a cluster at one moment, for people and for programs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from kedge.cli.instants import stamp


@dataclass(frozen=True, slots=True)
class Subject:
    """The object that a line is about."""

    kind: str
    name: str
    namespace: str = ""

    @property
    def document(self) -> dict[str, Any]:
        """The same for programs."""
        return {"kind": self.kind, "namespace": self.namespace, "name": self.name}


@dataclass(frozen=True, slots=True)
class Ran:
    """A backup or a restore that has come to its end."""

    subject: Subject
    phase: str
    at: datetime | None
    errors: int = 0
    warnings: int = 0

    @property
    def document(self) -> dict[str, Any]:
        """The same for programs."""
        return self.subject.document | {
            "phase": self.phase,
            "endedAt": _text(self.at),
            "errors": self.errors,
            "warnings": self.warnings,
        }


@dataclass(frozen=True, slots=True)
class Coming:
    """Something that starts by itself."""

    subject: Subject
    what: str
    """`backup`, `warm-up` or `run`."""
    at: datetime

    @property
    def document(self) -> dict[str, Any]:
        """The same for programs."""
        return self.subject.document | {"what": self.what, "at": _text(self.at)}


@dataclass(frozen=True, slots=True)
class Waiting:
    """Something that is under way, or waits for its turn or for somebody."""

    subject: Subject
    phase: str
    position: int = 0
    """In the queue; 0 where there is none."""
    note: str = ""
    fix: str = ""
    """What to type, where it waits for somebody."""
    since: datetime | None = None

    @property
    def document(self) -> dict[str, Any]:
        """The same for programs."""
        told = {"phase": self.phase, "queuePosition": self.position, "since": _text(self.since)}
        return self.subject.document | told | {"note": self.note, "do": self.fix}


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong, or worth a notice, and what to do."""

    subject: Subject
    text: str
    fix: str

    @property
    def document(self) -> dict[str, Any]:
        """The same for programs."""
        return self.subject.document | {"problem": self.text, "do": self.fix}


@dataclass(frozen=True, slots=True)
class Server:
    """Whether the controllers run, as far as can be seen."""

    state: str
    """`running`, `away` or `unknown`."""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Report:
    """A cluster at one moment."""

    namespace: str
    at: datetime
    server: Server
    ran: Sequence[Ran] = ()
    ran_total: int = 0
    """Of which `ran` has the last ones."""
    coming: Sequence[Coming] = ()
    waiting: Sequence[Waiting] = ()
    wrong: Sequence[Problem] = ()
    notices: Sequence[Problem] = ()
    unseen: Sequence[str] = field(default_factory=tuple)
    """What could not be looked at, and why."""

    @property
    def is_healthy(self) -> bool:
        """Whether nothing is wrong, as far as can be seen."""
        return not self.wrong

    @property
    def document(self) -> dict[str, Any]:
        """The report for programs."""
        return {
            "healthy": self.is_healthy,
            "at": _text(self.at),
            "namespace": self.namespace,
            "server": {"state": self.server.state, "detail": self.server.detail},
            "ran": [one.document for one in self.ran],
            "ranTotal": self.ran_total,
            "next": [one.document for one in self.coming],
            "waits": [one.document for one in self.waiting],
            "wrong": [one.document for one in self.wrong],
            "notices": [one.document for one in self.notices],
            "unseen": list(self.unseen),
        }


def _text(instant: datetime | None) -> str | None:
    return None if instant is None else stamp(instant)
