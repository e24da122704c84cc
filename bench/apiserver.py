"""Measure our API server against kube-apiserver with etcd, in one run. See docs/benchmarks.md."""

import argparse
import asyncio
import gc
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, ExitStack
from dataclasses import replace

from parts import machine
from parts.api.client import Sample
from parts.api.load import FULL, QUICK, WORK, Effort, growth, prepare
from parts.api.process import peak_bytes
from parts.api.report import render
from parts.api.result import OURS, REAL, Result, Run, as_json
from parts.api.servers import Died, Missing, Target, ours, real
from parts.keeping import keep

SERVERS: dict[str, Callable[[], AbstractContextManager[Target]]] = {REAL: real, OURS: ours}


def main() -> int:
    """Run, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a rough run of under a minute")
    parser.add_argument("--only", choices=SERVERS, help="measure one server alone")
    asked = parser.parse_args()
    names = [asked.only] if asked.only else list(SERVERS)
    gc.set_threshold(50_000, 20, 100)  # the client must not be what is measured
    try:
        result = asyncio.run(measure(names, QUICK if asked.quick else FULL))
    except (Died, Missing) as exc:
        sys.stderr.write(f"error: {exc}\n")
        return 1
    sys.stdout.write(render(result))
    sys.stdout.write("\n" + keep("apiserver", as_json(result)))
    return 0


async def measure(names: list[str], effort: Effort) -> Result:
    """Let the servers do all the work in turn, so that a slow minute hits both alike."""
    with ExitStack() as stack:
        targets = [stack.enter_context(SERVERS[name]()) for name in names]
        runs = {t.name: Run(t.release, t.ready_seconds) for t in targets}
        for target in targets:
            say(f"{target.name}: filling")
            await prepare(target, effort)
        for turn in range(effort.rounds):
            for work in WORK:
                for target in targets:
                    say(f"{target.name}: {work.__name__}, round {turn + 1}")
                    runs[target.name].add(await work(target, effort, turn))
        for target in targets:
            runs[target.name].peak_bytes = peak_bytes(target.pids)
    if OURS in names:
        runs[OURS].growth = await grown(effort)
    return Result(machine.brief(), effort, runs)


async def grown(effort: Effort) -> dict[int, dict[str, Sample]]:
    """Start our server anew and fill it: nothing else runs beside it."""
    with ours() as target:
        await prepare(target, replace(effort, listed=0))
        say(f"{target.name}: growing to {effort.levels[-1]} objects")
        return await growth(target, effort)


def say(text: str) -> None:
    """Show on a terminal what takes so long."""
    if sys.stderr.isatty():
        sys.stderr.write(f"\r\033[K{text}\r")


if __name__ == "__main__":
    sys.exit(main())
