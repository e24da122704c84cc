"""From a place to its bucket."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from kedge.kube.foreign import cut
from kedge.objects.bucket import Bucket
from kedge.objects.config import Config
from kedge.objects.errors import PlaceError
from kedge.objects.filesystem import FolderBucket
from kedge.objects.keys import folder_of
from kedge.objects.place import Place
from kedge.objects.spool import SPOOL


@dataclass(frozen=True)
class Surroundings:
    """What a process brings to every place."""

    folder: Path | None = None
    """Where `kedge.dev/filesystem` keeps its buckets; None if there is no such folder."""
    url: str = ""
    """The address at which others reach our downloads, such as https://kedge:8443."""
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Where credentials are looked for if a place has none."""


Opener = Callable[[Place, Surroundings], Bucket]
"""How a bucket is opened: `open_bucket`, or something that stands in for it in a test."""


def open_bucket(place: Place, surroundings: Surroundings) -> Bucket:
    """Open the bucket of a place, without a request; raise PlaceError if it makes no sense."""
    opener = _PROVIDERS.get(place.provider)
    if opener is None:
        known = ", ".join(_PROVIDERS)
        raise PlaceError(f"unknown provider {cut(place.provider)!r}; known are: {known}")
    if not place.bucket:
        raise PlaceError("the name of the bucket is missing")
    folder_of(place.prefix)
    return opener(place, surroundings)


def _open_folder(place: Place, surroundings: Surroundings) -> Bucket:
    config = Config(place.config, "kedge.dev/filesystem", ("path",))
    bucket, prefix = place.bucket, folder_of(place.prefix)
    if "/" in bucket or "\0" in bucket or bucket.startswith("."):
        raise PlaceError(
            f"bucket {cut(bucket)!r} is no name of a folder; it must have no slash, and no dot in "
            "front"
        )
    if prefix.split("/")[0] == SPOOL:
        raise PlaceError(f"prefix {cut(prefix)!r} is where files are that are being written")
    path = config.text("path")
    if path:
        if not Path(path).is_absolute():
            raise PlaceError(f"config.path {cut(path)!r} must start with a slash")
        return FolderBucket(Path(path), bucket, prefix, surroundings.url, make=False)
    if surroundings.folder is None:
        raise PlaceError(
            "config.path is missing: this server has no folder of its own for kedge.dev/filesystem"
        )
    return FolderBucket(surroundings.folder, bucket, prefix, surroundings.url, make=True)


# obstore takes a while to import, and who keeps backups in a folder never needs it.
def _open_s3(place: Place, surroundings: Surroundings) -> Bucket:
    from kedge.objects.s3 import open_s3

    return open_s3(place, surroundings.environment)


def _open_gcs(place: Place, surroundings: Surroundings) -> Bucket:
    from kedge.objects.gcs import open_gcs

    return open_gcs(place, surroundings.environment)


def _open_azure(place: Place, surroundings: Surroundings) -> Bucket:
    from kedge.objects.azure import open_azure

    return open_azure(place, surroundings.environment)


_PROVIDERS: Final[Mapping[str, Opener]] = {
    "aws": _open_s3,
    "velero.io/aws": _open_s3,
    "gcp": _open_gcs,
    "velero.io/gcp": _open_gcs,
    "azure": _open_azure,
    "velero.io/azure": _open_azure,
    "kedge.dev/filesystem": _open_folder,
}
PROVIDERS: Final = tuple(_PROVIDERS)
"""All names that a place can give its provider."""
