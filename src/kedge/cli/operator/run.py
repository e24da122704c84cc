"""Puts the parts of an operator together, and runs them until they are told to stop."""

import asyncio
import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import replace
from urllib.parse import urlsplit

import click

from kedge.aio.clock import Clock, SystemClock
from kedge.aio.group import first_error
from kedge.cli.operator.controllers import add_all
from kedge.cli.operator.engine import Making
from kedge.cli.operator.kinds import MissingKinds, not_run
from kedge.cli.operator.settings import OperatorSettings
from kedge.client import Client, ClientError
from kedge.client.where import Access
from kedge.kube.errors import ApiError
from kedge.runtime.events import ApiEvents, Recorder
from kedge.runtime.leader import Leader, LeaseLost
from kedge.runtime.lease import ApiLeases, lease_client
from kedge.runtime.manager import Manager
from kedge.runtime.metrics import Metrics
from kedge.runtime.serving import Serving, ServingError

logger = logging.getLogger(__name__)

COMPONENT = "kedge"


@asynccontextmanager
async def operator(
    access: Access, settings: OperatorSettings, clock: Clock | None = None
) -> AsyncIterator[Manager]:
    """Make a manager with all controllers; whoever uses it runs it."""
    clock = clock or SystemClock()
    metrics = Metrics()
    async with AsyncExitStack() as stack:
        observer = metrics.client_observer(urlsplit(access.server).netloc)
        client = Client(access, settings.client, clock, observer)
        await stack.enter_async_context(client)
        settings = replace(settings, disabled=await not_run(client, settings.disabled))
        leader, telling = None, client
        if settings.leader is not None:
            own = lease_client(access, settings.leader, clock, observer)
            leases = ApiLeases(await stack.enter_async_context(own), settings.leader)
            report = metrics.leader(settings.leader.name)
            leader = Leader(leases, settings.leader, clock, report)
            # A fresh one: it must be guarded before it is used for the first time.
            client = Client(access, settings.client, clock, observer)
            leader.protect(await stack.enter_async_context(client))
        # Events change no state: what is left to tell is told after the lead is given up.
        recorder = Recorder(ApiEvents(telling), COMPONENT, clock=clock)
        manager = Manager(client, settings.manager, clock, leader, metrics)
        serving = Serving(settings.serving, metrics.registry)
        serving.check_ready("caches", lambda: _unsynced(manager))
        manager.serve(serving)
        manager.serve(recorder)
        worker = Client(access, settings.client, clock, observer)
        if leader is not None:
            leader.protect(worker)
        # That kinds are old which a backup holds is no news to anybody here.
        worker.transport.warn = lambda text: logger.debug("warned", extra={"warning": text})
        await stack.enter_async_context(worker)
        made = Making(manager, client, worker, recorder, metrics.registry.register)
        await add_all(stack, made, settings)
        yield manager


def _unsynced(manager: Manager) -> str:
    return f"not yet read: {', '.join(manager.unsynced)}" if manager.unsynced else ""


async def run_until(stop: asyncio.Event, manager: Manager) -> None:
    """Run a manager until an event is set; raises what ends it before."""
    async with asyncio.TaskGroup() as group:
        running = group.create_task(manager.run())
        stopped = group.create_task(stop.wait())
        await asyncio.wait((running, stopped), return_when=asyncio.FIRST_COMPLETED)
        manager.stop()
        await running
        stopped.cancel()


KNOWN = (MissingKinds, ClientError, ApiError, LeaseLost, ServingError)
"""What can go wrong that is no fault of ours; their words are for people."""


@contextmanager
def plain_errors() -> Iterator[None]:
    """Turn what ends an operator into one line."""
    try:
        yield
    except KNOWN as exc:
        raise click.ClickException(str(exc)) from exc
    except BaseExceptionGroup as group:
        error = first_error(group)
        if isinstance(error, KNOWN):
            raise click.ClickException(str(error)) from group
        raise
