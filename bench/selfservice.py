"""Measure self-service with many NonAdminBackups, on a real kube-apiserver and the embedded API.

See docs/benchmarks-selfservice.md.
"""

import argparse
import asyncio
import gc
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import uvloop
from parts import machine
from parts.api.servers import Died, Missing, Target, ours, real
from parts.keeping import keep
from parts.schedules.load import introduce
from parts.selfservice.bare import bare, example
from parts.selfservice.cases import finish, make, progress, station
from parts.selfservice.plan import FULL, OURS, QUICK, REAL, WARM_UP, Effort
from parts.selfservice.report import render
from parts.selfservice.result import Result, as_json
from parts.selfservice.seen import watching

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
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            result = runner.run(measure(names, QUICK if asked.quick else FULL))
    except (Died, Missing) as exc:
        sys.stderr.write(f"error: {exc}\n")
        return 1
    sys.stdout.write(render(result))
    sys.stdout.write("\n" + keep("selfservice", as_json(result)))
    return 0


async def measure(names: list[str], effort: Effort) -> Result:
    """Do all cases on one server after the other."""
    facts = machine.brief()
    result = Result(facts, effort)
    for name in names:
        for _ in range(effort.turns):
            async with server(name, result) as target:
                await all_sizes(target, effort, result)
        async with server(name, result) as target:
            await one_line(target, effort, result)
    return result


@asynccontextmanager
async def server(name: str, result: Result) -> AsyncIterator[Target]:
    """Start an API server that knows our kinds."""
    with SERVERS[name]() as target:
        result.releases[name] = target.release
        await introduce(target)
        yield target


async def all_sizes(target: Target, effort: Effort, result: Result) -> None:
    """Make few, then many, each with a `kedge server` of its own."""
    name = target.name
    for count in effort.sizes:
        async with station(target, f"made-{count}") as where:
            await make(where, 0, WARM_UP)
            result.making.setdefault(name, []).append(await make(where, WARM_UP, count))
            like = await example(where) if count == effort.bare else None
        if like is not None:
            result.bare.setdefault(name, []).append(await bare(target, like, count))


async def one_line(target: Target, effort: Effort, result: Result) -> None:
    """Let many wait while one after the other ends."""
    name = target.name
    async with station(target, "line") as where:
        await make(where, 0, effort.line + 1)
        async with watching(where.client, where.prefix) as seen:
            for _ in range(effort.rounds):
                result.moving.setdefault(name, []).append(await finish(where, seen))
            result.progress[name] = await progress(where, seen)


if __name__ == "__main__":
    sys.exit(main())
