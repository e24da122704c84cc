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
    storage_request: str = "500Mi"
    """Of the node's disk: a restore keeps its archive there. It has no bound."""


@dataclass(frozen=True, slots=True)
class Location:
    """The storage location that is made, and is the default."""

    provider: str
    bucket: str
    prefix: str = ""
    config: Mapping[str, str] = field(default_factory=dict)
    certificate: str = ""
    """Certificates to trust, as the API has them: PEM in base64."""


@dataclass(frozen=True, slots=True)
class ServerFlags:
    """What the server is told of its work; empty is what it does by itself."""

    schedule_skip_immediately: bool = False
    restore_only: bool = False
    disabled_controllers: str = ""
    concurrent_backups: int | None = None
    gc_frequency: str = ""


@dataclass(frozen=True, slots=True)
class InstallSettings:
    """What is installed, and where."""

    namespace: str = NAMESPACE
    image: str = IMAGE
    replicas: int | None = None
    """None: as many as there are, one at first; one works, the others stand by."""
    server: ServerFlags = field(default_factory=ServerFlags)
    location: Location | None = None
    """None: there is one already, or it is made later."""
    credentials: bytes | None = field(default=None, repr=False)
    """What the Secret of the location holds; None: no Secret is made."""
    volume_claim: str = ""
    """The PersistentVolumeClaim with the buckets of kedge.dev/filesystem; empty: none."""
    download_url: str = ""
    """How others reach the files of that volume; empty: by the Service, in the cluster alone."""
    service_account: str = ""
    """One that is there and is used; empty: one is made."""
    account_annotations: Mapping[str, str] = field(default_factory=dict)
    pod_annotations: Mapping[str, str] = field(default_factory=dict)
    pod_labels: Mapping[str, str] = field(default_factory=dict)
    priority_class: str = ""
    share: Share = field(default_factory=Share)
