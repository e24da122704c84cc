"""What an installation is told; the defaults suit most clusters."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kedge.cli.operator.settings import IMAGE, NAMESPACE


@dataclass(frozen=True, slots=True)
class Share:
    """What a pod is promised and what it may take of the machine; `0` is no promise, no bound."""

    cpu_request: str = "100m"
    """Idle it takes next to nothing; a minute at which a thousand schedules are due is busy."""
    memory_request: str = "128Mi"
    cpu_limit: str = "1"
    memory_limit: str = "512Mi"
    """Ten thousand schedules take less than a third of it."""


@dataclass(frozen=True, slots=True)
class InstallSettings:
    """What is installed, and where."""

    namespace: str = NAMESPACE
    image: str = IMAGE
    replicas: int | None = None
    """None: as many as there are, one at first; one works, the others stand by."""
    schedule_skip_immediately: bool = False
    service_account: str = ""
    """One that is there and is used; empty: one is made."""
    account_annotations: Mapping[str, str] = field(default_factory=dict)
    pod_annotations: Mapping[str, str] = field(default_factory=dict)
    pod_labels: Mapping[str, str] = field(default_factory=dict)
    priority_class: str = ""
    share: Share = field(default_factory=Share)
