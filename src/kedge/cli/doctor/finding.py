"""What a check has found."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from kedge.cli.program import as_called

OK, WARN, FAIL = "ok", "warn", "fail"
COLOURS: Final[Mapping[str, str]] = {OK: "green", WARN: "yellow", FAIL: "red"}


@dataclass(frozen=True, slots=True)
class Finding:
    """One line of `kedge doctor`."""

    check: str
    level: str
    """OK, WARN or FAIL."""
    text: str
    fix: str = ""
    """What to do; empty where it is OK."""

    @property
    def document(self) -> dict[str, Any]:
        """The same for programs."""
        return {"check": self.check, "level": self.level, "text": self.text, "do": self.fix}


def ok(check: str, text: str) -> Finding:
    """Find nothing to do."""
    return Finding(check, OK, as_called(text))


def warn(check: str, text: str, fix: str) -> Finding:
    """Find what may do harm."""
    return Finding(check, WARN, as_called(text), as_called(fix))


def fail(check: str, text: str, fix: str) -> Finding:
    """Find what does harm."""
    return Finding(check, FAIL, as_called(text), as_called(fix))
