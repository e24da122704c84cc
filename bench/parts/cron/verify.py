"""Compare the answers of all engines before any is timed: no wrong answer may count as fast."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from parts.cron.cases import Case, scattered
from parts.cron.engines import Engine, Row

COMPARED = ("next", "far", "prev", "between", "random")


@dataclass(frozen=True)
class Difference:
    """The first answer in which an engine departs from kedge."""

    engine: str
    op: str
    case: Case
    index: int
    kedge: str
    other: str

    def __str__(self) -> str:
        where = f"{self.engine} {self.op}: {self.case.expression} in {self.case.zone}"
        return f"{where}: answer {self.index + 1} is {self.other}, kedge says {self.kedge}"


def row_for(kedge: Engine, case: Case, chain: int, instants: int) -> Row:
    """Ask for so many answers, or for all there are in the years of a chain."""
    scatter = tuple(scattered(instants))
    asked = Row(case, dict.fromkeys(COMPARED, chain), scatter)
    counts = {op: len(kedge.answers(op, asked) or ()) for op in COMPARED}
    return Row(case, counts, scatter)


def differences(kedge: Engine, others: Sequence[Engine], row: Row) -> list[Difference]:
    """List the engines and operations that do not say what kedge says."""
    found = []
    for op in COMPARED:
        ours = kedge.answers(op, row) or []
        for engine in others:
            theirs = engine.answers(op, row)
            if theirs is not None and theirs != ours:
                found.append(_first(engine.name, op, row, ours, theirs))
    return found


def _first(name: str, op: str, row: Row, ours: list[int], theirs: list[int]) -> Difference:
    shortest = min(len(ours), len(theirs))
    at = next((i for i in range(shortest) if ours[i] != theirs[i]), shortest)
    return Difference(name, op, row.case, at, _text(ours, at), _text(theirs, at))


def _text(answers: list[int], at: int) -> str:
    if at >= len(answers) or answers[at] < 0:
        return "nothing"
    return datetime.fromtimestamp(answers[at], UTC).strftime("%Y-%m-%dT%H:%MZ")
