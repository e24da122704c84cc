"""Checks of what the caller may do, and what the server's account may do."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import TYPE_CHECKING, Final

from kedge.cli.doctor.finding import Finding, fail, ok, warn
from kedge.cli.objects import part

if TYPE_CHECKING:
    from kedge.cli.doctor.patient import Patient
    from kedge.client.reviews import Question

AT_ONCE: Final = 20
"""Questions that are under way at a time."""
EVERYTHING: Final = "*"


async def own(patient: Patient) -> AsyncIterator[Finding]:
    """Ask what the caller may do with Velero's objects and with their own."""
    from kedge.cli.status.kinds import BACKUPS, NABS, RESTORES, SCHEDULES
    from kedge.client.reviews import Question

    place, home = patient.namespace, patient.view.found.own
    wanted = [Question("create", kind, place) for kind in (SCHEDULES, BACKUPS, RESTORES)]
    wanted += [Question("list", kind, place) for kind in (SCHEDULES, BACKUPS, RESTORES)]
    mine = Question("create", NABS, home)
    answers = await asyncio.gather(*(_may(patient, one) for one in (*wanted, mine)))
    denied = [_worded(one) for one, is_so in zip(wanted, answers, strict=False) if not is_so]
    if not denied:
        yield ok("your rights", f"you may see and create what there is in namespace {place}")
    elif answers[-1]:
        yield ok("your rights", f"you may back up your own namespace {home} (`kedge nab`)")
    else:
        text = f"you may not {denied[0]} in namespace {place}"
        text += f", nor {len(denied) - 1} things more" if len(denied) > 1 else ""
        fix = (
            f"ask an administrator for the role edit in your own namespace {home}, or for rights"
            f" on {SCHEDULES.group} in namespace {place}"
        )
        yield warn("your rights", text, fix)


async def _may(patient: Patient, question: Question) -> bool:
    decision = await patient.client.may(question.verb, question.what, question.namespace)
    return decision.allowed


async def account(patient: Patient) -> AsyncIterator[Finding]:
    """Ask what the account of the server may do."""
    from kedge.kube.errors import Forbidden

    deployment = patient.view.found.deployment
    if deployment is None:
        return  # one that runs elsewhere has an account that nobody knows
    name = part(deployment, "spec", "template", "spec", "serviceAccountName") or "default"
    user = f"system:serviceaccount:{patient.namespace}:{name}"
    try:
        denied = await _denied(patient, user)
    except Forbidden:
        text = "you may not ask what the server's account may do"
        yield warn("server's rights", text, "ask again as an administrator (--kubecontext)")
        return
    if denied:
        text = f"service account {name} may not {denied[0]}"
        text += f", nor {len(denied) - 1} things more" if len(denied) > 1 else ""
        yield fail("server's rights", text, f"{patient.program} install -n {patient.namespace}")
        return
    yield ok("server's rights", f"service account {name} may do all that the server does")


async def _denied(patient: Patient, name: str) -> list[str]:
    from kedge.client.reviews import User

    groups = ("system:serviceaccounts", f"system:serviceaccounts:{patient.namespace}")
    user = User(name, (*groups, "system:authenticated"))
    gate = asyncio.Semaphore(AT_ONCE)

    async def allowed(question: Question) -> bool:
        async with gate:
            return (await patient.client.may_they(user, question)).allowed

    questions = list(_questions(patient.namespace))
    answers = await asyncio.gather(*map(allowed, questions))
    return [_worded(one) for one, is_so in zip(questions, answers, strict=True) if not is_so]


def _questions(place: str) -> Iterator[Question]:
    """Give all that the server does as questions; a question may be about anything."""
    from kedge.cli.install.rights import CLUSTER_RULES, RIGHTS

    for one in RIGHTS:
        for verb in one.verbs:
            for name in one.names or ("",):
                yield _question(verb, one.group, one.resource, place, name)
    for rule in CLUSTER_RULES:
        for group in rule["apiGroups"]:
            for resource in rule["resources"]:
                for verb in rule["verbs"]:
                    yield _question(verb, group, resource, None)


def _question(verb: str, group: str, resource: str, place: str | None, name: str = "") -> Question:
    from kedge.client.reviews import Question
    from kedge.kube.kind import Kind

    plural, _, subresource = resource.partition("/")
    kind = Kind(group, "v1", plural, plural, dict)
    return Question(verb, kind, place, name, subresource)


def _worded(question: Question) -> str:
    what = "anything" if str(question.what).startswith(EVERYTHING) else str(question.what)
    return f"{question.verb} {what}{f'/{question.subresource}' if question.subresource else ''}"
