"""What a page finds when its reader begins: a server or none, a bucket, somebody's backups."""

import json
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

from tests.e2e.pages.reading import READY, Person, Reader, person
from tests.e2e.pages.still import friday, reference, shopkeeper
from tests.integration.apiserver_process import running as embedded
from tests.real_cluster.child import Child
from tests.real_cluster.cluster import CONTROLLERS, Setup
from tests.real_cluster.cluster import running as real_cluster
from tests.real_cluster.ports import free_port
from tests.real_cluster.programs import find
from tests.velero.recorded import EVERY_KIND
from tests.velero.s3 import ACCESS, SECRET, s3_server

READY_SECONDS = 120.0
SHOWN_S3 = "http://127.0.0.1:8333"
SHOWN_FOLDER = "/mnt/backups"
AVAILABLE = (
    "kubectl wait --for=jsonpath={.status.phase}=Available bsl/default -n velero --timeout=120s"
)

Beginning = Callable[[Person, Path], AbstractContextManager[None]]


@contextmanager
def up(reader: Person, folder: Path) -> Iterator[None]:
    """Run all of Kedge, and wait until backups can be made."""
    data, port = folder / "kedge-data", free_port()
    flags = ["--data", str(data), "--port", "0", "--metrics-address", f"127.0.0.1:{port}"]
    child = Child([sys.executable, "-m", "kedge", "up", *flags], folder / "up.log")
    try:
        child.wait_until(lambda: READY["up"] in child.tail(), READY_SECONDS)
        reader.env["KUBECONFIG"] = str(data / "kubeconfig")
        reader.stands_for["http://127.0.0.1:8085/"] = f"http://127.0.0.1:{port}/"
        seen = reader.script(AVAILABLE)
        assert seen.code == 0, seen.text
        yield
    finally:
        child.kill()


@contextmanager
def nothing(reader: Person, folder: Path) -> Iterator[None]:
    """Leave it to the page to start something."""
    yield


@contextmanager
def api(reader: Person, folder: Path) -> Iterator[None]:
    """Run the embedded API alone, with nothing of ours on it."""
    with embedded(folder / "api") as server:
        reader.env["KUBECONFIG"] = str(server.kubeconfig)
        yield


@contextmanager
def real(reader: Person, folder: Path) -> Iterator[None]:
    """Run a real API server with its controllers; raises Missing where there is none."""
    place = folder / "cluster"
    place.mkdir()
    with real_cluster(find(), place, Setup(controllers=CONTROLLERS)) as cluster:
        reader.env["KUBECONFIG"] = str(cluster.kubeconfig)
        yield


@contextmanager
def s3(reader: Person, folder: Path) -> Iterator[None]:
    """Run an S3 server with a bucket and a key, and give a folder that a disk is mounted on."""
    disk = folder / "disk"
    disk.mkdir(exist_ok=True)
    with s3_server(folder / "s3") as server:
        server.make_bucket("backups")
        keys = {"my-access-key": ACCESS, "my-secret-key": SECRET}
        reader.stands_for |= {SHOWN_S3: server.url, SHOWN_FOLDER: str(disk), **keys}
        yield


@contextmanager
def velero(reader: Person, folder: Path) -> Iterator[None]:
    """Give a bucket with a backup that a Velero has made, and that does not expire."""
    bucket = folder / "disk" / "velero-backups"
    shutil.copytree(EVERY_KIND.folder, bucket)
    file = bucket / "backups/every-kind/velero-backup.json"
    backup = json.loads(file.read_text())
    backup["status"]["expiration"] = "2126-01-01T00:00:00Z"
    file.write_text(json.dumps(backup))
    reader.stands_for |= {SHOWN_FOLDER: str(bucket.parent)}
    yield


BEGINNINGS: Mapping[str, Beginning] = {
    "up": up,
    "nothing": nothing,
    "api": api,
    "real": real,
    "s3": s3,
    "velero": velero,
}
"""By the name that pages call them."""
STILL: Mapping[str, Callable[[Path], AbstractContextManager[Reader]]] = {
    "friday": friday,
    "shopkeeper": shopkeeper,
    "reference": reference,
}
"""Those whose clock stands still; they know no kubectl."""


def unknown(names: str) -> list[str]:
    """List what a page asks for and we do not have."""
    return [one for one in _split(names) if one not in BEGINNINGS and names not in STILL]


@contextmanager
def beginning(names: str, folder: Path) -> Iterator[Reader]:
    """Give a reader all that a page asks for, in an empty folder."""
    with ExitStack() as stack:
        if names in STILL:
            yield stack.enter_context(STILL[names](folder))
            return
        reader = stack.enter_context(person(folder))
        for name in sorted(_split(names), key=list(BEGINNINGS).index, reverse=True):
            stack.enter_context(BEGINNINGS[name](reader, folder))
        yield reader


def _split(names: str) -> list[str]:
    return [one.strip() for one in names.split(",")]
