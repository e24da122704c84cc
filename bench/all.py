"""Run every benchmark, one after the other, and write docs/performance.md from what they print."""

import argparse
import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import machine

from kedge.aio.clock import SystemClock

HERE = Path(__file__).parent
PAGE = HERE.parent / "docs" / "performance.md"
GOAL = re.compile(r"^\| (?!what|against|-)(?P<what>[^|]+?) *\|.*\| *(?P<verdict>yes|no) *\|$", re.M)
"""A row of a table of goals: what, …, reached."""
KEPT = re.compile(r"^Kept in .*\n", re.M)
FACTS = {"python": "Python", "cpu": "processor", "cores": "cores", "platform": "system"}


@dataclass(frozen=True)
class Benchmark:
    """A program, and the page that says how it measures."""

    title: str
    program: str
    page: str


ALL = (
    Benchmark("Cron", "cron", "benchmarks.md"),
    Benchmark("The embedded API", "apiserver", "benchmarks-api.md"),
    Benchmark("Client and runtime", "runtime", "benchmarks-runtime.md"),
    Benchmark("Schedules", "schedules", "benchmarks-schedules.md"),
    Benchmark("Backups and restores", "engine", "benchmarks-engine.md"),
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

    @property
    def reached(self) -> tuple[int, int]:
        """Count the goals that were reached, and all of them."""
        verdicts = [row["verdict"] for row in GOAL.finditer(self.text)]
        return verdicts.count("yes"), len(verdicts)


def run(benchmark: Benchmark, *, is_quick: bool) -> Run:
    """Run one; what it says of its progress goes to this terminal."""
    sys.stderr.write(f"{benchmark.title} …\n")
    load, begin = os.getloadavg()[0], perf_counter()
    command = [sys.executable, str(HERE / f"{benchmark.program}.py")]
    done = subprocess.run(
        command + ["--quick"] * is_quick, stdout=subprocess.PIPE, text=True, check=False
    )
    text = KEPT.sub("", done.stdout).strip() if done.returncode == 0 else ""
    return Run(benchmark, text, perf_counter() - begin, load)


def page(runs: list[Run], *, is_quick: bool) -> str:
    """Write the page."""
    facts = machine.facts()
    where = ", ".join(f"{name}: {facts[key]}" for key, name in FACTS.items())
    rows = [
        f"| [{one.benchmark.title}](#{one.benchmark.title.lower().replace(' ', '-')}) "
        f"| {_goals(one)} | {one.seconds / 60:.1f} | {one.load:.1f} |"
        for one in runs
    ]
    kind = "rough (`--quick`)" if is_quick else "full"
    head = [
        "# Performance",
        f"Written by `make bench-all`, a {kind} run of every benchmark on one machine, on"
        f" {SystemClock().now():%Y-%m-%d}. Kedge {facts['kedge']}; {where}.",
        "Ratios are taken within one run, beside the peer on the same machine. A goal that was"
        " missed is shown as missed. `load` is the load average just before a program began:"
        " at more than a few tenths, other work took part.",
        "| what | goals reached | minutes | load |\n| --- | --- | ---: | ---: |\n"
        + "\n".join(rows),
    ]
    return "\n\n".join(head + [_section(one) for one in runs]) + "\n"


def _goals(one: Run) -> str:
    reached, total = one.reached
    if not one.text:
        return "did not run"
    return f"{reached} of {total}" if total else "none set"


def _section(one: Run) -> str:
    how = f"How it is measured: [{one.benchmark.page}]({one.benchmark.page})."
    return f"## {one.benchmark.title}\n\n{how}\n\n" + (one.text or "It did not run here.")


def main() -> int:
    """Run all, and write the page; fails if one of them did not run."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a rough run of each")
    parser.add_argument("--only", nargs="*", choices=[one.program for one in ALL])
    asked = parser.parse_args()
    chosen = [one for one in ALL if not asked.only or one.program in asked.only]
    runs = [run(one, is_quick=asked.quick) for one in chosen]
    text = page(runs, is_quick=asked.quick)
    sys.stdout.write(text)
    if not asked.only:
        PAGE.write_text(text)
    return 0 if all(one.text for one in runs) else 1


if __name__ == "__main__":
    raise SystemExit(main())
