"""A restore that only tells what it would do."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from kedge.aio.clock import Clock
from kedge.archive.contents import Contents
from kedge.archive.item import Place
from kedge.client.client import Client
from kedge.engine.discovery import Resource, Served, discover
from kedge.engine.journal import Journal
from kedge.engine.restore.definitions import kinds_of
from kedge.engine.restore.diff import diff
from kedge.engine.restore.existing import judge
from kedge.engine.restore.fields import rows, table, text
from kedge.engine.restore.hand import Deed
from kedge.engine.restore.ledger import Ledger, Result
from kedge.engine.restore.plan import Plan
from kedge.engine.restore.progress import Progress
from kedge.engine.restore.request import RestoreRun
from kedge.engine.restore.select import NAMESPACES
from kedge.engine.restore.walk import bring_back
from kedge.engine.restore.write import NAMESPACE, is_terminating
from kedge.kube.errors import NotFound
from kedge.kube.kind import Object, plain
from kedge.kube.patch.merge import merge

__all__ = ["Action", "Change", "RestoreRun", "preview"]


class Action(StrEnum):
    """What would become of an object."""

    CREATED = "created"
    UPDATED = "updated"
    SKIPPED = "skipped"
    UNCHANGED = "unchanged"
    FAILED = "failed"


RESULTS: Final = {
    Action.CREATED: Result.CREATED,
    Action.UPDATED: Result.UPDATED,
    Action.SKIPPED: Result.SKIPPED,
    Action.UNCHANGED: Result.SKIPPED,
    Action.FAILED: Result.FAILED,
}
Warn = Callable[[str], None]
LABELS_ONLY: Final = "only the labels of the restore change"


@dataclass(frozen=True, slots=True)
class Change:
    """What a restore would do to one object."""

    place: Place
    """Where it would be: in the namespace into which it is mapped."""
    action: Action
    reason: str = ""
    diff: str = ""
    """A unified diff of YAML: what is there, and what would be; values of Secrets are not told."""


async def preview(
    client: Client, run: RestoreRun, contents: Contents, clock: Clock, warn: Warn | None = None
) -> list[Change]:
    """Tell what a restore would do to each object, in its order, and write nothing.

    `warn` hears what the restore would warn of.
    """
    viewer = Viewer(client, run)
    journal = Journal(clock, plain=True)
    try:
        await bring_back(client, run, contents, viewer, Ledger(), journal, Progress())
        results = journal.results()
    finally:
        journal.close()
    if warn is not None:
        for warning in _texts(results["warnings"]):
            warn(warning)
    found = viewer.changes()
    told = {each.reason for each in found}
    general = [
        Change(Place("", "", ""), Action.FAILED, each)
        for each in results["errors"].get("velero", ())
        if each not in told
    ]
    return general + found


def _texts(results: Object) -> list[str]:
    namespaces = results.get("namespaces", {}).values()
    parts = (results.get("velero", ()), results.get("cluster", ()), *namespaces)
    return [text for part in parts for text in part]


class Viewer:
    """A hand that looks, and writes nothing."""

    def __init__(self, client: Client, run: RestoreRun) -> None:
        """Look at a cluster."""
        self._client = client
        self._run = run
        self._changes: list[Change] = []
        self._order: dict[str, int] = {}

    def changes(self) -> list[Change]:
        """Give what would happen: kinds in their order, the objects of each by name."""
        return sorted(self._changes, key=lambda one: (self._order[one.place.resource], one.place))

    async def put(self, plan: Plan) -> Deed:
        """Look what is there, and tell what would become of it."""
        action, reason, shown = await self._look(plan)
        told = "; ".join(each for each in (*plan.problems, reason) if each)
        self._add(plan.target, action, told, shown)
        return Deed(RESULTS[action])

    async def _look(self, plan: Plan) -> tuple[Action, str, str]:
        try:
            live = await self._client.get(plan.kind, plan.name, plan.namespace or None)
        except NotFound:
            return Action.CREATED, "", ""
        before = plan.compared(live)
        policy = self._run.spec.existing_resource_policy
        verdict = judge(before, plan.obj, plan.place.resource, policy)
        if verdict.warning:
            return Action.SKIPPED, verdict.warning, diff(before, plan.obj)
        if verdict.patch is None:
            return Action.UNCHANGED, "", ""
        reason = "" if verdict.is_update else LABELS_ONLY
        return Action.UPDATED, reason, diff(before, merge(before, verdict.patch))

    async def ensure(self, namespace: Object) -> bool:
        """Look whether a namespace is there."""
        name = text(namespace, "metadata", "name")
        place = Place(NAMESPACES, "", name)
        try:
            live = await self._client.get(NAMESPACE, name)
        except NotFound:
            self._add(place, Action.CREATED)
            return True
        if is_terminating(live):
            self._add(place, Action.CREATED, "the one that is there is going away")
        return False

    async def settle(self, definitions: list[Object]) -> Served:
        """Count as served what would be."""
        served = await discover(self._client)
        coming = [each for one in definitions for each in _resources(one)]
        known = {(str(each), each.kind.version) for each in served.resources}
        new = [each for each in coming if (str(each), each.kind.version) not in known]
        return Served((*served.resources, *new), served.failures)

    def tell(self, place: Place, result: Result, why: str) -> None:
        """Hear of an object that is not put."""
        action = Action.FAILED if result is Result.FAILED else Action.SKIPPED
        if place.resource == NAMESPACES and action is Action.SKIPPED:
            action, why = Action.UNCHANGED, ""
        self._add(place, action, why)

    def _add(self, place: Place, action: Action, reason: str = "", shown: str = "") -> None:
        self._order.setdefault(place.resource, len(self._order))
        self._changes.append(Change(place, action, reason, shown))


def _resources(definition: Object) -> list[Resource]:
    """Give what a definition would make the cluster serve."""
    names = table(definition, "spec", "names")
    namespaced = text(definition, "spec", "scope") != "Cluster"
    group = text(definition, "spec", "group")
    versions = [version for _, version in kinds_of(definition)]
    stored = {
        text(each, "name") for each in rows(definition, "spec", "versions") if each.get("storage")
    }
    preferred = next((each for each in versions if each in stored), versions[0] if versions else "")
    return [
        Resource(
            plain(
                f"{group}/{version}",
                text(names, "kind"),
                text(names, "plural"),
                namespaced=namespaced,
            ),
            version == preferred,
        )
        for version in versions
    ]
