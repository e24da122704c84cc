"""One candidate in a process of its own: while it leads it writes, blindly and without a pause.

It tells what it does on stdout: `ready`, `leading TERM`, `lost`, `released`, and what it logs.
SIGTERM ends it in good order. Every ConfigMap that it creates is labelled with its name and term.
"""

import argparse
import asyncio
import logging
import signal
import sys
from contextlib import suppress
from pathlib import Path

from kedge.aio.background import background
from kedge.aio.clock import SystemClock
from kedge.client import Client, ClientError, ClientSettings
from kedge.client.retry import Retrying
from kedge.client.where import explicit
from kedge.kube.errors import ApiError
from kedge.kube.kind import plain
from kedge.runtime.leader import Leader, LeaderSettings, LeaseLost, NotLeader
from kedge.runtime.lease import ApiLeases, lease_client

CONFIGS = plain("v1", "ConfigMap", "configmaps")
PAUSE = 0.002
"""Seconds between two writes: most of the time one is under way."""
AFTERWARDS = 1.0
"""Seconds for which a leader that is the leader no more tries to write."""
LOST = 3
"""Exit code of a leader that is the leader no more."""


def say(*words: object) -> None:
    print(*words, flush=True)  # noqa: T201 - this is how it is heard


def parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    for name in ("--server", "--ca", "--token", "--namespace", "--identity"):
        parser.add_argument(name, required=True)
    parser.add_argument("--lease", type=int, required=True)
    parser.add_argument("--renew", type=float, required=True)
    parser.add_argument("--retry", type=float, required=True)
    return parser.parse_args(arguments)


async def write(leader: Leader, client: Client, namespace: str, stopping: asyncio.Event) -> None:
    """Write as fast as it goes, and try to go on when the lease is lost."""
    await leader.led()
    say("leading", leader.term)
    labels = {"identity": leader.settings.identity, "term": str(leader.term)}
    while not stopping.is_set():
        obj = {"metadata": {"generateName": "w-", "labels": labels}}
        with suppress(ApiError, ClientError, NotLeader):
            await client.create(CONFIGS, obj, namespace)
        await SystemClock().sleep(PAUSE)


async def main(arguments: list[str]) -> int:
    told = parse(arguments)
    logging.basicConfig(stream=sys.stdout, level=logging.INFO, format="%(message)s")
    stopping = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stopping.set)
    access = explicit(told.server, ca=Path(told.ca), token=told.token)
    settings = LeaderSettings(
        "boat", told.namespace, told.identity, told.lease, told.renew, told.retry
    )
    fast = ClientSettings(per_second=0, retrying=Retrying(attempts=1))
    clock = SystemClock()
    async with lease_client(access, settings, clock) as leases, Client(access, fast) as client:
        leader = Leader(ApiLeases(leases, settings), settings, clock)
        leader.protect(client)
        say("ready")
        return await stand(leader, client, told.namespace, stopping)


async def stand(leader: Leader, client: Client, namespace: str, stopping: asyncio.Event) -> int:
    """Stand for election, and lead, until told to stop or until the lead is lost."""
    code = 0
    async with asyncio.TaskGroup() as group:
        writer = group.create_task(write(leader, client, namespace, stopping))
        try:
            async with background(leader.run()):
                await stopping.wait()
                if leader.is_leading:
                    await writer
                await leader.release()
                say("released")
        except* LeaseLost:
            code = LOST
            say("lost")
            # The worst of controllers does not notice, and writes on.
            await SystemClock().sleep(AFTERWARDS)
        writer.cancel()
    return code


if __name__ == "__main__":
    sys.exit(asyncio.run(main(sys.argv[1:])))
