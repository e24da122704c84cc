"""The process of one contestant: does one measurement, and prints it as JSON."""

import asyncio
import gc
import importlib
import json
import os
import sys
from collections.abc import Awaitable, Callable
from dataclasses import asdict

from parts.runtime.meter import Measured
from parts.runtime.task import Task

# Imported by name: a contestant must not carry the others' libraries in its memory.
WORK = {
    ("only reading", "events"): "parts.runtime.raw:events",
    ("kubernetes_asyncio", "events"): "parts.runtime.peers:kubernetes_asyncio_events",
    ("kubernetes_asyncio, dicts", "events"): "parts.runtime.peers:kubernetes_asyncio_dict_events",
    ("kubernetes_asyncio", "sync"): "parts.runtime.peers:kubernetes_asyncio_sync",
    ("kr8s", "events"): "parts.runtime.peers:kr8s_events",
    ("kr8s", "sync"): "parts.runtime.peers:kr8s_sync",
    ("lightkube", "events"): "parts.runtime.peers:lightkube_events",
    ("lightkube", "sync"): "parts.runtime.peers:lightkube_sync",
    ("kopf, on.event", "sync"): "parts.runtime.kopf:sync",
    ("kopf, on.event, kept", "sync"): "parts.runtime.kopf:sync_whole",
    ("kopf, on.event", "reconciles"): "parts.runtime.kopf:reconciles",
    ("kopf, on.create", "reconciles"): "parts.runtime.kopf:changes",
    ("kopf, timers", "idle"): "parts.runtime.kopf:idle",
    ("kedge", "events"): "parts.runtime.ours:events",
    ("kedge", "sync"): "parts.runtime.ours:sync_whole",
    ("kedge, trimmed", "sync"): "parts.runtime.ours:sync_trimmed",
    ("kedge", "reconciles"): "parts.runtime.ours:reconciles",
    ("kedge", "idle"): "parts.runtime.ours:idle",
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
