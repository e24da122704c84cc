"""A program to be killed: concurrent writers on one log, who tell what they were promised.

Usage: store_writers.py FILE SEED. Each line of output is one acknowledged write: its revision, its
key, and 1 for a deletion.
"""

import asyncio
import os
import random
import sys
from functools import partial

from kedge.store import KeyExists, Log, Mismatch, StoreSettings

WRITERS = 12
KEPT = 400
"""Revisions that compaction leaves, so that the parent can check each of them."""


def content(key: str, revision: int) -> bytes:
    """Return the only right value of a row, of a size that crosses pages."""
    return f"{key}@{revision};".encode() * (1 + revision * 7919 % 400)


async def write(log: Log, chance: random.Random) -> None:
    """Write for ever; half of the keys are fought over."""
    mine = f"own-{chance.randrange(1000)}"
    while True:
        key = f"/kind/things/ns/{chance.choice([mine, 'shared'])}-{chance.randrange(4)}"
        current = log.get(key)
        delete = current is not None and chance.random() < 0.2
        verb = log.delete if delete else log.append
        try:
            record = await verb(key, partial(content, key), current.revision if current else 0)
        except (KeyExists, Mismatch):
            continue
        os.write(1, f"{record.revision} {key} {int(delete)}\n".encode())


async def compact(log: Log) -> None:
    """Compact for ever, a little behind the writers."""
    with log.subscribe("/kind/") as subscription:
        while True:
            await subscription.next_batch()
            if log.revision - log.compacted > 2 * KEPT:
                await log.compact(log.revision - KEPT)


async def main(path: str, seed: int) -> None:
    """Run until killed."""
    log = Log.open(path, StoreSettings(checkpoint_pages=64, compact_revisions=20))
    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(compact(log))
        for writer in range(WRITERS):
            tasks.create_task(write(log, random.Random(seed * WRITERS + writer)))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
