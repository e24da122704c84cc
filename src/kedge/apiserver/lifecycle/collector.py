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
IGNORED = "/core/events/"
"""Keys of what nobody collects: it expires by itself."""
REMEMBERED = 500
"""Owners that are known to be gone, whether or not their kind is still there."""


class Collector(Follower):
    """Follows all objects and deletes those whose owners are gone."""

    def __init__(self, registry: Registry, system: System) -> None:
        """Find kinds in `registry`, write through `system`."""
        super().__init__(system.objects.log, "/")
        self.registry = registry
        self.system = system
        self.begin()

    def begin(self) -> None:
        """Forget what was known."""
        self.owners = Owners()
        self._unseen: set[str] = set()
        """Keys of what may need care once all objects are known."""
        self._waiting: dict[str, str] = {}
        """Keys of the owners that wait for their dependents, by their uid."""
        self._absent: dict[str, None] = {}
        """Uids of owners that are gone, the last one last."""
        self._undecided: set[str] = set()
        """Keys of dependents whose owner is of a kind that is not known, and may be one day."""
        self._kinds = self.registry.revision
        self._listed = False

    async def see(self, record: Record) -> None:
        """Take in one object; act on it once all are known."""
        if record.key.startswith(IGNORED):
            return
        head = head_of(record)
        if self._kinds != self.registry.revision:
            await self._decide()
        before = self.owners.of(record.key)
        if record.deleted:
            self.owners.remove(record.key)
            self._waiting.pop(head.uid, None)
            await self._gone(head)
        else:
            self.owners.put(record.key, head)
            await self._seen(record.key, head)
        # A dependent that is gone, or lets its owner go, may be the last one waited for.
        for uid in before:
            if uid in self._waiting:
                await self._care(self._waiting[uid])

    async def _decide(self) -> None:
        """Look again at those whose owners were of unknown kinds."""
        self._kinds = self.registry.revision
        undecided, self._undecided = self._undecided, set()
        for key in sorted(undecided):
            await self._care(key)

    async def _seen(self, key: str, head: Head) -> None:
        if _is_waiting(head):
            self._waiting[head.uid] = key
        else:
            self._waiting.pop(head.uid, None)
        if not (head.owners or (head.deletion_timestamp and _collector_finalizer(head))):
            return
        if self._listed:
            await self._care(key)
        else:
            self._unseen.add(key)

    async def ready(self) -> None:
        """Look at all that waited for the index to be complete."""
        self._listed = True
        for key in sorted(self._unseen):
            await self._care(key)
        self._unseen.clear()

    async def _gone(self, head: Head) -> None:
        """Look at the dependents of what is gone."""
        dependents = self.owners.dependents(head.uid)
        if dependents:
            self._absent[head.uid] = None
            if len(self._absent) > REMEMBERED:
                del self._absent[next(iter(self._absent))]
        for key in dependents:
            await self._care(key)

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
        try:
            living, waiting, dead = self._sorted_owners(head)
        except _Unknown:
            self._undecided.add(record.key)
            return
        if living:
            if dead or waiting:
                await self._cut(resource, record, {one.uid for one in (*dead, *waiting)})
            return
        policy = "Background"
        dependents = self.owners.dependents(head.uid) if waiting else []
        if dependents:
            policy = "Foreground"
            if any(self._is_waiting(key) for key in dependents):
                await self._unblock(resource, record)
        elif finalizer := _collector_finalizer(head):
            policy = "Orphan" if finalizer == ORPHAN else "Foreground"
        namespace, name = place(resource, record.key)
        options = DeleteOptions(uid=head.uid, policy=policy)
        await self.system.delete(resource, namespace, name, options)

    def _is_waiting(self, key: str) -> bool:
        record = self.log.get(key)
        return record is not None and _is_waiting(head_of(record))

    def _sorted_owners(
        self, head: Head
    ) -> tuple[list[Reference], list[Reference], list[Reference]]:
        """Tell owners apart: those that stay, wait for their dependents, are gone."""
        living, waiting, dead = [], [], []
        for reference in head.owners:
            owner = self._owner(reference, head.namespace)
            if owner is None:
                dead.append(reference)
            elif _is_waiting(head_of(owner)):
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
        for key in self.owners.dependents(head.uid):
            if not self._is_waiting(key):
                await self._care(key)
        if not self._is_blocked(head):
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
        obj = self.system.objects.load(resource, record)
        meta = obj["metadata"]
        kept = [one for one in meta.get("ownerReferences", []) if one.get("uid") not in uids]
        if kept:
            meta["ownerReferences"] = kept
        else:
            meta.pop("ownerReferences", None)
        await self._replace(resource, record, obj)

    async def _unblock(self, resource: Resource, record: Record) -> None:
        """Let the owners go before this one: otherwise a circle would wait for itself."""
        obj = self.system.objects.load(resource, record)
        for reference in obj["metadata"].get("ownerReferences", []):
            if reference.get("blockOwnerDeletion"):
                reference["blockOwnerDeletion"] = False
        await self._replace(resource, record, obj)

    async def _replace(self, resource: Resource, record: Record, obj: Object) -> None:
        old = self.system.objects.load(resource, record)
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
        """Give the owner of that kind, name and uid; raises _Unknown if no one can tell."""
        if reference.uid in self._absent:
            return None
        resource = self.registry.of_kind(reference.api_version, reference.kind)
        if resource is None or (resource.namespaced and not namespace):
            raise _Unknown
        record = self.log.get(resource.key(namespace, reference.name))
        if record is None or head_of(record).uid != reference.uid:
            return None
        return record

    def _resource(self, key: str) -> Resource | None:
        return self.registry.of_key(key)


class _Unknown(Exception):
    """There is no such kind, or a dependent without a namespace names an owner that has one."""


def _is_waiting(head: Head) -> bool:
    return bool(head.deletion_timestamp) and FOREGROUND in (head.finalizers or ())


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
