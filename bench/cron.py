"""Measure kedge.cron against cronsim, croniter and robfig/cron in Go. See docs/benchmarks.md."""

import argparse
import gc
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from parts import machine
from parts.cron import golang, priming, startup
from parts.cron.cases import FULL, QUICK, Effort, cases
from parts.cron.engines import Croniter, Cronsim, Engine, Kedge, Row
from parts.cron.report import TITLES, render
from parts.cron.result import Measured, Result, as_json
from parts.cron.timing import interleaved
from parts.cron.verify import differences, row_for
from parts.keeping import keep

DOCS = Path(__file__).parent.parent / "docs" / "benchmarks.md"
MARK = "<!-- below: written by bench/cron.py --docs -->\n"


def main() -> int:
    """Run, print, keep. Fails only if kedge contradicts the original."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a rough run of under 20 seconds")
    parser.add_argument("--docs", action="store_true", help="write docs/benchmarks.md as well")
    asked = parser.parse_args()
    effort = QUICK if asked.quick else FULL
    with ExitStack() as stack:
        others, go_note = opponents(stack)
        result = measure(others, effort, go_note)
    report = render(result)
    sys.stdout.write(report)
    if asked.docs:
        DOCS.write_text(DOCS.read_text().partition(MARK)[0] + MARK + "\n" + report)
    sys.stdout.write("\n" + keep("cron", as_json(result)))
    if result.contradicts_go():
        sys.stderr.write("error: kedge and robfig/cron give different instants\n")
        return 1
    return 0


def opponents(stack: ExitStack) -> tuple[list[Engine], str]:
    """Make the engines to compare with, and say what became of Go."""
    others: list[Engine] = [Cronsim(), Croniter()]
    try:
        go = golang.Go()
    except golang.NoGo as exc:
        return others, f"not measured: {exc}"
    stack.callback(go.close)
    return [*others, go], f"robfig/cron v3.0.1, {golang.version()}"


def measure(others: Sequence[Engine], effort: Effort, go_note: str) -> Result:
    """Compare all answers, then take all times."""
    kedge = Kedge()
    compared = [row_for(kedge, case, effort.compared, effort.instants) for case in cases()]
    found = [d for row in compared for d in differences(kedge, others, row)]
    rows = [row_for(kedge, case, effort.chain, effort.instants) for case in cases()]
    gc.freeze()  # what is imported by now need not be looked at again
    engines = [kedge, *others]
    return Result(
        machine=machine.facts(),
        effort=effort,
        go_note=go_note,
        differences=found,
        measured=[timed(engines, op, row, effort) for op in TITLES for row in rows],
        primed=[priming.measure(row.case, effort) for row in rows],
        startup=startup.measure(effort.imports),
    )


def timed(engines: Sequence[Engine], op: str, row: Row, effort: Effort) -> Measured:
    """Time one operation on one case with every engine that offers it."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K{op} {row.case.expression} {row.case.zone}\r")
    tasks = {e.name: task for e in engines if (task := e.task(op, row)) is not None}
    return Measured(op, row.case, interleaved(tasks, effort.repeats, effort.sample_seconds))


if __name__ == "__main__":
    sys.exit(main())
