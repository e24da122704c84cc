"""Checks of the server: does it run, does it answer, does its version fit."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from kedge import __version__
from kedge.cli.doctor.finding import Finding, fail, ok, warn
from kedge.cli.status.server import AWAY, absence, server_of

if TYPE_CHECKING:
    from kedge.cli.doctor.patient import Patient

SERVER = "server"


async def running(patient: Patient) -> AsyncIterator[Finding]:
    """See whether it is deployed, who leads, and whether it answers."""
    view = patient.view
    if not view.found.is_installed:
        return  # that its kinds are missing says it all
    found = server_of(view)
    if found.state == AWAY:
        problem = absence(view, found)
        yield fail(SERVER, problem.text, problem.fix)
        return
    for one in _pods(patient):
        yield one
    async for one in _answer(patient, found.detail):
        yield one


def _pods(patient: Patient) -> list[Finding]:
    from kedge.cli.install.failure import InstallError
    from kedge.cli.install.waiting import unready

    deployment = patient.view.found.deployment
    if deployment is None:
        return []
    look = f"kubectl get pods -n {patient.namespace} -l app.kubernetes.io/name=kedge"
    try:
        missing = unready(deployment, "Deployment/kedge", patient.namespace)
    except InstallError as exc:
        missing = str(exc)
    return [warn(SERVER, f"Deployment/kedge: {missing.split('; see')[0]}", look)] if missing else []


async def _answer(patient: Patient, detail: str) -> AsyncIterator[Finding]:
    from kedge.cli.errors import Failure
    from kedge.cli.version import ALIVE_SECONDS, Silence, ask, mismatch
    from kedge.kube.errors import Forbidden

    try:
        told = await ask(patient.client, ALIVE_SECONDS)
    except Silence as exc:
        text = f"it does not answer a ServerStatusRequest: {exc.message}"
        fix = f"kubectl logs deployment/kedge -n {patient.namespace} --tail 50"
        yield fail(SERVER, text, fix)
        return
    except Forbidden:
        yield warn(SERVER, "you may not ask it whether it runs", "ask as an administrator")
        return
    except Failure as exc:
        fix = f"{patient.program} install --crds-only"
        yield warn(SERVER, f"it can not be asked whether it runs: {exc.message}", fix)
        return
    theirs = str(told.get("serverVersion") or "of an unknown version")
    if mismatch(__version__, told):
        text = f"version {theirs} runs there, and this command is {__version__}"
        yield warn(SERVER, text, "update the older one: `kedge install`, or this command")
        return
    yield ok(SERVER, f"it answers: {theirs}" + (f"; {detail}" if "leads" in detail else ""))
