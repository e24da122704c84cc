"""kopf as a whole operator, with the settings it comes with, but without posts and scans."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import kopf

from parts.runtime.meter import Calls, Measured, Meter
from parts.runtime.raw import burst
from parts.runtime.task import Task

FAR_SECONDS = 3600.0
SETTLE_SECONDS = 7.0
"""Its workers linger for 5 s after the last event of an object."""


class Operator:
    """An operator for one namespace; it ends with the process."""

    def __init__(self, task: Task) -> None:
        self.registry = kopf.OperatorRegistry()
        self.kind = ("", "v1", task.resource)
        self._namespace = task.namespace
        self._running: asyncio.Task[None] | None = None
        cluster, user = task.config()
        info = kopf.ConnectionInfo(
            server=cluster["server"],
            ca_path=cluster.get("certificate-authority"),
            ca_data=cluster.get("certificate-authority-data"),
            scheme="Bearer" if "token" in user else None,
            token=user.get("token"),
            certificate_path=user.get("client-certificate"),
            certificate_data=user.get("client-certificate-data"),
            private_key_path=user.get("client-key"),
            private_key_data=user.get("client-key-data"),
        )

        async def login(**_: Any) -> kopf.ConnectionInfo:
            return info

        kopf.on.login(registry=self.registry)(login)

    def start(self) -> None:
        """Begin to list and to watch."""
        settings = kopf.OperatorSettings()
        settings.posting.enabled = False
        settings.scanning.disabled = True  # no watch of namespaces and CRDs
        running: Coroutine[Any, Any, None] = kopf.operator(
            registry=self.registry,
            settings=settings,
            namespaces=[self._namespace],
            standalone=True,
        )
        self._running = asyncio.get_running_loop().create_task(running)

    async def until(self, reached: Coroutine[Any, Any, None]) -> None:
        """Wait, or raise what ended the operator."""
        assert self._running is not None
        waiting = asyncio.ensure_future(reached)
        await asyncio.wait((waiting, self._running), return_when=asyncio.FIRST_COMPLETED)
        if self._running.done():
            raise RuntimeError("the operator has ended") from self._running.exception()


def counted(operator: Operator) -> Calls:
    """Give the operator an empty handler for every event."""
    calls = Calls()

    @kopf.on.event(*operator.kind, registry=operator.registry)
    async def seen(**_: Any) -> None:
        calls.one()

    return calls


async def sync(task: Task) -> Measured:
    """Handle every object once; of it stays what kopf remembers."""
    operator = Operator(task)
    calls = counted(operator)
    meter = Meter()
    operator.start()
    await operator.until(calls.reach(task.count))
    return meter.read(task.count)


async def sync_whole(task: Task) -> Measured:
    """Handle every object once, and keep it whole.

    In a dict, not in an index of kopf: the time for that grows with the square of the count.
    """
    operator, calls = Operator(task), Calls()
    kept: dict[str, dict[str, Any]] = {}

    @kopf.on.event(*operator.kind, registry=operator.registry)
    async def seen(name: str, body: kopf.Body, **_: Any) -> None:
        kept[name] = dict(body)
        calls.one()

    meter = Meter()
    operator.start()
    await operator.until(calls.reach(task.count))
    return meter.read(len(kept))


async def reconciles(task: Task) -> Measured:
    """Let all objects change at once, and call an empty handler for each."""
    operator = Operator(task)
    calls = counted(operator)
    operator.start()
    await operator.until(calls.reach(task.count))
    meter = Meter()
    await burst(task)
    await operator.until(calls.reach(2 * task.count))
    return meter.read(task.count)


async def changes(task: Task) -> Measured:
    """Call an empty handler of a change for each object, which kopf then marks with a patch."""
    operator, calls = Operator(task), Calls()

    @kopf.on.create(*operator.kind, registry=operator.registry)
    async def made(**_: Any) -> None:
        calls.one()

    operator.start()
    await operator.until(calls.reach(1))
    meter = Meter()
    await operator.until(calls.reach(task.count))
    return meter.read(task.count - 1)


async def idle(task: Task) -> Measured:
    """Keep a timer for each object that is due in an hour."""
    operator = Operator(task)
    calls = counted(operator)

    @kopf.timer(
        *operator.kind,
        registry=operator.registry,
        interval=FAR_SECONDS,
        initial_delay=FAR_SECONDS,
    )
    async def due(**_: Any) -> None:
        pass

    operator.start()
    await operator.until(calls.reach(task.count))
    await asyncio.sleep(SETTLE_SECONDS)  # noqa: TID251
    meter = Meter()
    await asyncio.sleep(task.seconds)  # noqa: TID251
    return meter.read(task.count)
