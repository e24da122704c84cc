"""What the server serves, told to clients: groups, versions and resources."""

from kedge.apiserver.discovery.serving import Discovery
from kedge.apiserver.discovery.versions import by_preference, storage_hash

__all__ = ["Discovery", "by_preference", "storage_hash"]
