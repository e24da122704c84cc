"""Where backups are kept: the storage location, its Secret, and the volume of one in a folder."""

from base64 import b64encode
from typing import Any, Final

from kedge.cli.install.names import LOCATION_NAME, SECRET_KEY, SECRET_NAME, meta_in
from kedge.cli.install.settings import InstallSettings, Location
from kedge.kube.kind import Object

FILESYSTEM: Final = "kedge.dev/filesystem"
FOLDER: Final = "/objects"
"""Where the volume is, unless the location names a path."""


def storage(settings: InstallSettings) -> list[Object]:
    """Give the Secret and the storage location, as far as they are wanted."""
    made: list[Object] = []
    if settings.credentials is not None:
        made.append(_secret(settings.namespace, settings.credentials))
    if settings.location is not None:
        made.append(_location(settings, settings.location))
    return made


def folder_of(settings: InstallSettings) -> str:
    """Give the path at which the volume is mounted."""
    location = settings.location
    is_folder = location is not None and location.provider == FILESYSTEM
    path = location.config.get("path") if location is not None and is_folder else None
    return path or FOLDER


def _secret(namespace: str, credentials: bytes) -> Object:
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": meta_in(namespace, SECRET_NAME),
        "type": "Opaque",
        "data": {SECRET_KEY: b64encode(credentials).decode("ascii")},
    }


def _location(settings: InstallSettings, location: Location) -> Object:
    stored = {
        "bucket": location.bucket,
        "prefix": location.prefix,
        "caCert": location.certificate,
    }
    spec: dict[str, Any] = {
        "provider": location.provider,
        "default": True,
        "objectStorage": {key: value for key, value in stored.items() if value},
    }
    if location.config:
        spec["config"] = dict(location.config)
    if settings.credentials is not None:
        # The server reads the Secret itself: new credentials count without a new pod.
        spec["credential"] = {"name": SECRET_NAME, "key": SECRET_KEY}
    return {
        "apiVersion": "velero.io/v1",
        "kind": "BackupStorageLocation",
        "metadata": meta_in(settings.namespace, LOCATION_NAME),
        "spec": spec,
    }
