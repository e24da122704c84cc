"""The Lease of a leader election: its record as client-go keeps it, and where it is stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

from kedge.aio.clock import Clock
from kedge.client import Client, ClientSettings
from kedge.client.http import Observer, unobserved
from kedge.client.retry import Retrying
from kedge.client.where import Access
from kedge.kube.errors import NotFound
from kedge.kube.kind import Object, plain
from kedge.runtime.leadersettings import LeaderSettings

LEASES: Final = plain("coordination.k8s.io/v1", "Lease", "leases")


@dataclass(frozen=True, slots=True)
class Record:
    """Who holds a lease, and since when by the holder's own clock."""

    holder: str = ""
    """Empty: it was released."""
    seconds: int = 0
    """How long others wait after a renewal; 0: it does not tell."""
    acquired: str = ""
    renewed: str = ""
    transitions: int = 0
    """How often it has changed hands: a higher number is a later holder."""


@dataclass(frozen=True, slots=True)
class Lease:
    """A Lease as the API gave it."""

    obj: Object
    record: Record

    @property
    def uid(self) -> str:
        """Tells it from another one that has its name."""
        return str((self.obj.get("metadata") or {}).get("uid", ""))


def read(obj: Object) -> Lease:
    """Read a Lease; what is not given is empty."""
    spec = obj.get("spec") or {}
    return Lease(
        obj,
        Record(
            holder=_text(spec, "holderIdentity"),
            seconds=_number(spec, "leaseDurationSeconds"),
            acquired=_text(spec, "acquireTime"),
            renewed=_text(spec, "renewTime"),
            transitions=_number(spec, "leaseTransitions"),
        ),
    )


def write(obj: Object, record: Record) -> Object:
    """Put a record into a Lease, and leave the rest of it as it is."""
    spec = {
        "holderIdentity": record.holder,
        "leaseDurationSeconds": record.seconds,
        "acquireTime": record.acquired,
        "renewTime": record.renewed,
        "leaseTransitions": record.transitions,
    }
    return {**obj, "spec": {**(obj.get("spec") or {}), **spec}}


def _text(spec: Mapping[str, Any], field: str) -> str:
    value = spec.get(field)
    return value if isinstance(value, str) else ""


def _number(spec: Mapping[str, Any], field: str) -> int:
    value = spec.get(field)
    return value if isinstance(value, int) and value > 0 else 0


class Leases(Protocol):
    """Keeps one Lease. Every verb raises ApiError or ClientError."""

    async def get(self) -> Lease | None:
        """Read it; None: there is none."""

    async def create(self, record: Record) -> Lease:
        """Make it; raises AlreadyExists."""

    async def replace(self, lease: Lease, record: Record) -> Lease:
        """Write a record over the one of this version; raises Conflict."""


class ApiLeases:
    """Keeps the Lease in a Kubernetes API."""

    def __init__(self, client: Client, settings: LeaderSettings) -> None:
        """Speak through a client that is not guarded: see `lease_client`."""
        self._client = client
        self._name, self._namespace = settings.name, settings.namespace

    async def get(self) -> Lease | None:
        """Read it; None: there is none."""
        try:
            return read(await self._client.get(LEASES, self._name, self._namespace))
        except NotFound:
            return None

    async def create(self, record: Record) -> Lease:
        """Make it; raises AlreadyExists."""
        obj = {"metadata": {"name": self._name, "namespace": self._namespace}}
        return read(await self._client.create(LEASES, write(obj, record)))

    async def replace(self, lease: Lease, record: Record) -> Lease:
        """Write a record over the one of this version; raises Conflict."""
        return read(await self._client.update(LEASES, write(lease.obj, record)))


def lease_client(
    access: Access, settings: LeaderSettings, clock: Clock, observer: Observer = unobserved
) -> Client:
    """Make a client for the Lease alone, which the caller closes.

    It has a connection of its own, so that no other traffic delays a renewal. An attempt may take
    half the time there is: one that hangs leaves time for another, on a new connection. The
    election itself tries again.
    """
    half = settings.renew_seconds / 2
    bounds = ClientSettings(
        per_second=0,
        answer_seconds=half,
        connect_seconds=half,
        deadline_seconds=half,
        retrying=Retrying(attempts=1),
    )
    return Client(access, bounds, clock, observer)
