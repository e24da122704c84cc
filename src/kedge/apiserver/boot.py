"""A fresh server gets what every cluster has: namespaces, roles, priority classes."""

import asyncio

from kedge.apiserver.auth import bootstrap
from kedge.apiserver.auth.reconcile import CREATE, KEEP, RECREATE, reconcile
from kedge.apiserver.http.query import PLAIN
from kedge.apiserver.lifecycle.follower import everything
from kedge.apiserver.lifecycle.system import System, place
from kedge.apiserver.registry import Registry
from kedge.apiserver.resource import Object, Resource
from kedge.apiserver.verbs.delete import DeleteOptions
from kedge.kube.errors import AlreadyExists


class Boot:
    """Makes what is missing, at every start."""

    def __init__(self, registry: Registry, system: System) -> None:
        """Write through `system`, whose name owns the fields."""
        self.registry = registry
        self.system = system

    async def run(self) -> None:
        """Make namespaces first, since all else may live in them; the rest goes into one commit."""
        await self._remember()
        await asyncio.gather(*[self._ensure(obj) for obj in bootstrap.namespaces()])
        others = [self._ensure(obj) for obj in bootstrap.priority_classes()]
        others += [self._reconcile(obj) for obj in bootstrap.roles_and_bindings()]
        await asyncio.gather(*others)

    async def _remember(self) -> None:
        """Tell the hooks that want to know what is stored."""
        for resource in self.registry:
            if resource.strategy.learns:
                async for record in everything(self.system.objects.log, resource.prefix):
                    namespace, name = place(resource, record.key)
                    obj = self.system.objects.load(resource, record)
                    resource.strategy.learn(namespace, name, obj)

    async def _ensure(self, obj: Object) -> None:
        resource, namespace = self._place(obj)
        if self.system.objects.get(resource, namespace, obj["metadata"]["name"]) is None:
            await self._create(resource, namespace, obj)

    async def _reconcile(self, obj: Object) -> None:
        resource, namespace = self._place(obj)
        name = obj["metadata"]["name"]
        record = self.system.objects.get(resource, namespace, name)
        existing = self.system.objects.load(resource, record) if record else None
        step = reconcile(existing, obj)
        if step.action == KEEP or step.obj is None:
            return
        if step.action == CREATE or record is None or existing is None:
            await self._create(resource, namespace, step.obj)
            return
        if step.action == RECREATE:
            await self.system.delete(resource, namespace, name, DeleteOptions())
            await self._create(resource, namespace, step.obj)
            return
        call = self.system.call("update", resource, namespace, name)
        self.system.writing.track(call, existing, step.obj, PLAIN)
        await self.system.writing.change(call, step.obj, existing, record, PLAIN)

    async def _create(self, resource: Resource, namespace: str, obj: Object) -> None:
        call = self.system.call("create", resource, namespace, "")
        resource.strategy.default(obj)
        try:
            await self.system.writing.create(call, obj, PLAIN)
        except AlreadyExists:
            return

    def _place(self, obj: Object) -> tuple[Resource, str]:
        resource = self.registry.of_kind(obj["apiVersion"], obj["kind"])
        assert resource is not None
        return resource, obj["metadata"].get("namespace", "")
