"""What there is of an installation on a cluster, and what of it is not ours to delete."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any, Final

from kedge.api.crd import DEFINITIONS
from kedge.cli.install.apply import VELERO, find
from kedge.cli.install.failure import label_of
from kedge.cli.install.kinds import (
    BUDGET,
    CLUSTER_ROLE,
    CLUSTER_ROLE_BINDING,
    CRD,
    DEPLOYMENT,
    NAMESPACE,
    ROLE,
    ROLE_BINDING,
    SERVICE,
    SERVICE_ACCOUNT,
)
from kedge.cli.install.leave import is_ours
from kedge.cli.install.manifests import manifests
from kedge.cli.install.names import SELECTOR
from kedge.cli.install.settings import InstallSettings
from kedge.cli.install.tenants import tenant_roles
from kedge.client import Client, Selection
from kedge.kube.errors import NotFound
from kedge.kube.kind import Kind, Object, plain
from kedge.kube.meta import Partial

AT_HOME: Final = (DEPLOYMENT, BUDGET, SERVICE, ROLE_BINDING, ROLE, SERVICE_ACCOUNT)
"""The server first: what it needs goes when it is gone."""
CLAIMS: Final = plain("v1", "PersistentVolumeClaim", "persistentvolumeclaims")
MANAGED_BY: Final = "app.kubernetes.io/managed-by"
GROUPS: Final = tuple(sorted({one.kind.group for one in DEFINITIONS}))
OF_HELM: Final = "it is Helm's: `helm uninstall` removes it"
NOT_OURS: Final = "`kedge install` did not make it"
OF_VELERO: Final = "a Velero is on this cluster, and needs it"
SHARED: Final = "Kedge runs in other namespaces, too"


@dataclass(frozen=True, slots=True)
class Data:
    """A kind of ours that is served, and its objects."""

    kind: Kind[Any]
    crd: Object
    count: int
    held: int
    """Objects that have a finalizer of ours, and wait for a server."""
    left: str = ""
    """Why the kind is not ours to delete; empty: it is."""


@dataclass(slots=True)
class Survey:
    """All that was found."""

    namespace: str
    server: list[tuple[Kind[Object], Object]] = field(default_factory=list)
    """Deployment, Service, rights: what runs, and nothing that anybody would miss."""
    data: list[Data] = field(default_factory=list)
    home: Object | None = None
    """The namespace itself, where it is there."""
    home_left: str = ""
    left: list[tuple[str, str]] = field(default_factory=list)
    """Objects that look like ours and are left, and why."""
    others: list[str] = field(default_factory=list)
    """Namespaces of other installations."""


async def survey(client: Client, namespace: str) -> Survey:
    """Look at a cluster; raises ApiError and ClientError."""
    found = Survey(namespace, home=await find(client, NAMESPACE, namespace, None))
    found.others = sorted([one async for one in _installations(client) if one != namespace])
    veleros = sorted([one async for one in _veleros(client)])
    await _find_server(client, found)
    for definition in DEFINITIONS:
        crd = await find(client, CRD, str(definition.kind), None)
        if crd is not None:
            found.data.append(await _data_of(client, definition.kind, crd, bool(veleros)))
    if found.home is not None:
        found.home_left = await _reason_to_leave(client, found.home, namespace in veleros)
    return found


async def _reason_to_leave(client: Client, home: Object, has_velero: bool) -> str:
    """Say why the namespace must stay; nothing: it may go, with all that is in it."""
    if not is_ours(home):
        return NOT_OURS
    if has_velero:
        return "a Velero is in it"
    # A volume with the buckets of kedge.dev/filesystem would go as well.
    chosen = Selection(home["metadata"]["name"])
    claims = [one.metadata.name async for one in client.list(CLAIMS.partial, chosen)]
    return f"it has volumes, and backups may be on them: {', '.join(claims)}" if claims else ""


async def _installations(client: Client) -> AsyncIterator[str]:
    async for one in client.list(DEPLOYMENT, Selection(labels=SELECTOR)):
        yield one["metadata"]["namespace"]


async def _veleros(client: Client) -> AsyncIterator[str]:
    async for one in client.list(DEPLOYMENT, Selection(fields=f"metadata.name={VELERO}")):
        yield one["metadata"]["namespace"]


async def _find_server(client: Client, found: Survey) -> None:
    # All that an installation there can have, whatever it was told.
    full = manifests(InstallSettings(namespace=found.namespace, replicas=2))
    names = {label_of(obj) for obj in full}
    for kind in AT_HOME:
        async for one in client.list(kind, Selection(found.namespace, labels=SELECTOR)):
            if _label(kind, one) in names or is_ours(one):
                _sort_out(found, kind, one)
    needed = {label_of(role) for role in tenant_roles()} if found.others else set()
    async for one in client.list(CLUSTER_ROLE_BINDING, Selection(labels=SELECTOR)):
        role = f"{CLUSTER_ROLE.name}/{one['roleRef']['name']}"
        if all(each.get("namespace") == found.namespace for each in one.get("subjects") or ()):
            names.add(role)
            _sort_out(found, CLUSTER_ROLE_BINDING, one)
        else:
            needed.add(role)
    async for one in client.list(CLUSTER_ROLE, Selection(labels=SELECTOR)):
        label = _label(CLUSTER_ROLE, one)
        if label in names and label in needed:
            found.left.append((label, SHARED))
        elif label in names:
            _sort_out(found, CLUSTER_ROLE, one)


def _label(kind: Kind[Object], obj: Object) -> str:
    return f"{kind.name}/{obj['metadata']['name']}"


def _sort_out(found: Survey, kind: Kind[Object], one: Object) -> None:
    if (one["metadata"].get("labels") or {}).get(MANAGED_BY) == "Helm":
        found.left.append((_label(kind, one), OF_HELM))
    else:
        found.server.append((kind, one))


async def _data_of(client: Client, kind: Kind[Any], crd: Object, has_velero: bool) -> Data:
    count = held = 0
    async for one in objects_of(client, kind):
        count += 1
        held += bool(ours_of(one))
    left = ""
    if not is_ours(crd):
        left = NOT_OURS
    elif has_velero and kind.group == "velero.io":
        left = OF_VELERO
    return Data(kind, crd, count, held, left)


async def objects_of(
    client: Client, kind: Kind[Any], namespace: str | None = None
) -> AsyncIterator[Partial]:
    """Give the heads of all objects of a kind; none where it is not served."""
    try:
        async for one in client.list(kind.partial, Selection(namespace)):
            yield one
    except NotFound:
        return


def ours_of(obj: Partial) -> list[str]:
    """Give the finalizers of an object that only a server of ours would take away."""
    return [one for one in obj.metadata.finalizers or () if is_finalizer_of_ours(one)]


def is_finalizer_of_ours(name: str) -> bool:
    """Tell whether a finalizer is in the name of one of our groups."""
    domain = name.partition("/")[0]
    return any(domain == group or domain.endswith(f".{group}") for group in GROUPS)
