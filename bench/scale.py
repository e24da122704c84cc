"""Measure what replicas are for: the leader goes while there is work, and another goes on.

See docs/scale.md. A real kube-apiserver, a real S3, and `kedge server` as it is installed.
"""

import argparse
import asyncio
import json
import os
import sys
import tempfile
from collections import Counter
from contextlib import ExitStack, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from time import perf_counter

from parts import machine
from parts.api.client import Request, connected
from parts.api.servers import Died, Missing, Target, real
from parts.engine.load import BUCKET, collection, make, namespace, s3_location
from parts.engine.phases import ENDED, Failed, Phases, phases
from parts.keeping import keep
from parts.scale.replicas import Replica, Replicas, replicas
from parts.schedules.load import introduce

from kedge.aio.clock import SystemClock
from tests.velero.s3 import S3Server, s3_server

CLOCK = SystemClock()
SCHEDULES = 40
EVERY_SECONDS = 5
WARM_SECONDS = 15.0
"""Of work before the leader goes."""
PATIENCE_SECONDS = 120.0
POLL_SECONDS = 0.05
KILLED, ENDED_BY_SIGNAL = "killed", "ended"


@dataclass
class Change:
    """What happened when a leader went."""

    replicas: int
    how: str
    before: int
    leader_seconds: float
    made_seconds: float
    completed_seconds: float


@dataclass
class Outcome:
    """What had become of all Backups when it was quiet again."""

    phases: dict[str, int]
    failures: list[str]
    doubled: int
    unfinished: int
    unstored: int
    """Completed, and not in the bucket; or in the bucket, and not Completed."""


class Story(Phases):
    """Follows Backups, of which those that a lost leader held may fail."""

    def __init__(self) -> None:
        super().__init__()
        self.first: dict[str, float] = {}
        self.completed: dict[str, float] = {}

    def take(self, line: bytes) -> None:
        """Read one event, and keep when a Backup was first seen, and when it was Completed."""
        with suppress(Failed):
            super().take(line)
        step = self.steps[-1]
        self.first.setdefault(step.name, step.at)
        if step.phase == "Completed":
            self.completed.setdefault(step.name, step.at)

    @property
    def unfinished(self) -> set[str]:
        """Name those that have not come to an end."""
        return set(self.first) - self._ended


async def changed(story: Story, running: Replicas, count: int, how: str) -> Change:
    """Let the leader go, and see how long nothing is done."""
    leader = await _leader(running)
    before, at = len(story.completed), perf_counter()
    leader.kill() if how == KILLED else leader.terminate()
    if count == 1:  # as the kubelet does
        await asyncio.to_thread(running.start)
    await _leader(running)
    led = perf_counter() - at
    made = await _next(story.first, at)
    completed = await _next(story.completed, at + led)
    return Change(count, how, before, led, made - at, completed - at)


async def _leader(running: Replicas) -> Replica:
    while (leader := await asyncio.to_thread(running.leader)) is None:
        await CLOCK.sleep(POLL_SECONDS)
    return leader


async def _next(moments: dict[str, float], after: float) -> float:
    while not (later := [at for at in moments.values() if at > after]):
        await CLOCK.sleep(POLL_SECONDS)
    return min(later)


async def measure(target: Target, server: S3Server, count: int) -> tuple[list[Change], Outcome]:
    """Kill a leader, ask the next one to end, and look at what is left."""
    space = f"replicas-{count}"
    await make(target, [namespace(space), namespace(f"{space}-app")])
    await make(target, s3_location(space, server, space))
    changes = []
    story = Story()
    async with phases(target, space, "backups", story):
        with replicas(target, space, count) as running:
            await make(target, (_schedule(space, number) for number in range(SCHEDULES)))
            for how in (KILLED, ENDED_BY_SIGNAL):
                await _work(story)
                async with asyncio.timeout(PATIENCE_SECONDS):
                    changes.append(await changed(story, running, count, how))
                if count > 1:
                    await asyncio.to_thread(running.start)
            await _work(story)
            await _pause(target, space)
            async with asyncio.timeout(PATIENCE_SECONDS):
                while story.unfinished:
                    await CLOCK.sleep(POLL_SECONDS)
    return changes, await _outcome(target, server, space)


async def _work(story: Story) -> None:
    goal = len(story.completed) + 1
    await CLOCK.sleep(WARM_SECONDS)
    async with asyncio.timeout(PATIENCE_SECONDS):
        while len(story.completed) < goal:
            await CLOCK.sleep(POLL_SECONDS)


def _schedule(space: str, number: int) -> tuple[str, dict[str, object]]:
    template = {"includedNamespaces": [f"{space}-app"], "snapshotVolumes": False}
    spec = {"schedule": f"@every {EVERY_SECONDS}s", "template": template}
    return collection(space, "schedules"), {
        "apiVersion": "velero.io/v1",
        "kind": "Schedule",
        "metadata": {"name": f"s-{number:02d}"},
        "spec": spec,
    }


async def _pause(target: Target, space: str) -> None:
    path = collection(space, "schedules")
    body = b'{"spec":{"paused":true}}'
    async with connected(target, 1) as client:
        for number in range(SCHEDULES):
            media = "application/merge-patch+json"
            await client.ask(Request("PATCH", f"{path}/s-{number:02d}", body, media))


async def _outcome(target: Target, server: S3Server, space: str) -> Outcome:
    async with connected(target, 1) as client:
        items = json.loads(await client.ask(Request("GET", collection(space, "backups"))))["items"]
    found = Counter(one.get("status", {}).get("phase", "New") for one in items)
    dues = Counter(
        (one["metadata"]["labels"]["velero.io/schedule-name"], due)
        for one in items
        if (due := one["metadata"]["annotations"].get("kedge.dev/due"))
    )
    completed = {
        one["metadata"]["name"] for one in items if one["status"].get("phase") == "Completed"
    }
    listed = server.store(BUCKET).list(f"{space}/backups/").collect()
    stored = {one["path"].split("/")[-2] for one in listed if "velero-backup.json" in one["path"]}
    failures = [
        f"{one['metadata']['name']}: {one['status'].get('failureReason', '')}"
        for one in items
        if one.get("status", {}).get("phase") == "Failed"
    ]
    return Outcome(
        dict(found),
        failures,
        sum(number - 1 for number in dues.values()),
        sum(number for phase, number in found.items() if phase not in ENDED),
        len(completed ^ stored),
    )


def render(counts: dict[int, tuple[list[Change], Outcome]]) -> str:
    """Write the two tables."""
    lines = [
        "| replicas | the leader | Completed before | next leader s | Backup s | Completed s |",
        "| ---: | --- | ---: | ---: | ---: | ---: |",
    ]
    for changes, _ in counts.values():
        for one in changes:
            times = (one.leader_seconds, one.made_seconds, one.completed_seconds)
            numbers = " | ".join(f"{seconds:.1f}" for seconds in times)
            lines.append(f"| {one.replicas} | {one.how} | {one.before} | {numbers} |")
    lines += [
        "",
        "| replicas | Completed | Failed | made twice | unfinished | not as in the bucket |",
        "| ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for count, (_, seen) in counts.items():
        ended = f"{seen.phases.get('Completed', 0)} | {seen.phases.get('Failed', 0)}"
        rest = f"{seen.doubled} | {seen.unfinished} | {seen.unstored}"
        lines.append(f"| {count} | {ended} | {rest} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Run, print, keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="two replicas alone")
    parser.add_argument("--replicas", type=int, nargs="*", default=[1, 2, 3])
    asked = parser.parse_args()
    facts = machine.facts() | {"load": f"{os.getloadavg()[0]:.1f}"}
    counts: dict[int, tuple[list[Change], Outcome]] = {}
    try:
        with ExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="bench-s3-")))
            server = stack.enter_context(s3_server(folder))
            server.make_bucket(BUCKET)
            target = stack.enter_context(real())
            asyncio.run(introduce(target))
            for count in [2] if asked.quick else asked.replicas:
                counts[count] = asyncio.run(measure(target, server, count))
    except (Died, Missing) as exc:
        sys.stderr.write(f"error: {exc}\n")
        return 1
    sys.stdout.write(render(counts))
    kept = {n: [[asdict(c) for c in changes], asdict(o)] for n, (changes, o) in counts.items()}
    sys.stdout.write("\n" + keep("scale", {"machine": facts, "replicas": kept}))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
