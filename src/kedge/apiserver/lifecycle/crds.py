"""The life of a CRD: names are accepted, kinds served; at its end its objects go first."""

from kedge.apiserver.crd.names import IN_PROGRESS, establish
from kedge.apiserver.crd.resource import resources_of
from kedge.apiserver.crd.text.pattern import HAS_RE2
from kedge.apiserver.http.query import PLAIN
from kedge.apiserver.lifecycle.collector import finish
from kedge.apiserver.lifecycle.follower import Follower, everything
from kedge.apiserver.lifecycle.owners import head_of
from kedge.apiserver.lifecycle.system import System, place
from kedge.apiserver.objects import decode
from kedge.apiserver.registry import Registry
from kedge.apiserver.resource import Object, Resource
from kedge.apiserver.verbs.delete import DeleteOptions
from kedge.kube.conditions import condition, set_condition
from kedge.kube.errors import Conflict
from kedge.store import Record

PREFIX = "/apiextensions.k8s.io/customresourcedefinitions/"
FINALIZER = "customresourcecleanup.apiextensions.k8s.io"


class Crds(Follower):
    """Follows CRDs, and the objects of those that are being deleted."""

    def __init__(self, registry: Registry, system: System) -> None:
        """Serve kinds through `registry`, write through `system`."""
        super().__init__(system.objects.log, "/", PREFIX)
        self.registry = registry
        self.system = system
        self.crds: dict[str, Object] = {}
        self.ending: dict[str, str] = {}
        """Prefixes of the objects of CRDs that are being deleted, with the CRD's name."""

    async def load(self) -> None:
        """Serve all established CRDs: before the first request is answered."""
        async for record in everything(self.log, PREFIX):
            self._serve(decode(record.value))

    async def see(self, record: Record) -> None:
        """Look at a CRD, or at what was deleted of a kind that is going."""
        if record.key.startswith(PREFIX):
            await self._see_crd(record)
        elif self.ending and record.deleted:
            for prefix, name in list(self.ending.items()):
                if record.key.startswith(prefix):
                    await self._empty(name)

    async def _see_crd(self, record: Record) -> None:
        crd = decode(record.value)
        name = crd["metadata"]["name"]
        if record.deleted:
            self.crds.pop(name, None)
            self._forget(name)
            for other in list(self.crds.values()):
                await self._establish(other)
            return
        self._serve(crd)
        if "deletionTimestamp" in crd["metadata"]:
            await self._empty(name)
        else:
            await self._establish(crd)

    def _serve(self, crd: Object) -> None:
        name = crd["metadata"]["name"]
        self.crds[name] = crd
        self.registry.put_crd(name, resources_of(crd, HAS_RE2))

    def _forget(self, name: str) -> None:
        self.registry.put_crd(name, [])
        self.ending = {prefix: other for prefix, other in self.ending.items() if other != name}

    async def _establish(self, crd: Object) -> None:
        """Accept the names of a CRD, or say which are taken."""
        others = [one for name, one in self.crds.items() if name != crd["metadata"]["name"]]
        status = establish(crd, others, self.system.writing.now())
        if status != crd.get("status"):
            await self._write_status(crd["metadata"]["name"], status)

    async def _write_status(self, name: str, status: Object) -> None:
        resource = self._resource()
        record = self.system.objects.get(resource, "", name)
        if record is None:
            return
        old = self.system.objects.load(resource, record)
        obj = {**old, "metadata": dict(old["metadata"]), "status": status}
        call = self.system.call("update", resource, "", name, "status")
        self.system.writing.track(call, old, obj, PLAIN)
        try:
            written = await self.system.objects.replace(resource, obj, record)
        except Conflict:
            return  # whoever wrote it brings us here again
        self._serve(decode(written.value))

    async def _empty(self, name: str) -> None:
        """Delete the objects of a kind that is going; when none is left, let the CRD go."""
        crd = self.crds[name]
        if FINALIZER not in crd["metadata"].get("finalizers", []):
            return
        prefix = f"/{crd['spec']['group']}/{crd['spec']['names']['plural']}/"
        if prefix not in self.ending:
            self.ending[prefix] = name
            now = self.system.writing.now()
            conditions = set_condition(crd["status"].get("conditions"), IN_PROGRESS, now)
            await self._write_status(name, {**crd["status"], "conditions": conditions})
            return  # what was written brings us here again
        kinds = [one for one in resources_of(crd, HAS_RE2) if one.prefix == prefix]
        left = False
        async for record in everything(self.log, prefix):
            head = head_of(record)
            if not head.deletion_timestamp and kinds:
                namespace, one = place(kinds[0], record.key)
                await self.system.delete(kinds[0], namespace, one, DeleteOptions(uid=head.uid))
            left = left or self.log.get(record.key) is not None
        if not left:
            await self._let_go(name)

    async def _let_go(self, name: str) -> None:
        resource = self._resource()
        record = self.system.objects.get(resource, "", name)
        if record is None:
            return
        obj = self.system.objects.load(resource, record)
        done = condition(
            "Terminating", "False", "InstanceDeletionCompleted", "removed all instances"
        )
        now = self.system.writing.now()
        obj["status"]["conditions"] = set_condition(obj["status"].get("conditions"), done, now)
        finalizers = [one for one in obj["metadata"].get("finalizers", []) if one != FINALIZER]
        try:
            await finish(self.system, resource, record, obj, finalizers)
        except Conflict:
            return

    def _resource(self) -> Resource:
        resource = self.registry.find("apiextensions.k8s.io", "v1", "customresourcedefinitions")
        assert resource is not None
        return resource
