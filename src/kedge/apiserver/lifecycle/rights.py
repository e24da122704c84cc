"""Keeps the authorizer in step with roles and bindings, and aggregated roles with their parts."""

from kedge.apiserver.auth.aggregation import changed_roles
from kedge.apiserver.auth.rbac import CLUSTER_ROLE, GROUP, Authorizer
from kedge.apiserver.lifecycle.follower import Follower, everything
from kedge.apiserver.lifecycle.system import System, place
from kedge.apiserver.objects import decode
from kedge.apiserver.registry import Registry
from kedge.apiserver.resource import Object, Resource
from kedge.kube.apply import Manager, apply
from kedge.kube.errors import Conflict
from kedge.store import Record

PREFIX = f"/{GROUP}/"
ROUNDS = 5
"""How many roles deep one is made of another; those in a circle would never end."""
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
            if resource.kind == CLUSTER_ROLE and self._is_news(name, record):
                self.roles[name] = obj
        if self._ready and resource.kind == CLUSTER_ROLE:
            await self._aggregate()

    def _is_news(self, name: str, record: Record) -> bool:
        """Whether a role has not been written here since."""
        known = self.roles.get(name)
        return known is None or int(known["metadata"]["resourceVersion"]) < record.revision

    async def ready(self) -> None:
        """Aggregate what is there."""
        self._ready = True
        await self._aggregate()

    async def _aggregate(self) -> None:
        """Write roles until each has the rules of its parts; parts may be made of others."""
        resource = self.registry.find(GROUP, "v1", "clusterroles")
        assert resource is not None
        for _ in range(ROUNDS):
            changed = changed_roles(self.roles.values())
            for name, rules in changed.items():
                if not await self._write(resource, name, rules):
                    return  # the change that came between brings us here again
            if not changed:
                return

    async def _write(self, resource: Resource, name: str, rules: list[Object]) -> bool:
        objects = self.system.objects
        record = objects.get(resource, "", name)
        if record is None:
            return False
        applied = {
            "apiVersion": resource.api_version,
            "kind": resource.kind,
            "metadata": {"name": name},
            "rules": rules,
        }
        live, now = objects.load(resource, record), self.system.writing.now()
        result = apply(live, applied, resource.schema, OWNER, True, now)
        result.obj["metadata"]["managedFields"] = result.managed
        try:
            written = await objects.replace(resource, result.obj, record)
        except Conflict:
            return False
        self.roles[name] = decode(written.value)
        return True
