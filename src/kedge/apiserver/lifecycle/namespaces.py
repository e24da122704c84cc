"""The end of a namespace: its content goes first, then the namespace itself."""

from kedge.apiserver.http.query import EVERYTHING, PLAIN
from kedge.apiserver.lifecycle.follower import Follower
from kedge.apiserver.lifecycle.owners import head_of
from kedge.apiserver.lifecycle.system import System, place
from kedge.apiserver.registry import Registry
from kedge.apiserver.resource import Object, Resource
from kedge.apiserver.verbs.delete import DeleteOptions
from kedge.apiserver.verbs.list import List
from kedge.kube.conditions import set_condition
from kedge.kube.errors import Conflict
from kedge.store import Record

PREFIX = "/core/namespaces/"
FINALIZER = "kubernetes"


class Namespaces(Follower):
    """Empties namespaces that are being deleted."""

    def __init__(self, registry: Registry, system: System, listing: List) -> None:
        """Find kinds in `registry`, write through `system`."""
        super().__init__(system.objects.log, "/", PREFIX)
        self.registry = registry
        self.system = system
        self.listing = listing
        self.terminating: set[str] = set()

    def begin(self) -> None:
        """Forget what was known."""
        self.terminating.clear()

    async def see(self, record: Record) -> None:
        """Look at a namespace, or at what was deleted within one."""
        if record.key.startswith(PREFIX):
            name = record.key.removeprefix(PREFIX)
            if record.deleted:
                self.terminating.discard(name)
            elif head_of(record).deletion_timestamp:
                self.terminating.add(name)
                await self.empty(name)
        elif self.terminating and record.deleted:
            name = record.key.split("/", 4)[3]
            if name in self.terminating:
                await self.empty(name)

    async def empty(self, name: str) -> None:
        """Delete what is in a namespace; if nothing is left, let the namespace go."""
        remaining: dict[str, int] = {}
        finalizers: dict[str, int] = {}
        for kind in self.registry.stored():
            if kind.namespaced and "delete" in kind.verbs:
                await self._empty_kind(kind, name, remaining, finalizers)
        resource = self.registry.find("", "v1", "namespaces")
        assert resource is not None
        record = self.system.objects.get(resource, "", name)
        if record is None:
            return
        obj = self.system.objects.load(resource, record)
        try:
            await self._conclude(resource, record, obj, remaining, finalizers)
        except Conflict:
            return  # whoever wrote it wakes us again

    async def _empty_kind(
        self, resource: Resource, name: str, remaining: dict[str, int], finalizers: dict[str, int]
    ) -> None:
        found = await self.listing.find(resource, name, EVERYTHING)
        for record in found.records:
            head = head_of(record)
            if not head.deletion_timestamp:
                namespace, one = place(resource, record.key)
                await self.system.delete(
                    resource, namespace, one, DeleteOptions(uid=head.uid, policy="Background")
                )
            left = self.log.get(record.key)
            if left is not None:
                what = f"{resource.plural}.{resource.group}"
                remaining[what] = remaining.get(what, 0) + 1
                for finalizer in head_of(left).finalizers or ():
                    finalizers[finalizer] = finalizers.get(finalizer, 0) + 1

    async def _conclude(
        self,
        resource: Resource,
        record: Record,
        obj: Object,
        remaining: dict[str, int],
        finalizers: dict[str, int],
    ) -> None:
        status = obj.setdefault("status", {})
        before = list(status.get("conditions", []))
        conditions = before
        for condition in wanted_conditions(remaining, finalizers):
            conditions = set_condition(conditions, condition, self.system.writing.now())
        if conditions != before:
            status["conditions"] = conditions
            record = await self._write(resource, obj, record, "status")
        if remaining:
            return
        spec = obj.setdefault("spec", {})
        left = [one for one in spec.get("finalizers", []) if one != FINALIZER]
        if left:
            if left != spec.get("finalizers"):
                spec["finalizers"] = left
                await self._write(resource, obj, record, "finalize")
            return
        spec.pop("finalizers", None)
        if obj["metadata"].get("finalizers"):
            await self._write(resource, obj, record, "finalize")
        else:
            await self.system.objects.remove(resource, obj, record)

    async def _write(
        self, resource: Resource, obj: Object, record: Record, subresource: str
    ) -> Record:
        name = obj["metadata"]["name"]
        call = self.system.call("update", resource, "", name, subresource)
        old = self.system.objects.load(resource, record)
        self.system.writing.track(call, old, obj, PLAIN)
        return await self.system.objects.replace(resource, obj, record)


def wanted_conditions(remaining: dict[str, int], finalizers: dict[str, int]) -> list[Object]:
    """Give what a terminating namespace says of itself."""
    conditions = [
        _condition(
            "NamespaceDeletionDiscoveryFailure",
            "ResourcesDiscovered",
            "All resources successfully discovered",
        ),
        _condition(
            "NamespaceDeletionGroupVersionParsingFailure",
            "ParsedGroupVersions",
            "All legacy kube types successfully parsed",
        ),
        _condition(
            "NamespaceDeletionContentFailure",
            "ContentDeleted",
            "All content successfully deleted, may be waiting on finalization",
        ),
    ]
    if remaining:
        parts = ", ".join(
            f"{what} has {count} resource instances" for what, count in sorted(remaining.items())
        )
        text = f"Some resources are remaining: {parts}"
        conditions.append(
            _condition("NamespaceContentRemaining", "SomeResourcesRemain", text, "True")
        )
    else:
        conditions.append(
            _condition(
                "NamespaceContentRemaining", "ContentRemoved", "All content successfully removed"
            )
        )
    if finalizers:
        parts = ", ".join(
            f"{what} in {count} resource instances" for what, count in sorted(finalizers.items())
        )
        text = f"Some content in the namespace has finalizers remaining: {parts}"
        conditions.append(
            _condition("NamespaceFinalizersRemaining", "SomeFinalizersRemain", text, "True")
        )
    else:
        text = "All content-preserving finalizers finished"
        conditions.append(
            _condition("NamespaceFinalizersRemaining", "ContentHasNoFinalizers", text)
        )
    return conditions


def _condition(kind: str, reason: str, message: str, status: str = "False") -> Object:
    return {"type": kind, "status": status, "reason": reason, "message": message}
