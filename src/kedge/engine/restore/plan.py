"""What one object of a backup becomes: the step before anything is asked or written."""

from dataclasses import dataclass, field
from typing import Any, Final

from kedge.api.velero.labels import RESTORE_STATUS
from kedge.archive.contents import Contents
from kedge.archive.item import Place
from kedge.engine.includes import ALL, Includes
from kedge.engine.restore.actions.act import CLAIMS, VOLUMES, act, forget
from kedge.engine.restore.actions.situation import Situation
from kedge.engine.restore.actions.skip import is_provisioned, skip_reason
from kedge.engine.restore.facts import Facts
from kedge.engine.restore.fields import annotations, table, text
from kedge.engine.restore.identity import decode
from kedge.engine.restore.modifiers import Modifiers, ModifiersError
from kedge.engine.restore.modify import apply_rule, rules_for
from kedge.engine.restore.select import Selection
from kedge.engine.restore.strip import add_labels, strip, take_managed
from kedge.engine.restore.targets import Targets
from kedge.kube.kind import Kind, Object

ACCOUNTS: Final = "serviceaccounts"


class Skipped(Exception):
    """An object that does not come back, and should not; says why."""


@dataclass(frozen=True, slots=True)
class Plan:
    """An object as it is to be."""

    place: Place
    """Where the backup has it."""
    key: str
    """Its kind in the list of results: `apps/v1/Deployment`."""
    kind: Kind[Object]
    namespace: str
    """Into which it goes; empty: none."""
    obj: Object
    situation: Situation
    status: Object = field(default_factory=dict)
    """`{"status": …}` where that comes back, too."""
    managed: list[Any] = field(default_factory=list)
    """Who set which field, where that comes back, too."""
    problems: tuple[str, ...] = ()
    """What went wrong with the rules that change objects."""
    unserved: str = ""
    """The version of the API that it was to come back in, where the cluster has others only."""

    @property
    def name(self) -> str:
        """The name that it gets."""
        return text(self.obj, "metadata", "name")

    @property
    def target(self) -> Place:
        """Where the cluster will have it."""
        return Place(self.place.resource, self.namespace, self.name)

    def compared(self, live: Object) -> Object:
        """Strip what is there of all that does not count when it is compared with this."""
        live = {**live, "metadata": dict(live.get("metadata") or {})}
        live.setdefault("apiVersion", self.kind.api_version)
        live.setdefault("kind", self.kind.name)
        strip(live)
        forget(self.place.resource, live, self.situation)
        live["metadata"].pop("managedFields", None)
        if self.place.resource == CLAIMS and not text(self.obj, "spec", "volumeName"):
            table(live, "spec").pop("volumeName", None)
        return live


@dataclass(frozen=True, slots=True)
class Planner:
    """Makes plans for the objects of one restore."""

    contents: Contents
    selection: Selection
    targets: Targets
    facts: Facts
    labels: dict[str, str]
    modifiers: Modifiers | None = None
    statuses: Includes | None = None

    async def plan(self, place: Place, obj: Object) -> Plan:
        """Work out what becomes of an object, which is changed; raises ItemError and Skipped."""
        self.targets.check_kind(place.resource, obj)
        key = f"{obj['apiVersion']}/{obj['kind']}"
        namespace = self.selection.target(place.namespace)
        situation = await self._situation(place, obj, namespace)
        why = skip_reason(place.resource, obj, situation)
        if why:
            raise Skipped(why)
        status = strip(obj)
        act(place.resource, obj, situation)
        if place.resource == CLAIMS:
            self._reset_claim(obj)
        managed = take_managed(obj)
        obj, problems = await self._modified(place, obj)
        if namespace:
            obj["metadata"]["namespace"] = namespace
        add_labels(obj, self.labels)
        if not self._restores_status(place.resource, obj):
            status = {}
        kind = self.targets.kind_of(place.resource, obj, namespaced=bool(namespace))
        unserved = obj["apiVersion"] if obj["apiVersion"] != kind.api_version else ""
        obj["apiVersion"], obj["kind"] = kind.api_version, kind.name
        return Plan(
            place, key, kind, namespace, obj, situation, status, managed, problems, unserved
        )

    async def _situation(self, place: Place, obj: Object, namespace: str) -> Situation:
        coming: frozenset[str] = frozenset()
        if place.resource == "secrets" and self.selection.resource(ACCOUNTS):
            coming = frozenset(_account_names(self.contents, obj, place))
        return await self.facts.situation(place.resource, obj, namespace, coming)

    def _reset_claim(self, claim: Object) -> None:
        """Let a claim whose volume does not come back find another one."""
        name = text(claim, "spec", "volumeName")
        if not name:
            return
        place = Place(VOLUMES, "", name)
        data = self.contents.get(place) if self.selection.additional(place) else None
        if data is not None and is_provisioned(decode(data)):
            claim["spec"].pop("volumeName")

    async def _modified(self, place: Place, obj: Object) -> tuple[Object, tuple[str, ...]]:
        """Apply the rules that are for an object; one that fails leaves it as it was."""
        if self.modifiers is None:
            return obj, ()
        problems = []
        found = self.targets.served.get(place.resource)
        for rule in list(rules_for(self.modifiers, place.resource, obj)):
            try:
                if isinstance(rule, ModifiersError):
                    raise rule
                schema = None
                if rule.strategic_patches and found is not None:
                    schema = await self.facts.schemas.of(found.kind)
                obj = _checked(apply_rule(rule, obj, schema))
            except ModifiersError as exc:
                problems.append(str(exc))
        return obj, tuple(problems)

    def _restores_status(self, resource: str, obj: Object) -> bool:
        if self.statuses is not None and ALL in self.statuses.excluded:
            return False  # also of what says of itself that it does: an archive may be forged
        wanted = self.statuses is not None and self.statuses.has(resource)
        told = annotations(obj).get(RESTORE_STATUS)
        if isinstance(told, str):
            return {"true": True, "false": False}.get(told.strip().lower(), wanted)
        return wanted


def _account_names(contents: Contents, secret: Object, place: Place) -> list[str]:
    """Give the service account that a Secret says it is for, if the backup has it."""
    name = annotations(secret).get("kubernetes.io/service-account.name")
    if not isinstance(name, str) or not name:
        return []
    found = contents.get(Place(ACCOUNTS, place.namespace, name))
    return [name] if found is not None else []


def _checked(obj: Object) -> Object:
    """Insist that what a rule has left is still an object that can be restored."""
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict) or not text(metadata, "name"):
        raise ModifiersError("error in applying patch: what is left has no metadata.name")
    for head in ("apiVersion", "kind"):
        if not text(obj, head):
            raise ModifiersError(f"error in applying patch: what is left has no {head}")
    for part in ("labels", "annotations"):
        if not isinstance(metadata.get(part, {}), dict):
            raise ModifiersError(f"error in applying patch: metadata.{part} is no table")
    return obj
