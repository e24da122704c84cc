"""Measure `kedge server` with many Schedules, on a real kube-apiserver and on the embedded API.

See docs/benchmarks-schedules.md.
"""

import argparse
import asyncio
import gc
import json
import os
import sys
import time
from contextlib import AsyncExitStack, ExitStack
from pathlib import Path

import machine
from apiserver_servers import Died, Missing, ours, real
from schedules_cases import Late
from schedules_load import introduce
from schedules_plan import FULL, OURS, QUICK, REAL, Effort
from schedules_report import render
from schedules_result import Result, as_json
from schedules_run import Run

RESULTS = Path(__file__).parent / "results"
MACHINE = ("python", "cpu", "cores", "platform")
SERVERS = {REAL: real, OURS: ours}


def main() -> int:
    """Run, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a rough run of under 90 seconds")
    parser.add_argument("--only", choices=SERVERS, help="on one server alone")
    asked = parser.parse_args()
    names = [asked.only] if asked.only else list(SERVERS)
    gc.set_threshold(50_000, 20, 100)  # what looks on must not be what is measured
    try:
        result = asyncio.run(measure(names, QUICK if asked.quick else FULL))
    except (Died, Missing, Late) as exc:
        sys.stderr.write(f"error: {exc}\n")
        return 1
    sys.stdout.write(render(result))
    sys.stdout.write(f"\nKept in bench/results/{keep(result)}\n")
    return 0


async def measure(names: list[str], effort: Effort) -> Result:
    """Do all cases on each server; no two have something due at the same minute."""
    known = machine.facts()
    facts = {name: known[name] for name in MACHINE} | {"load": f"{os.getloadavg()[0]:.1f}"}
    result = Result(facts, effort)
    with ExitStack() as stack:
        targets = [stack.enter_context(SERVERS[name]()) for name in names]
        result.releases = {target.name: target.release for target in targets}
        for target in targets:
            await introduce(target)
        async with AsyncExitStack() as running:
            await Run(result, effort, targets, running).all()
    return result


def keep(result: Result) -> str:
    """Write the JSON and give its name."""
    RESULTS.mkdir(exist_ok=True)
    name = time.strftime("schedules-%Y%m%dT%H%M%SZ.json", time.gmtime())
    (RESULTS / name).write_text(json.dumps(as_json(result)) + "\n")
    return name


if __name__ == "__main__":
    sys.exit(main())
