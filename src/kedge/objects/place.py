"""Where objects are kept, as a BackupStorageLocation says it, and as its Secrets do."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Place:
    """A bucket of a provider, or a folder in one, and how to get at it."""

    provider: str
    bucket: str
    prefix: str = ""
    config: Mapping[str, str] = field(default_factory=dict)
    """Settings of the provider, with the names that Velero's plugins give them."""
    credentials: bytes | None = field(default=None, repr=False)
    """AWS shared credentials, a GCP key as JSON, or Azure's lines; None asks the surroundings."""
    ca: bytes | None = None
    """Certificates to trust, as PEM, beside those that the machine trusts."""
    customer_key: bytes | None = field(default=None, repr=False)
    """What `customerKeyEncryptionSecret` names: S3 encrypts with it, and keeps it not."""
