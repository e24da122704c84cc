"""What each how-to page finds when its reader begins."""

import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

from tests.integration.docs.reader import Reader, reading
from tests.velero.recorded import EVERY_KIND
from tests.velero.s3 import ACCESS, SECRET, s3_server

SHOWN_S3 = "http://127.0.0.1:8333"
SHOWN_FOLDER = "/mnt/backups"


@contextmanager
def backups(folder: Path) -> Iterator[Reader]:
    """Give `kedge up`, and nothing else."""
    with reading(folder) as reader:
        yield reader


@contextmanager
def object_storage(folder: Path) -> Iterator[Reader]:
    """Give an S3 server with a bucket and a key, and a folder that a disk is mounted on."""
    disk = folder / "disk"
    disk.mkdir()
    with s3_server(folder / "s3") as s3, reading(folder) as reader:
        s3.make_bucket("backups")
        reader.stands_for = {
            SHOWN_S3: s3.url,
            SHOWN_FOLDER: str(disk),
            "my-access-key": ACCESS,
            "my-secret-key": SECRET,
        }
        yield reader


@contextmanager
def beside_velero(folder: Path) -> Iterator[Reader]:
    """Give a bucket with a backup that a Velero has made."""
    bucket = folder / "disk" / "velero-backups"
    shutil.copytree(EVERY_KIND.folder, bucket)
    _keep_for_ever(bucket / "backups/every-kind/velero-backup.json")
    with reading(folder) as reader:
        reader.stands_for = {SHOWN_FOLDER: str(bucket.parent)}
        yield reader


def _keep_for_ever(file: Path) -> None:
    """Have a recorded backup not expire while the page is read."""
    backup = json.loads(file.read_text())
    backup["status"]["expiration"] = "2126-01-01T00:00:00Z"
    file.write_text(json.dumps(backup))


BEGINNINGS: Mapping[str, Callable[[Path], AbstractContextManager[Reader]]] = {
    "backups.md": backups,
    "object-storage.md": object_storage,
    "beside-velero.md": beside_velero,
}
"""By page."""
