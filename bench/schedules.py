"""Measure `kedge server` with many Schedules, on a real kube-apiserver and on the embedded API.

See docs/benchmarks-schedules.md.
"""

import argparse
import asyncio
import gc
import sys
from contextlib import AsyncExitStack, ExitStack

from parts import machine
from parts.api.servers import Died, Missing, ours, real
from parts.keeping import keep
from parts.schedules.cases import Late
from parts.schedules.load import introduce
from parts.schedules.plan import FULL, OURS, QUICK, REAL, Effort
from parts.schedules.report import render
from parts.schedules.result import Result, as_json
from parts.schedules.run import Run

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
    sys.stdout.write("\n" + keep("schedules", as_json(result)))
    return 0


async def measure(names: list[str], effort: Effort) -> Result:
    """Do all cases on each server; no two have something due at the same minute."""
    facts = machine.brief()
    result = Result(facts, effort)
    with ExitStack() as stack:
        targets = [stack.enter_context(SERVERS[name]()) for name in names]
        result.releases = {target.name: target.release for target in targets}
        for target in targets:
            await introduce(target)
        async with AsyncExitStack() as running:
            await Run(result, effort, targets, running).all()
    return result


if __name__ == "__main__":
    sys.exit(main())
