"""Keeps the authorizer in step with roles and bindings, and aggregated roles with their parts."""

from kedge.apiserver.auth.aggregation import changed_roles
from kedge.apiserver.auth.rbac import CLUSTER_ROLE, GROUP, Authorizer
from kedge.apiserver.lifecycle.follower import Follower, everything
from kedge.apiserver.lifecycle.system import System, place
from kedge.apiserver.objects import decode
from kedge.apiserver.registry import Registry
from kedge.apiserver.resource import Object
from kedge.kube.apply import Manager, apply
from kedge.kube.errors import Conflict
from kedge.store import Record

PREFIX = f"/{GROUP}/"
OWNER = Manager("clusterrole-aggregation-controller", f"{GROUP}/v1")
"""The one who owns the rules of aggregated roles."""


class Rights(Follower):
    """Follows the kinds of RBAC."""

    def __init__(self, registry: Registry, authorizer: Authorizer, system: System) -> None:
        """Feed `authorizer`, write aggregated roles through `system`."""
        super().__init__(system.objects.log, PREFIX)
        self.registry = registry
        self.authorizer = authorizer
        self.system = system
        self.roles: dict[str, Object] = {}
        self._ready = False

    async def load(self) -> None:
        """Take in all that is there: before the first request is answered."""
        async for record in everything(self.log, PREFIX):
            await self.see(record)

    def begin(self) -> None:
        """Forget the parts of aggregated roles; the authorizer keeps answering meanwhile."""
        self.roles.clear()
        self._ready = False

    async def see(self, record: Record) -> None:
        """Take in a role or binding."""
        resource = self.registry.of_key(record.key)
        if resource is None:
            return
        namespace, name = place(resource, record.key)
        if record.deleted:
            self.authorizer.remove(resource.kind, namespace, name)
            if resource.kind == CLUSTER_ROLE:
                self.roles.pop(name, None)
        else:
            obj = decode(record.value)
            self.authorizer.set(resource.kind, obj)
            if resource.kind == CLUSTER_ROLE:
                self.roles[name] = obj
        if self._ready and resource.kind == CLUSTER_ROLE:
            await self._aggregate()

    async def ready(self) -> None:
        """Aggregate what is there."""
        self._ready = True
        await self._aggregate()

    async def _aggregate(self) -> None:
        resource = self.registry.find(GROUP, "v1", "clusterroles")
        assert resource is not None
        for name, rules in changed_roles(self.roles.values()).items():
            record = self.system.objects.get(resource, "", name)
            if record is None:
                continue
            applied = {
                "apiVersion": resource.api_version,
                "kind": resource.kind,
                "metadata": {"name": name},
                "rules": rules,
            }
            live = self.system.objects.load(resource, record)
            now = self.system.writing.now()
            result = apply(live, applied, resource.schema, OWNER, True, now)
            result.obj["metadata"]["managedFields"] = result.managed
            try:
                await self.system.objects.replace(resource, result.obj, record)
            except Conflict:
                continue  # the change that came between brings us here again
