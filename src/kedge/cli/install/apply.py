"""Brings the objects of an installation to a cluster, one after the other."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from kedge.cli.install.failure import InstallError, failure, label_of
from kedge.cli.install.kinds import (
    BUDGET,
    CRD,
    DEPLOYMENT,
    NAMESPACE,
    ROLE,
    ROLE_BINDING,
    SERVICE,
    SERVICE_ACCOUNT,
    kind_of,
)
from kedge.cli.install.leave import MANAGER, is_ours, reason_to_leave
from kedge.cli.install.names import SELECTOR
from kedge.cli.install.waiting import established
from kedge.client import Client, ClientError, Deletion, Selection, Writing, requests
from kedge.client.patches import apply
from kedge.client.responses import read
from kedge.kube.errors import ApiError, NotFound
from kedge.kube.kind import Kind, Object

CREATED: Final = 201
VELERO: Final = "velero"
CLEANED: Final = (BUDGET, SERVICE, ROLE_BINDING, ROLE, SERVICE_ACCOUNT)
"""Kinds of which settings may ask for fewer objects than there are; none holds anything."""
WRITING: Final = Writing(manager=MANAGER, validation="Strict")
TWO_OF_THEM: Final = (
    "Deployment/velero is in this namespace, too, and both would run each Schedule;"
    " start Velero with --disable-controllers=schedule, or scale it to 0"
)


@dataclass(frozen=True, slots=True)
class Step:
    """What became of one object."""

    label: str
    verdict: str
    """created, configured, unchanged or deleted."""
    why: str = ""
    """Where it was left as it is."""

    def __str__(self) -> str:
        """Write the line of an object."""
        return f"{self.label}: {self.verdict}" + (f" ({self.why})" if self.why else "")


@dataclass(frozen=True, slots=True)
class Installation:
    """Applies objects, and tells of each; every step raises InstallError."""

    client: Client
    tell: Callable[[Step], None]
    replace_crds: bool = False

    async def run(self, objects: Sequence[Object]) -> None:
        """Apply all objects in their order; what comes after the CRDs waits until they serve."""
        crds = [obj for obj in objects if kind_of(obj) is CRD]
        for obj in crds:
            await self._step(obj)
        await established(self.client, [obj["metadata"]["name"] for obj in crds])
        for obj in objects:
            if kind_of(obj) is not CRD:
                await self._step(obj)

    async def clean(self, objects: Sequence[Object], namespace: str) -> None:
        """Delete what an earlier installation has made there and this one has not."""
        kept = {label_of(obj) for obj in objects}
        for kind in CLEANED:
            label = kind.name
            try:
                async for there in self.client.list(kind, Selection(namespace, labels=SELECTOR)):
                    label = f"{kind.name}/{there['metadata']['name']}"
                    if label not in kept and is_ours(there):
                        await delete(self.client, kind, there)
                        self.tell(Step(label, "deleted", "this installation has none"))
            except (ApiError, ClientError) as error:
                raise failure(label, error) from error

    async def _step(self, obj: Object) -> None:
        try:
            self.tell(await self._apply(obj))
        except (ApiError, ClientError) as error:
            raise failure(label_of(obj), error) from error

    async def _apply(self, obj: Object) -> Step:
        kind, label = kind_of(obj), label_of(obj)
        name, namespace = obj["metadata"]["name"], obj["metadata"].get("namespace")
        there = await find(self.client, kind, name, namespace)
        if there is not None:
            _check_alive(label, there, kind)
            if why := reason_to_leave(there, obj, replace_crds=self.replace_crds):
                return Step(label, "unchanged", why)
        change = apply(obj, force=True)
        response = await self.client.send(requests.patch(kind, name, change, namespace, WRITING))
        after = read(response, dict)
        if response.code == CREATED:
            return Step(label, "created")
        is_same = there is not None and _version(there) == _version(after)
        return Step(label, "unchanged" if is_same else "configured")


async def find(
    client: Client, kind: Kind[Object], name: str, namespace: str | None
) -> Object | None:
    """Read an object; None where there is none."""
    try:
        return await client.get(kind, name, namespace)
    except NotFound as error:
        if not (error.details or {}).get("name"):
            raise  # the kind, not the object, is not there
        return None


async def delete(client: Client, kind: Kind[Object], there: Object, propagation: str = "") -> bool:
    """Delete an object that was read; False if somebody was faster."""
    meta = there["metadata"]
    deletion = Deletion(uid=meta["uid"], propagation=propagation)
    try:
        await client.delete(kind, meta["name"], meta.get("namespace"), deletion)
    except NotFound:
        return False
    return True


async def doubt(client: Client, namespace: str) -> str:
    """Say what is there that does not go together with an installation; nothing: all is well."""
    try:
        found = await find(client, DEPLOYMENT, VELERO, namespace)
    except (ApiError, ClientError):
        return ""  # whoever may not look is told so by what follows, if it matters
    runs = found is not None and found["spec"].get("replicas", 1) > 0
    return TWO_OF_THEM if runs else ""


def _check_alive(label: str, there: Object, kind: Kind[Object]) -> None:
    if there["metadata"].get("deletionTimestamp"):
        what = "everything in it goes as well" if kind is NAMESPACE else "it would go all the same"
        raise InstallError(
            f"{label} is being deleted, and {what}; wait until it is gone, and install again"
        )


def _version(obj: Object) -> str:
    return str(obj["metadata"].get("resourceVersion", ""))
