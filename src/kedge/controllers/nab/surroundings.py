"""What a NonAdminBackup is judged by: the policy, the locations, and its namespace."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from kedge.api.velero.storage_location import LocationPhase
from kedge.controllers.nab.heads import Location, Nab, VeleroBackup
from kedge.kube.kind import plain
from kedge.kube.meta import ObjectMeta, Partial
from kedge.runtime import Cache, Key
from kedge.selfservice.buckets import Buckets
from kedge.selfservice.marks import NABSL, is_nacuuid, origin_of
from kedge.selfservice.policies import Policies
from kedge.selfservice.policy import Policy
from kedge.selfservice.validate import OwnLocation, backup_problem

NAMESPACES: Final = plain("v1", "Namespace", "namespaces", namespaced=False).partial


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was found of a spec, and what it was judged by."""

    problem: str
    policy: Policy
    location: OwnLocation


@dataclass(slots=True)
class Surroundings:
    """Looks around."""

    home: str
    policies: Policies
    own_locations: Cache[Location]
    locations: Cache[Location]
    namespaces: Cache[Partial]
    _elsewhere: dict[str, dict[Key, None]] = field(default_factory=dict)
    """Of locations, the objects whose Velero Backup does not count for what it is kept in."""

    @property
    def buckets(self) -> Buckets:
        """All locations."""
        return Buckets(self._place)

    def is_own(self, backup: VeleroBackup, nab: Nab) -> bool:
        """Tell whether a Velero Backup is an object's own, by its marks and where it is kept."""
        if not backup.is_of(nab):
            return False
        location, namespace = backup.location, nab.metadata.namespace
        is_held = self.buckets.holds(location, namespace, is_proven=backup.is_proven(nab))
        if not is_held:
            self._elsewhere.setdefault(location, {})[Key(*nab.place)] = None
        return is_held

    def elsewhere(self, location: str) -> Iterable[Key]:
        """Give those that are to be looked at anew when a location has changed, once."""
        return self._elsewhere.pop(location, {})

    async def judge(self, nab: Nab) -> Verdict:
        """Say what is wrong with a spec."""
        policy, spec = await self.policies.current(), nab.backup_spec
        location = self._location(nab.metadata.namespace, (spec or {}).get("storageLocation"))
        problem = backup_problem(spec, nab.metadata.namespace, policy, location)
        return Verdict(problem, policy, location)

    def is_terminating(self, namespace: str) -> bool:
        """Tell whether a whole namespace is being deleted."""
        entry = self.namespaces.entry(Key("", namespace))
        return entry is not None and entry.meta.deletion_timestamp is not None

    def _place(self, name: str) -> ObjectMeta | None:
        found = self.locations.get(Key(self.home, name))
        return None if found is None else found.metadata

    def _location(self, namespace: str, name: str | None) -> OwnLocation:
        """Find where a storageLocation leads; only to what was made for that very one."""
        own = self.own_locations.get(Key(namespace, name)) if name else None
        if own is None:
            return OwnLocation()
        status = own.status or {}
        nacuuid = (status.get("veleroBackupStorageLocation") or {}).get("nacuuid") or ""
        found = self.locations.get(Key(self.home, nacuuid)) if is_nacuuid(nacuuid) else None
        is_there = found is not None and _is_of(found, namespace, own.metadata.name)
        return OwnLocation(
            found=True,
            phase=status.get("phase") or "",
            nacuuid=nacuuid,
            is_there=is_there,
            is_available=is_there and _is_available(found),
            name=nacuuid if is_there else "",
        )


def _is_of(location: Location, namespace: str, name: str) -> bool:
    meta = location.metadata
    origin = origin_of(NABSL, meta.labels, meta.annotations)
    return origin is not None and origin.is_of(namespace, name, meta.name)


def _is_available(location: Location | None) -> bool:
    status = (location.status if location is not None else None) or {}
    return status.get("phase") == LocationPhase.AVAILABLE
