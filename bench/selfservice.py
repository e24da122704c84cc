"""Measure self-service with many NonAdminBackups, on a real kube-apiserver and the embedded API.

See docs/benchmarks-selfservice.md.
"""

import argparse
import asyncio
import gc
import json
import os
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import machine
from apiserver_servers import Died, Missing, Target, ours, real
from schedules_load import introduce
from selfservice_cases import finish, make, progress, station
from selfservice_plan import FULL, OURS, QUICK, REAL, Effort
from selfservice_report import render
from selfservice_result import Result, as_json

RESULTS = Path(__file__).parent / "results"
MACHINE = ("python", "cpu", "cores", "platform")
SERVERS = {REAL: real, OURS: ours}


def main() -> int:
    """Run, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a rough run of under 60 seconds")
    parser.add_argument("--only", choices=SERVERS, help="on one server alone")
    asked = parser.parse_args()
    names = [asked.only] if asked.only else list(SERVERS)
    gc.set_threshold(50_000, 20, 100)  # what looks on must not be what is measured
    try:
        result = asyncio.run(measure(names, QUICK if asked.quick else FULL))
    except (Died, Missing) as exc:
        sys.stderr.write(f"error: {exc}\n")
        return 1
    sys.stdout.write(render(result))
    sys.stdout.write(f"\nKept in bench/results/{keep(result)}\n")
    return 0


async def measure(names: list[str], effort: Effort) -> Result:
    """Do all cases on one server after the other."""
    known = machine.facts()
    facts = {name: known[name] for name in MACHINE} | {"load": f"{os.getloadavg()[0]:.1f}"}
    result = Result(facts, effort)
    for name in names:
        with ExitStack() as stack:
            target = stack.enter_context(SERVERS[name]())
            result.releases[name] = target.release
            await introduce(target)
            await all_cases(target, effort, result)
    return result


async def all_cases(target: Target, effort: Effort, result: Result) -> None:
    """Do all cases on a server."""
    name = target.name
    for count in effort.sizes:
        async with station(target, f"made-{count}") as where:
            result.making.setdefault(name, []).append(await make(where, 0, count))
    async with station(target, "line") as where:
        await make(where, 0, effort.line + 1)
        for _ in range(effort.rounds):
            result.moving.setdefault(name, []).append(await finish(where))
        result.progress[name] = await progress(where)


def keep(result: Result) -> str:
    """Write the JSON and give its name."""
    RESULTS.mkdir(exist_ok=True)
    name = time.strftime("selfservice-%Y%m%dT%H%M%SZ.json", time.gmtime())
    (RESULTS / name).write_text(json.dumps(as_json(result)) + "\n")
    return name


if __name__ == "__main__":
    sys.exit(main())
