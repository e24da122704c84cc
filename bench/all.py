"""Run every benchmark, one after the other, and write docs/performance.md from what they print.

Of those that are not run, the page keeps what it says.
"""

import argparse
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

from parts import machine

from kedge.aio.clock import SystemClock

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "performance.md"
GOAL = re.compile(r"^\| (?!what|against|-)(?P<what>[^|]+?) *\|.*\| *(?P<verdict>yes|no) *\|$", re.M)
"""A row of a table of goals: what, …, reached."""
KEPT = re.compile(r"^Kept in .*\n", re.M)
ROW = re.compile(r"^\| \[(?P<title>[^]]+)\]\(#.*\|$", re.M)
"""A row of the table at the top of the page."""
SECTION = re.compile(r"^## (?P<title>.+)\n(?:(?!## ).*\n)*", re.M)
FACTS = {"python": "Python", "cpu": "processor", "cores": "cores", "platform": "system"}


@dataclass(frozen=True)
class Benchmark:
    """A program, and the page that says how it measures."""

    title: str
    program: str
    page: str
    full: tuple[str, ...] = ()
    """What it is told where it is not a rough run."""


ALL = (
    Benchmark("Cron", "cron", "benchmarks.md"),
    Benchmark("The embedded API", "apiserver", "benchmarks-api.md"),
    Benchmark("Client and runtime", "runtime", "benchmarks-runtime.md"),
    Benchmark("Schedules", "schedules", "benchmarks-schedules.md"),
    Benchmark("Backups and restores", "engine", "benchmarks-engine.md", ("--many",)),
    Benchmark("Self-service", "selfservice", "benchmarks-selfservice.md"),
    Benchmark("Warm nodes", "prescaled", "howto/prescaled.md"),
    Benchmark("Replicas", "scale", "scale.md"),
)


@dataclass(frozen=True)
class Run:
    """What a program said, and how long it took; `text` is empty if it failed."""

    benchmark: Benchmark
    text: str
    seconds: float
    load: float
    is_quick: bool

    @property
    def reached(self) -> tuple[int, int]:
        """Count the goals that were reached, and all of them."""
        verdicts = [row["verdict"] for row in GOAL.finditer(self.text)]
        return verdicts.count("yes"), len(verdicts)


def run(benchmark: Benchmark, *, is_quick: bool) -> Run:
    """Run one; what it says of its progress goes to this terminal."""
    sys.stderr.write(f"{benchmark.title} …\n")
    load, begin = os.getloadavg()[0], perf_counter()
    told = ("--quick",) if is_quick else benchmark.full
    command = [sys.executable, str(HERE / f"{benchmark.program}.py"), *told]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    text = KEPT.sub("", done.stdout).strip() if done.returncode == 0 else ""
    return Run(benchmark, text, perf_counter() - begin, load, is_quick)


def page(runs: list[Run], before: str) -> str:
    """Write the page anew, with what it said before of those that were not run."""
    facts = machine.facts()
    where = ", ".join(f"{name}: {facts[key]}" for key, name in FACTS.items())
    rows = {found["title"]: found[0] for found in ROW.finditer(before)}
    sections = {found["title"]: found[0].strip() for found in SECTION.finditer(before)}
    for one in runs:
        rows[one.benchmark.title], sections[one.benchmark.title] = _row(one), _section(one)
    titles = [one.title for one in ALL if one.title in rows]
    head = [
        "# Performance",
        f"Written by `make bench-all`, which runs every benchmark on one machine."
        f" Kedge {facts['kedge']}; {where}.",
        "Ratios are taken within one run, beside the peer on the same machine. A goal that was"
        " missed is shown as missed. A rough run is one with `--quick`. `load` is the load average"
        " just before a program began: at more than a few tenths, other work took part.",
        "| what | goals reached | run | minutes | load |\n| --- | --- | --- | ---: | ---: |\n"
        + "\n".join(rows[title] for title in titles),
    ]
    return "\n\n".join(head + [sections[title] for title in titles]) + "\n"


def _row(one: Run) -> str:
    title = one.benchmark.title
    kind = "rough" if one.is_quick else "full"
    return (
        f"| [{title}](#{title.lower().replace(' ', '-')}) | {_goals(one)} "
        f"| {kind}, {SystemClock().now():%Y-%m-%d} | {one.seconds / 60:.1f} | {one.load:.1f} |"
    )


def _goals(one: Run) -> str:
    reached, total = one.reached
    if not one.text:
        return "did not run"
    return f"{reached} of {total}" if total else "none set"


def _section(one: Run) -> str:
    how = f"How it is measured: [{one.benchmark.page}]({one.benchmark.page})."
    return f"## {one.benchmark.title}\n\n{how}\n\n" + (one.text or "It did not run here.")


def main() -> int:
    """Run them, and write the page; fails if one of them did not run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a rough run of each")
    parser.add_argument("--only", nargs="*", choices=[one.program for one in ALL])
    asked = parser.parse_args()
    chosen = [one for one in ALL if not asked.only or one.program in asked.only]
    runs = [run(one, is_quick=asked.quick) for one in chosen]
    text = page(runs, PAGE.read_text() if PAGE.exists() else "")
    sys.stdout.write(text)
    PAGE.write_text(text)
    return 0 if all(one.text for one in runs) else 1


if __name__ == "__main__":
    raise SystemExit(main())
