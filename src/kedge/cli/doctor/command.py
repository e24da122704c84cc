"""`kedge doctor`: check after check, each with what to do."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

import click

from kedge.cli.connection import (
    access,
    connection_options,
    given_namespace,
    namespace,
    on_cluster,
    usual_namespace,
)
from kedge.cli.doctor.finding import COLOURS, FAIL, Finding, fail, ok
from kedge.cli.errors import Failure
from kedge.cli.flags import FlagCommand
from kedge.cli.instants import now
from kedge.cli.output import output_option, show, write
from kedge.cli.program import program
from kedge.cli.screen import styled, visible

if TYPE_CHECKING:
    from kedge.cli.doctor.patient import Patient
    from kedge.client import Client

PATIENCE_SECONDS = 5.0
"""For the first answer: a cluster that takes longer does not work."""


@click.command("doctor", cls=FlagCommand)
@output_option
@connection_options
def doctor(output: str) -> None:
    """Look for what keeps Kedge from working, and say what to do.

    Checks the way to the cluster, its version, clocks, our kinds, rights, the server, webhooks,
    storage, schedules and leftovers, in this order. Exits with 1 if a check fails, and with 0 if
    not.
    """
    found = []
    try:
        found.append(ok("kubeconfig", f"{access().server}, namespace {access().namespace}"))
    except Failure as exc:
        found.append(fail("kubeconfig", exc.message, "kubectl config get-contexts"))
    if output == "table":
        _print(found[0])
    if found[0].level != FAIL:
        found += on_cluster(lambda client: _checked(client, is_told=output == "table"))
    is_bad = any(one.level == FAIL for one in found)
    document = {"healthy": not is_bad, "findings": [one.document for one in found]}
    show(output, document, lambda: _end(found))
    if is_bad:
        raise click.exceptions.Exit(1)


def _print(one: Finding) -> None:
    level = styled(f"{one.level:4}", fg=COLOURS[one.level])
    write(f"{level}  {one.check}: {visible(one.text, sys.stdout)}\n")
    if one.fix:
        write(f"      do: {visible(one.fix, sys.stdout)}\n")


def _end(found: list[Finding]) -> str:
    counts = {level: sum(one.level == level for one in found) for level in COLOURS}
    return "\n" + ", ".join(f"{number} {level}" for level, number in counts.items()) + "\n"


async def _checked(client: Client, *, is_told: bool) -> list[Finding]:
    found = []
    async for one in _findings(client):
        found.append(one)
        if is_told:
            _print(one)
    return found


async def _findings(client: Client) -> AsyncIterator[Finding]:
    from kedge.cli.doctor import cluster, identity, rights, server, webhooks, work
    from kedge.cli.hints import hint, told
    from kedge.client import ClientError
    from kedge.kube.errors import ApiError

    async for one in identity.certificate(client.access.credentials, now()):
        yield one
    try:
        patient = await _patient(client)
    except (ClientError, ApiError) as exc:
        yield fail("cluster", told(exc), hint(exc) or "kubectl cluster-info")
        return
    yield ok("cluster", "it answers, and knows you")
    for check in (
        cluster.version,
        cluster.clock,
        cluster.kinds,
        rights.own,
        rights.account,
        server.running,
        webhooks.webhooks,
        work.locations,
        work.schedules,
        work.zones,
        work.leftovers,
        work.cronjobs,
    ):
        try:
            async for one in check(patient):
                yield one
        except (ClientError, ApiError) as exc:
            yield fail(check.__name__, told(exc), hint(exc) or "kubectl cluster-info")


async def _patient(client: Client) -> Patient:
    """Ask for what all checks look at; raises ClientError and ApiError."""
    from kedge.cli.doctor.patient import Patient
    from kedge.cli.status.gathering import gather
    from kedge.cli.status.server import ask_in_doubt
    from kedge.cli.status.view import View
    from kedge.client import DeadlineExceeded, Request
    from kedge.client.responses import check

    try:
        async with asyncio.timeout(PATIENCE_SECONDS):
            version = check(await client.send(Request("GET", "/version", repeatable=True)))
    except TimeoutError:
        text = f"{client.access.server} did not answer within {PATIENCE_SECONDS:g} s"
        raise DeadlineExceeded(text) from None
    own = given_namespace() or client.access.namespace
    found = await gather(client, namespace(), own)
    view = View(found, now(), program(), usual_namespace())
    if found.is_installed:
        await ask_in_doubt(client, view)
    return Patient(client, view, version)
