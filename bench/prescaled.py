"""Measure PreScaledCronJobs on the embedded API: the first reconcile of many, and their rest.

The API server is a process of its own; the controller runs in this one, without a limit on
requests. Each object has a schedule of its own, so that each is planned for.
"""

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from parts import machine
from parts.api.client import Request, connected, encoded
from parts.api.servers import Target, ours
from parts.schedules.load import CLOCK, PARALLEL, introduce, make_namespace
from parts.table import table

from kedge.aio.background import background
from kedge.api.prescaled.kind import PRE_SCALED_CRON_JOB
from kedge.cli.loop import run_loop
from kedge.client import Client, ClientSettings
from kedge.client.where import explicit
from kedge.controllers.prescaled.controller import PrescaledController, PrescaledSettings, add_to
from kedge.controllers.prescaled.metrics import PrescaledMetrics
from kedge.runtime import Manager

SPACE = "prescaled"
PATH = PRE_SCALED_CRON_JOB.collection(SPACE)
WORK = {
    "spec": {
        "backoffLimit": 2,
        "template": {
            "metadata": {"labels": {"app": "report"}},
            "spec": {
                "restartPolicy": "OnFailure",
                "containers": [{"name": "work", "image": "example.com/report:1"}],
            },
        },
    }
}
POLL_SECONDS = 0.02
IDLE_SECONDS = 30.0
GOAL_RATE = 500.0


class NoEvents:
    """Nothing goes wrong here that would be told."""

    def record(self, *_: object, **__: object) -> None:
        """Keep nothing."""


def bodies(count: int) -> Iterator[Request]:
    """Write so many objects: most static, some rolling, some in other zones."""
    zones = (None, None, "Europe/Amsterdam", "America/New_York")
    for number in range(count):
        day = "1" if number % 10 == 9 else "*"
        spec = {
            "schedule": f"{number % 60} {8 + number // 60 % 12} {day} * *",
            "jobTemplate": WORK,
        }
        if zone := zones[number % 4]:
            spec["timeZone"] = zone
        obj = {
            "apiVersion": PRE_SCALED_CRON_JOB.api_version,
            "kind": PRE_SCALED_CRON_JOB.name,
            "metadata": {"name": f"report-{number:05d}"},
            "spec": {"warmUpTimeMins": 10 + number % 7, "cronJob": {"spec": spec}},
        }
        yield Request("POST", PATH, encoded(obj))


async def measure(target: Target, count: int, idle_seconds: float) -> list[str]:
    """Have all of them reconciled, and then let them rest."""
    await introduce(target)
    await make_namespace(target, SPACE)
    async with connected(target, PARALLEL) as client:
        await client.timed(bodies(count), PARALLEL)
    sent: Counter[str] = Counter()
    token = target.headers["Authorization"].removeprefix("Bearer ")
    access = explicit(target.url, token=token, insecure=True)
    async with Client(
        access, ClientSettings(per_second=0), observer=lambda method, *_: sent.update([method])
    ) as client:
        manager = Manager(client)
        settings = PrescaledSettings("example.com/kedge:1")
        controller = add_to(manager, client, NoEvents(), settings, PrescaledMetrics())
        begin, used, served = time.perf_counter(), time.process_time(), _cpu(target)
        async with background(manager.run()):
            await _until_all(controller, count)
            seconds, cpu = time.perf_counter() - begin, time.process_time() - used
            served = _cpu(target) - served
            writes = sum(number for method, number in sent.items() if method != "GET")
            await CLOCK.sleep(2.0)
            sent.clear()
            used = time.process_time()
            await CLOCK.sleep(idle_seconds)
            idle = time.process_time() - used
    requests = sum(sent.values())
    rate, each = count / seconds, 1000 / count
    goals = [
        ("first reconciles a second", "500", f"{rate:.0f}", rate >= GOAL_RATE),
        ("writes an object", "2", f"{writes / count:.2f}", writes <= 2 * count),
    ]
    return [
        "### Goals\n",
        table(
            ("what", "goal", "measured", "reached"),
            [(*row, "yes" if is_reached else "no") for *row, is_reached in goals],
        ),
        f"\n{count} PreScaledCronJobs were planned in {seconds:.2f} s: {each * cpu:.2f} ms of CPU"
        f" each for the controller, and {each * served:.2f} ms for the embedded API. At rest the"
        f" controller used {1000 * idle / idle_seconds:.2f} ms of CPU a second, and sent"
        f" {requests} requests in {idle_seconds:g} s.",
    ]


def _cpu(target: Target) -> float:
    """Give the seconds of CPU that a server has used."""
    texts = (Path(f"/proc/{pid}/stat").read_text() for pid in target.pids)
    ticks = sum(sum(map(int, text.rpartition(")")[2].split()[11:13])) for text in texts)
    return ticks / os.sysconf("SC_CLK_TCK")


async def _until_all(controller: PrescaledController, count: int) -> None:
    """Wait until the caches show a status for each."""
    waiting = set(controller.objects.keys())
    while waiting or len(controller.objects) < count:
        await CLOCK.sleep(POLL_SECONDS)
        waiting = waiting or set(controller.objects.keys())
        for key in list(waiting):
            found = controller.objects.get(key)
            if found is None or not found.status.conditions:
                break
            waiting.discard(key)


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a rough run of some seconds")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--idle", type=float, default=IDLE_SECONDS, help="seconds of rest")
    asked = parser.parse_args()
    if asked.quick:
        asked.count, asked.idle = 200, 5.0
    lines: list[str] = []
    with ours() as target:

        async def run() -> None:
            lines.extend(await measure(target, asked.count, asked.idle))

        run_loop(run())
    facts = machine.facts()
    head = ", ".join(f"{name} {facts[name]}" for name in ("python", "cpu", "cores", "platform"))
    sys.stdout.write("\n".join([f"{head}.\n", *lines, ""]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
