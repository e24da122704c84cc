"""How one of several processes becomes the leader, and how long it may stay so unheard."""

import socket
import uuid
from dataclasses import dataclass
from typing import Final

from kedge.kube.names import label_name, subdomain_name

JITTER: Final = 1.2
"""client-go draws the time between two tries from up to this factor, and asks for as much room."""


def unique_identity() -> str:
    """Name this process as nobody else is named: its host, and a draw."""
    return f"{socket.gethostname()}_{uuid.uuid4()}"


@dataclass(frozen=True, slots=True)
class LeaderSettings:
    """Whose Lease it is, and its times; the defaults are those of Kubernetes' own components."""

    name: str
    """Of the Lease; all that want to be the leader in its place name the same."""
    namespace: str
    """Of the Lease."""
    identity: str
    """Who we are; no two processes may have the same, see `unique_identity`."""
    lease_seconds: int = 15
    """Others wait for so long after the last renewal that they saw. Whole, as in the Lease."""
    renew_seconds: float = 10.0
    """After so long without a renewal we write no more; the rest is for what is under way."""
    retry_seconds: float = 2.0
    """Between two renewals, and between two looks at somebody else's lease."""

    def __post_init__(self) -> None:
        """Refuse what can not work; raises ValueError."""
        if isinstance(self.lease_seconds, bool) or self.lease_seconds != int(self.lease_seconds):
            raise ValueError(f"lease_seconds must be whole, and is {self.lease_seconds}")
        for field in ("lease_seconds", "renew_seconds", "retry_seconds"):
            value = getattr(self, field)
            if not 0 < value < 2**31:
                raise ValueError(f"{field} must be greater than zero, and is {value}")
        if self.lease_seconds <= self.renew_seconds:
            raise ValueError(
                f"lease_seconds ({self.lease_seconds}) must be greater than"
                f" renew_seconds ({self.renew_seconds})"
            )
        if self.renew_seconds <= JITTER * self.retry_seconds:
            raise ValueError(
                f"renew_seconds ({self.renew_seconds}) must be greater than"
                f" {JITTER} * retry_seconds ({self.retry_seconds})"
            )
        if not self.identity:
            raise ValueError("identity must not be empty; take unique_identity()")
        for field, why in (
            ("name", subdomain_name(self.name)),
            ("namespace", label_name(self.namespace)),
        ):
            if why:
                raise ValueError(f"{field} {getattr(self, field)!r} is no {field}: {why[0]}")

    @property
    def margin_seconds(self) -> float:
        """The time from our last write until another may begin."""
        return self.lease_seconds - self.renew_seconds
