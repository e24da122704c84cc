"""Finds out what a Backup is to be prepared with: all of it at once."""

from dataclasses import dataclass, field, replace
from typing import Final, Generic, TypeVar

from kedge.aio.clock import Clock
from kedge.aio.together import together
from kedge.api.velero.labels import EXCLUDE_FROM_BACKUP
from kedge.api.velero.snapshot_location import VOLUME_SNAPSHOT_LOCATION
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION, BackupStorageLocation
from kedge.client import Client, Request, Selection
from kedge.client.requests import AT_HAND
from kedge.client.responses import read
from kedge.controllers.backup.decide import Facts
from kedge.controllers.backup.snapshots import SnapshotLocations
from kedge.engine.backup.existing import existing_namespaces
from kedge.engine.backup.namespaces import Existing
from kedge.engine.backup.policies import Policies, PolicyError, read_policies
from kedge.kube.errors import ApiError, NotFound
from kedge.kube.kind import Kind, Object, plain
from kedge.kube.meta import Partial
from kedge.runtime import Cache

T = TypeVar("T")

CONFIG_MAPS: Final = plain("v1", "ConfigMap", "configmaps")
VERSION_SECONDS: Final = 300.0
"""So long the version of a server counts, as Velero has it."""
EXACTLY: Final = ""
NO_VERSION: Final = ("", "", "")
CLIENT_ERRORS: Final = range(400, 500)
TOO_MANY: Final = 429


@dataclass(frozen=True, slots=True)
class _Listed(Generic[T]):
    items: list[T] = field(default_factory=list)
    error: str = ""


@dataclass(frozen=True, slots=True)
class Finder:
    """Finds out what is the same for each Backup of a namespace.

    Both ways raise what may be another answer the next time.
    """

    client: Client
    locations: Cache[BackupStorageLocation]
    namespaces: Cache[Partial]
    versions: "Versions"
    _last: dict[str, str] = field(default_factory=dict)
    """The location that was used last, by namespace: most have one."""

    async def at_hand(self, namespace: str) -> Facts:
        """Ask for what the server has at hand, which may be a little old.

        It is good to begin with: before a Backup is refused it is looked exactly.
        """
        facts: Facts
        facts, current = await together(
            self._facts(namespace, AT_HAND), self._current(namespace, self._last.get(namespace))
        )
        return replace(facts, current=current)

    def known(self, namespace: str, facts: Facts) -> Facts:
        """Add what the caches know at this moment to what the server has told."""
        labels = ((entry.key.name, entry.labels) for entry in self.namespaces.entries())
        left_out = sorted(name for name, has in labels if has.get(EXCLUDE_FROM_BACKUP) == "true")
        locations = [entry.read() for entry in self.locations.entries(namespace)]
        return replace(facts, locations=locations, left_out=left_out)

    async def is_current(self, location: BackupStorageLocation, facts: Facts) -> bool:
        """Tell whether a location is as it was read."""
        meta, current = location.metadata, facts.current
        if current is None or current.metadata.name != meta.name:
            current = await self._current(meta.namespace, meta.name)
        self._last[meta.namespace] = meta.name
        return current is not None and current.metadata.resource_version == meta.resource_version

    async def exactly(self, namespace: str) -> Facts:
        """Ask for what is there when each write so far was seen; a server may take its time."""
        here = Selection(namespace)
        facts: Facts
        facts, locations = await together(
            self._facts(namespace, EXACTLY),
            _list(self.client, BACKUP_STORAGE_LOCATION, here, EXACTLY),
        )
        facts = replace(facts, locations=locations.items, locations_error=locations.error)
        existing = await _existing(self.client)
        if isinstance(existing, Existing):
            return replace(facts, left_out=existing.left_out)
        return replace(facts, namespaces_error=f"error getting namespace list: {existing}")

    async def _current(self, namespace: str, name: str | None) -> BackupStorageLocation | None:
        if name is None:
            return None
        try:
            return await self.client.get(BACKUP_STORAGE_LOCATION, name, namespace)
        except NotFound:
            return None

    async def _facts(self, namespace: str, version: str) -> Facts:
        here = Selection(namespace)
        snapshots, of_server = await together(
            _list(self.client, VOLUME_SNAPSHOT_LOCATION, here, version),
            self.versions.of(self.client),
        )
        return Facts(
            snapshots=SnapshotLocations(snapshots.items, snapshots.error), version=of_server
        )


async def with_policies(client: Client, backup: Object, facts: Facts) -> Facts:
    """Read the rules that a Backup names, if it does."""
    policies, problem = await _policies(client, backup)
    return replace(facts, policies=policies, policies_error=problem)


async def _list(client: Client, kind: Kind[T], selection: Selection, version: str) -> _Listed[T]:
    try:
        return _Listed([one async for one in client.list(kind, selection, version)])
    except NotFound:
        return _Listed()  # the cluster does not know the kind: there are none
    except ApiError as exc:
        return _Listed(error=_lasting(exc))


async def _existing(client: Client) -> Existing | str:
    """Ask for the namespaces; give what is wrong where that may not be."""
    try:
        return await existing_namespaces(client)
    except ApiError as exc:
        return _lasting(exc)


class Versions:
    """Knows the version of the API server, for a while: it is seldom another."""

    def __init__(self, clock: Clock) -> None:
        """Know nothing yet."""
        self._clock = clock
        self._known: tuple[str, str, str] = NO_VERSION
        self._until = float("-inf")

    async def of(self, client: Client) -> tuple[str, str, str]:
        """Give the version of the server; some let nobody see it."""
        if self._clock.monotonic() < self._until:
            return self._known
        try:
            answer = read(await client.send(Request("GET", "/version", repeatable=True)), dict)
        except ApiError as exc:
            _lasting(exc)
            return NO_VERSION
        version, major, minor = (answer.get(one, "") for one in ("gitVersion", "major", "minor"))
        self._known = (version, major, minor)
        self._until = self._clock.monotonic() + VERSION_SECONDS
        return self._known


async def _policies(client: Client, backup: Object) -> tuple[Policies | None, str]:
    """Read the ConfigMap of the resource policy, if there is one."""
    wanted = (backup.get("spec") or {}).get("resourcePolicy") or {}
    if str(wanted.get("kind", "")).lower() != "configmap":
        return None, ""
    namespace, name = backup["metadata"]["namespace"], str(wanted.get("name", ""))
    place = f"{namespace}/{name}"
    try:
        found = await client.get(CONFIG_MAPS, name, namespace)
        return read_policies(found), ""
    except (ApiError, ValueError) as exc:
        if isinstance(exc, PolicyError):
            return (
                None,
                f"fail to read the ResourcePolicies from ConfigMap {place} with error {exc}",
            )
        text = _lasting(exc) if isinstance(exc, ApiError) else str(exc)
        return None, f"fail to get ResourcePolicies {place} ConfigMap with error {text}"


def _lasting(exc: ApiError) -> str:
    """Give the words of a refusal; one that may pass is raised, so that it is asked again."""
    if exc.code in CLIENT_ERRORS and exc.code != TOO_MANY:
        return exc.message
    raise exc
