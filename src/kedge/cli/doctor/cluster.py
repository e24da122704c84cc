"""Checks of the cluster itself: its version, its clock, and our kinds."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kedge.cli.doctor.finding import Finding, fail, ok, warn
from kedge.cli.durations import span
from kedge.cli.install.kinds import OLDEST

if TYPE_CHECKING:
    from kedge.cli.doctor.patient import Patient
    from kedge.kube.kind import Object

SKEW: Final = timedelta(seconds=30)
"""Clocks may differ by so much: a schedule runs by the minute, and a login lasts longer."""
KINDS: Final = "kinds"


async def version(patient: Patient) -> AsyncIterator[Finding]:
    """See whether the cluster is new enough."""
    try:
        told = msgspec.json.decode(patient.version.body)
        found = f"{told['major']}.{told['minor']}"
        number = int(told["major"]), int("".join(filter(str.isdigit, str(told["minor"]))))
    except (msgspec.DecodeError, KeyError, TypeError, ValueError):
        yield warn("version", "the server does not tell its version", "kubectl version")
        return
    if number < OLDEST:
        oldest = ".".join(map(str, OLDEST))
        text = f"Kubernetes {found} is older than {oldest}, which our kinds need"
        yield fail("version", text, f"upgrade the cluster to {oldest} or newer")
        return
    yield ok("version", f"Kubernetes {found}")


async def clock(patient: Patient) -> AsyncIterator[Finding]:
    """Compare our clock with that of the server."""
    try:
        theirs = parsedate_to_datetime(patient.version.headers["date"]).astimezone(UTC)
    except (KeyError, ValueError):
        yield warn("clock", "the server does not tell the time", "compare the clocks by hand")
        return
    apart = abs(_second(patient.present) - theirs)
    if apart > SKEW:
        text = f"this machine's clock and the cluster's are {span(apart)} apart"
        yield warn("clock", text, "set the clock that is wrong; times are told by this machine's")
        return
    yield ok("clock", f"as the cluster's, within {span(SKEW)}")


def _second(instant: datetime) -> datetime:
    return instant.replace(microsecond=0)


async def kinds(patient: Patient) -> AsyncIterator[Finding]:
    """Compare the CRDs with those of this version."""
    from kedge.api.crd import crds
    from kedge.cli.install.kinds import CRD
    from kedge.kube.errors import Forbidden, NotFound

    wanted = {crd["metadata"]["name"]: crd for crd in crds()}

    async def compared(name: str) -> str:
        try:
            return _difference(await patient.client.get(CRD, name), wanted[name])
        except NotFound:
            return "missing"

    try:
        found = dict(zip(wanted, await asyncio.gather(*map(compared, wanted)), strict=True))
    except Forbidden:
        async for one in _by_sight(patient):
            yield one
        return
    for one in _verdict(found, patient.program):
        yield one


def _verdict(found: dict[str, str], program: str) -> list[Finding]:
    def named(what: str) -> list[str]:
        return [name for name, difference in found.items() if difference == what]

    told = []
    if missing := named("missing"):
        text = f"{_some(missing)} missing on the cluster"
        told.append(fail(KINDS, text, f"{program} install --crds-only"))
    if stock := named("stock"):
        text = f"{_some(stock)} of a stock Velero: Kedge works with it, with less in status"
        told.append(warn(KINDS, text, f"{program} install --crds-only --replace-crds"))
    if other := named("other"):
        text = f"{_some(other)} of another version than this command"
        told.append(warn(KINDS, text, f"{program} install --crds-only"))
    if unserved := named("unserved"):
        text = f"{_some(unserved)} not served"
        fix = f"kubectl describe crd {unserved[0]}"
        told.append(fail(KINDS, text, fix))
    return told or [ok(KINDS, f"{len(found)} CRDs, all of this version")]


def _some(names: list[str]) -> str:
    """Name one, and count the others."""
    if len(names) == 1:
        return f"{names[0]} is"
    return f"{names[0]} and {len(names) - 1} more are"


def _difference(there: Object, wanted: Object) -> str:
    from kedge.kube.conditions import is_condition

    before = {one["name"]: one for one in there["spec"].get("versions") or ()}
    for one in wanted["spec"]["versions"]:
        mine: dict[str, Any] = one
        theirs = before.get(mine["name"], {})
        if "status" in mine.get("subresources", {}) and "status" not in (
            theirs.get("subresources") or {}
        ):
            return "stock"
        if theirs.get("schema") != mine.get("schema"):
            return "other"
    conditions = (there.get("status") or {}).get("conditions")
    return "" if is_condition(conditions, "Established") else "unserved"


async def _by_sight(patient: Patient) -> AsyncIterator[Finding]:
    """Say which kinds are served, for those who may not see the CRDs."""
    from kedge.cli.status.gathering import MISSING

    lists = patient.view.found.lists.values()
    missing = [one.plural for one in lists if one.problem == MISSING]
    if missing:
        text = f"{_some(missing)} not served"
        yield fail(KINDS, text, f"ask an administrator for `{patient.program} install`")
        return
    yield ok(KINDS, "all are served; you may not see of which version")
