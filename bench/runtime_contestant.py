"""The process of one contestant: does one measurement, and prints it as JSON."""

import asyncio
import gc
import importlib
import json
import os
import sys
from collections.abc import Awaitable, Callable
from dataclasses import asdict

from runtime_meter import Measured
from runtime_task import Task

# Imported by name: a contestant must not carry the others' libraries in its memory.
WORK = {
    ("only reading", "events"): "runtime_raw:events",
    ("kubernetes_asyncio", "events"): "runtime_peers:kubernetes_asyncio_events",
    ("kubernetes_asyncio, dicts", "events"): "runtime_peers:kubernetes_asyncio_dict_events",
    ("kubernetes_asyncio", "sync"): "runtime_peers:kubernetes_asyncio_sync",
    ("kr8s", "events"): "runtime_peers:kr8s_events",
    ("kr8s", "sync"): "runtime_peers:kr8s_sync",
    ("lightkube", "events"): "runtime_peers:lightkube_events",
    ("lightkube", "sync"): "runtime_peers:lightkube_sync",
    ("kopf, on.event", "sync"): "runtime_kopf:sync",
    ("kopf, on.event, kept", "sync"): "runtime_kopf:sync_whole",
    ("kopf, on.event", "reconciles"): "runtime_kopf:reconciles",
    ("kopf, on.create", "reconciles"): "runtime_kopf:changes",
    ("kopf, timers", "idle"): "runtime_kopf:idle",
    ("kedge", "events"): "runtime_ours:events",
    ("kedge", "sync"): "runtime_ours:sync_whole",
    ("kedge, trimmed", "sync"): "runtime_ours:sync_trimmed",
    ("kedge", "reconciles"): "runtime_ours:reconciles",
    ("kedge", "idle"): "runtime_ours:idle",
}


async def run(task: Task) -> None:
    """Measure, print, and leave without the farewells that some libraries take seconds for."""
    module, _, name = WORK[task.who, task.what].partition(":")
    work: Callable[[Task], Awaitable[Measured]] = getattr(importlib.import_module(module), name)
    measured = await work(task)
    if measured.count < task.count - 1:
        raise RuntimeError(f"{task.who}: {measured.count} of {task.count}")
    sys.stdout.write(json.dumps(asdict(measured)))
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    gc.set_threshold(50_000, 20, 100)  # as `kedge` does in its processes; here for everyone
    asyncio.run(run(Task(**json.loads(sys.argv[1]))))
