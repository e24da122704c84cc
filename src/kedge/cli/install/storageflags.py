"""The flags of `kedge install` that say where backups are kept, and what they must go with."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from kedge.cli.errors import Failure, Misuse
from kedge.cli.flags import map_option, switch

if TYPE_CHECKING:
    from kedge.cli.install.settings import Location

F = TypeVar("F", bound=Callable[..., Any])

MOST_BYTES: Final = 1024 * 1024
"""What a Secret can hold."""
OF_LOCATION: Final = {
    "--provider": "provider",
    "--bucket": "bucket",
    "--prefix": "prefix",
    "--backup-location-config": "backup_location_config",
    "--cacert": "cacert",
}
"""Flags of the location itself, by the names of their values."""

_OPTIONS: Final[tuple[Callable[[Any], Any], ...]] = (
    click.option(
        "--provider",
        default="",
        metavar="NAME",
        help="Who keeps the bucket: aws, gcp, azure or kedge.dev/filesystem.",
    ),
    click.option("--bucket", default="", metavar="NAME", help="Where backups are kept."),
    click.option("--prefix", default="", metavar="FOLDER", help="The folder in the bucket."),
    map_option(
        "--backup-location-config", help="Settings of the provider, such as region=eu-west-1."
    ),
    click.option("--cacert", default="", metavar="FILE", help="Certificates to trust, as PEM."),
    click.option(
        "--secret-file",
        default="",
        metavar="FILE",
        help="The credentials; --dry-run prints them with the rest.",
    ),
    switch("--no-secret", help="Make no Secret: the pod has an identity, or none is needed."),
    switch("--no-default-backup-location", help="Make no storage location."),
    click.option(
        "--volume-claim",
        default="",
        metavar="NAME",
        help="A PersistentVolumeClaim for the buckets of kedge.dev/filesystem.",
    ),
    click.option(
        "--download-url",
        default="",
        metavar="URL",
        help="How others reach the files on that volume.  [default: in the cluster alone]",
    ),
)


def storage_flags(command: F) -> F:
    """Give a command all these flags."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def location_of(flags: dict[str, Any]) -> "Location | None":
    """Make the location that the flags ask for, None if they ask for none; raises Misuse."""
    from kedge.cli.install.settings import Location
    from kedge.cli.location.options import read_certificate

    given = [flag for flag, name in OF_LOCATION.items() if flags[name]]
    if flags["no_default_backup_location"]:
        for flag in given:
            raise Misuse(
                f"cannot use both {flag} and --no-default-backup-location at the same time"
            )
        return None
    if not given and not flags["secret_file"] and not flags["no_secret"]:
        return None  # it is made later, or is there
    for flag in ("--provider", "--bucket"):
        if not flags[OF_LOCATION[flag]]:
            raise Misuse(f"{flag} is required, or --no-default-backup-location")
    return Location(
        flags["provider"],
        flags["bucket"],
        flags["prefix"],
        flags["backup_location_config"],
        read_certificate(flags["cacert"]) if flags["cacert"] else "",
    )


def credentials_of(flags: dict[str, Any], location: "Location | None") -> bytes | None:
    """Read the credentials, None where there are none; raises Misuse and Failure."""
    from kedge.cli.install.storage import FILESYSTEM

    file = flags["secret_file"]
    if file and flags["no_secret"]:
        raise Misuse("cannot use both --secret-file and --no-secret")
    is_folder = location is not None and location.provider == FILESYSTEM
    if file and is_folder:
        raise Misuse(f"--secret-file has no meaning with {FILESYSTEM}, which takes no credentials")
    if not file and not flags["no_secret"] and location is not None and not is_folder:
        raise Misuse("One of --secret-file or --no-secret is required")
    return _read(file) if file else None


def _read(path: str) -> bytes:
    try:
        with open(path, "rb") as file:
            data = file.read(MOST_BYTES + 1)
    except OSError as exc:
        raise Failure(f"--secret-file: can not read {path}: {exc.strerror or exc}") from exc
    if not data.strip():
        raise Failure(f"--secret-file: {path} is empty")
    if len(data) > MOST_BYTES:
        raise Failure(f"--secret-file: {path} is larger than a Secret can be, which is 1 MiB")
    return data
