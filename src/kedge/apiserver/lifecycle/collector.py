"""Garbage collection: dependents go with their owners, after or before them, or stay."""

from kedge.apiserver.http.query import PLAIN
from kedge.apiserver.lifecycle.follower import Follower
from kedge.apiserver.lifecycle.owners import Head, Owners, Reference, head_of
from kedge.apiserver.lifecycle.system import System, place
from kedge.apiserver.registry import Registry
from kedge.apiserver.resource import Object, Resource
from kedge.apiserver.verbs.delete import FOREGROUND, ORPHAN, DeleteOptions
from kedge.kube.errors import Conflict, NotFound
from kedge.store import Record

TRIES = 5


class Collector(Follower):
    """Follows all objects and deletes those whose owners are gone."""

    def __init__(self, registry: Registry, system: System) -> None:
        """Find kinds in `registry`, write through `system`."""
        super().__init__(system.objects.log, "/")
        self.registry = registry
        self.system = system
        self.owners = Owners()
        self._waiting: set[str] = set()
        self._listed = False

    def begin(self) -> None:
        """Forget what was known."""
        self.owners = Owners()
        self._waiting.clear()
        self._listed = False

    async def see(self, record: Record) -> None:
        """Take in one object; act on it once all are known."""
        head = head_of(record)
        if record.deleted:
            self.owners.remove(record.key)
            await self._gone(head)
            return
        self.owners.put(record.key, head)
        needs_care = bool(head.owners) or (head.deletion_timestamp and _collector_finalizer(head))
        if not needs_care:
            return
        if self._listed:
            await self._care(record.key)
        else:
            self._waiting.add(record.key)

    async def ready(self) -> None:
        """Look at all that waited for the index to be complete."""
        self._listed = True
        for key in sorted(self._waiting):
            await self._care(key)
        self._waiting.clear()

    async def _gone(self, head: Head) -> None:
        """Look at those whom a deletion concerns: dependents, and an owner that waited."""
        for key in self.owners.dependents(head.uid):
            await self._care(key)
        for reference in head.owners:
            owner = self._owner(reference, head.namespace)
            if owner is not None and FOREGROUND in (head_of(owner).finalizers or ()):
                await self._care(owner.key)

    async def _care(self, key: str) -> None:
        resource = self._resource(key)
        if resource is None:
            return
        for _ in range(TRIES):
            record = self.log.get(key)
            if record is None:
                return
            try:
                await self._settle(resource, record, head_of(record))
            except Conflict:
                continue
            except NotFound:
                return
            return

    async def _settle(self, resource: Resource, record: Record, head: Head) -> None:
        finalizer = _collector_finalizer(head) if head.deletion_timestamp else ""
        if finalizer == ORPHAN:
            await self._orphan(resource, record, head)
        elif finalizer == FOREGROUND:
            await self._wait_for_dependents(resource, record, head)
        elif head.owners and not head.deletion_timestamp:
            await self._judge(resource, record, head)

    async def _judge(self, resource: Resource, record: Record, head: Head) -> None:
        """Delete a dependent without living owners; cut the references to those that are gone."""
        living, waiting, dead = self._sorted_owners(head)
        if living:
            if dead or waiting:
                await self._cut(resource, record, {one.uid for one in (*dead, *waiting)})
            return
        policy = "Background"
        if waiting and self.owners.dependents(head.uid):
            policy = "Foreground"
        elif finalizer := _collector_finalizer(head):
            policy = "Orphan" if finalizer == ORPHAN else "Foreground"
        namespace, name = place(resource, record.key)
        options = DeleteOptions(uid=head.uid, policy=policy)
        await self.system.delete(resource, namespace, name, options)

    def _sorted_owners(
        self, head: Head
    ) -> tuple[list[Reference], list[Reference], list[Reference]]:
        living, waiting, dead = [], [], []
        for reference in head.owners:
            owner = self._owner(reference, head.namespace)
            if owner is None:
                dead.append(reference)
                continue
            found = head_of(owner)
            if found.deletion_timestamp and FOREGROUND in (found.finalizers or ()):
                waiting.append(reference)
            else:
                living.append(reference)
        return living, waiting, dead

    async def _orphan(self, resource: Resource, record: Record, head: Head) -> None:
        """Cut all dependents loose, then let the owner go."""
        for key in self.owners.dependents(head.uid):
            kind, dependent = self._resource(key), self.log.get(key)
            if kind is not None and dependent is not None:
                await self._cut(kind, dependent, {head.uid})
        await self._drop_finalizer(resource, record, ORPHAN)

    async def _wait_for_dependents(self, resource: Resource, record: Record, head: Head) -> None:
        """Delete the dependents; the owner goes when none of them holds it back."""
        blocking = False
        for key in self.owners.dependents(head.uid):
            dependent = self.log.get(key)
            if dependent is None:
                continue
            references = head_of(dependent).owners
            if any(one.uid == head.uid and one.block_owner_deletion for one in references):
                blocking = True
                await self._care(key)
        if not blocking or not self._is_blocked(head):
            await self._drop_finalizer(resource, record, FOREGROUND)

    def _is_blocked(self, head: Head) -> bool:
        for key in self.owners.dependents(head.uid):
            dependent = self.log.get(key)
            if dependent is None:
                continue
            references = head_of(dependent).owners
            if any(one.uid == head.uid and one.block_owner_deletion for one in references):
                return True
        return False

    async def _cut(self, resource: Resource, record: Record, uids: set[str]) -> None:
        """Take owner references out of an object."""
        old = self.system.objects.load(resource, record)
        obj = self.system.objects.load(resource, record)
        meta = obj["metadata"]
        kept = [one for one in meta.get("ownerReferences", []) if one.get("uid") not in uids]
        if kept:
            meta["ownerReferences"] = kept
        else:
            meta.pop("ownerReferences", None)
        namespace, name = place(resource, record.key)
        self.system.writing.track(
            self.system.call("patch", resource, namespace, name), old, obj, PLAIN
        )
        await self.system.objects.replace(resource, obj, record)

    async def _drop_finalizer(self, resource: Resource, record: Record, finalizer: str) -> None:
        current = self.log.get(record.key)
        if current is None:
            return
        obj = self.system.objects.load(resource, current)
        left = [one for one in obj["metadata"].get("finalizers", []) if one != finalizer]
        await finish(self.system, resource, current, obj, left)

    def _owner(self, reference: Reference, namespace: str) -> Record | None:
        """Give the living owner of that kind, name and uid, in reach of the dependent."""
        resource = self.registry.of_kind(reference.api_version, reference.kind)
        if resource is None:
            return None
        record = self.log.get(resource.key(namespace, reference.name))
        if record is None or head_of(record).uid != reference.uid:
            return None
        return record

    def _resource(self, key: str) -> Resource | None:
        return self.registry.of_key(key)


def _collector_finalizer(head: Head) -> str:
    for finalizer in head.finalizers or ():
        if finalizer in {ORPHAN, FOREGROUND}:
            return finalizer
    return ""


async def finish(
    system: System, resource: Resource, record: Record, obj: Object, left: list[str]
) -> None:
    """Write an object with these finalizers; without any, a deleted one is gone."""
    meta = obj["metadata"]
    if left:
        meta["finalizers"] = left
    else:
        meta.pop("finalizers", None)
        if "deletionTimestamp" in meta and not meta.get("deletionGracePeriodSeconds"):
            await system.objects.remove(resource, obj, record)
            return
    namespace, name = place(resource, record.key)
    old = system.objects.load(resource, record)
    system.writing.track(system.call("patch", resource, namespace, name), old, obj, PLAIN)
    await system.objects.replace(resource, obj, record)
