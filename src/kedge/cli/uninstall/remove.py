"""Takes an installation away: the server first, and data only when the server is gone."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from kedge.cli.install.apply import Step, delete, find
from kedge.cli.install.failure import failure
from kedge.cli.install.kinds import CRD, DEPLOYMENT, NAMESPACE
from kedge.cli.install.names import SELECTOR
from kedge.cli.install.waiting import until
from kedge.cli.uninstall.survey import Data, Survey, objects_of, ours_of
from kedge.client import Client, ClientError, Selection
from kedge.client.patches import merge
from kedge.kube.conditions import find_condition
from kedge.kube.errors import ApiError, Conflict, NotFound
from kedge.kube.kind import Kind, Object, plain
from kedge.kube.meta import Partial

PODS: Final = plain("v1", "Pod", "pods")
AGAIN: Final = "uninstall again, which goes on from here"
AS_ADMIN: Final = "uninstall as a cluster admin (--kubecontext)"


@dataclass(frozen=True, slots=True)
class Removal:
    """Deletes what was found, and tells of each; every step raises InstallError."""

    client: Client
    tell: Callable[[Step], None]
    seconds: float
    """For each thing that is waited for."""

    async def server(self, found: Survey) -> None:
        """Delete the server, and its rights when its pods are gone: it ends in good order."""
        for kind, obj in found.server:
            if kind is DEPLOYMENT:
                await self._delete(kind, obj, "Background")
        await self._until(lambda: self._running(found.namespace), "Deployment/kedge")
        for kind, obj in found.server:
            if kind is not DEPLOYMENT:
                await self._delete(kind, obj)

    async def kinds(self, found: Survey) -> None:
        """Delete our kinds with all their objects; nothing may run that would act on it."""
        ours = [data for data in found.data if not data.left]
        for data in ours:
            await self._delete(CRD, data.crd)
        for data in ours:
            await self._until(partial(self._remaining, data), _label(CRD, data.crd))

    async def home(self, found: Survey) -> None:
        """Delete the namespace, and all that is in it."""
        if found.home is None:
            return
        await self._delete(NAMESPACE, found.home)
        await self._until(lambda: self._occupied(found), _label(NAMESPACE, found.home))

    async def _delete(self, kind: Kind[Object], obj: Object, propagation: str = "") -> None:
        label = _label(kind, obj)
        try:
            is_done = await delete(self.client, kind, obj, propagation)
        except (ApiError, ClientError) as error:
            raise failure(label, error, AS_ADMIN) from error
        if is_done:
            self.tell(Step(label, "deleted"))

    async def _running(self, namespace: str) -> str:
        """Say which pods of the server are still there."""
        chosen = Selection(namespace, labels=SELECTOR)
        names = [one.metadata.name async for one in self.client.list(PODS.partial, chosen)]
        told = f"its pods still run, so nothing else is deleted: {', '.join(names)}; {AGAIN}"
        return told if names else ""

    async def _remaining(self, data: Data) -> str:
        """Take our finalizers from the objects of a kind that goes; say what is still there."""
        if await find(self.client, CRD, str(data.kind), None) is None:
            return ""
        return f"it is not gone yet{await self._release(data.kind)}; {AGAIN}"

    async def _occupied(self, found: Survey) -> str:
        """Take our finalizers from what is in the namespace; say why it is still there."""
        home = await find(self.client, NAMESPACE, found.namespace, None)
        if home is None:
            return ""
        for data in found.data:
            await self._release(data.kind, found.namespace)
        conditions = (home.get("status") or {}).get("conditions")
        why = find_condition(conditions, "NamespaceFinalizersRemaining") or {}
        told = why.get("message") or "its content is being deleted"
        return f"it is not gone yet: {told}; {AGAIN}"

    async def _release(self, kind: Kind[Any], namespace: str | None = None) -> str:
        """Take our finalizers away; name one that somebody else holds."""
        held = ""
        async for one in objects_of(self.client, kind, namespace):
            meta, ours = one.metadata, ours_of(one)
            if ours:
                await self._strip(kind, one, ours)
            elif meta.deletion_timestamp:
                for finalizer in meta.finalizers or ():
                    held = f": {meta.namespace}/{meta.name} has the finalizer {finalizer}"
        return held

    async def _strip(self, kind: Kind[Any], obj: Partial, ours: list[str]) -> None:
        meta = obj.metadata
        rest = [one for one in meta.finalizers or () if one not in ours]
        change = {"finalizers": rest, "resourceVersion": meta.resource_version}
        try:
            patch = merge({"metadata": change})
            await self.client.patch(kind.partial, meta.name, patch, meta.namespace or None)
        except (NotFound, Conflict):
            return  # it is gone, or looked at again

    async def _until(self, missing: Callable[[], Awaitable[str]], label: str) -> None:
        clock = self.client.clock
        await until(missing, label, clock, clock.monotonic() + self.seconds, denied=AS_ADMIN)


def _label(kind: Kind[Object], obj: Object) -> str:
    return f"{kind.name}/{obj['metadata']['name']}"
