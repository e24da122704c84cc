"""A real S3 server for the tests: SeaweedFS on free loopback ports, one bucket, one key."""

import contextlib
import json
import os
import signal
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import obstore
from obstore.store import S3Store

from tests.real_cluster.child import Child
from tests.real_cluster.cluster import free_port

READY_SECONDS = 60
ACCESS, SECRET = "kedge-tests", "kedge-tests-secret"
REGION = "us-east-1"


@dataclass(frozen=True)
class S3Server:
    """A running server; `credentials` is the text that Velero's Secrets hold."""

    url: str
    access: str = ACCESS
    secret: str = SECRET
    region: str = REGION
    pid: int = 0
    """Its process; 0: it is not known."""

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Let nobody be answered for a while: what is under way there stays so."""
        os.kill(self.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self.pid, signal.SIGCONT)

    @property
    def credentials(self) -> str:
        """Give the key in the form of an AWS credentials file."""
        return (
            f"[default]\naws_access_key_id = {self.access}\naws_secret_access_key = {self.secret}\n"
        )

    def make_bucket(self, name: str) -> None:
        """Create a bucket; one that is there already is fine."""
        _put(self._signed(name, ""), b"")

    def put(self, bucket: str, key: str, data: bytes) -> None:
        """Store an object."""
        _put(self._signed(bucket, key), data)

    def store(self, bucket: str) -> S3Store:
        """Open a bucket in the way of a client that is not under test."""
        return S3Store(
            bucket,
            endpoint=self.url,
            access_key_id=self.access,
            secret_access_key=self.secret,
            region=self.region,
            virtual_hosted_style_request=False,
            client_options={"allow_http": True},
        )

    def _signed(self, bucket: str, key: str) -> str:
        return obstore.sign(self.store(bucket), "PUT", key, timedelta(minutes=5))

    @property
    def config(self) -> dict[str, str]:
        """Give what a BackupStorageLocation's config says of this server."""
        return {"region": self.region, "s3ForcePathStyle": "true", "s3Url": self.url}


@contextlib.contextmanager
def s3_server(folder: Path) -> Iterator[S3Server]:
    """Run a server in an empty folder; raises child.Died if it does not start."""
    folder.mkdir(parents=True, exist_ok=True)
    rights = {
        "name": "tests",
        "credentials": [{"accessKey": ACCESS, "secretKey": SECRET}],
        "actions": ["Admin", "Read", "Write", "List", "Tagging"],
    }
    config = folder / "s3.json"
    config.write_text(json.dumps({"identities": [rights]}))
    port = free_port()
    weed = Path(sys.executable).with_name("weed")
    flags = _flags(folder, config, port)
    child = Child([str(weed), *flags], folder / "weed.log")
    try:
        server = S3Server(f"http://127.0.0.1:{port}", pid=child.pid)
        child.wait_until(lambda: _answers(server), READY_SECONDS)
        yield server
    finally:
        child.kill()
        _remove_sockets(flags)


def _flags(folder: Path, config: Path, port: int) -> list[str]:
    # Left to itself, a port for gRPC is the other one plus 10,000, which may not exist.
    names = ("master", "volume", "filer")
    ports = [f"-{name}.port{kind}={free_port()}" for name in names for kind in ("", ".grpc")]
    return [
        "server",
        f"-dir={folder}",
        "-ip=127.0.0.1",
        "-ip.bind=127.0.0.1",
        "-s3",
        f"-s3.port={port}",
        f"-s3.port.grpc={free_port()}",
        "-s3.port.iceberg=0",
        "-s3.port.lance=0",
        f"-s3.config={config}",
        "-master.volumeSizeLimitMB=1024",
        "-master.telemetry=false",
        "-volume.max=500",
        *ports,
    ]


def _remove_sockets(flags: list[str]) -> None:
    # A server that is killed leaves these behind.
    ports = [value for flag, _, value in (one.partition("=") for one in flags) if ".port" in flag]
    for port in ports:
        for path in Path("/tmp").glob(f"seaweedfs-*-{port}.sock"):
            path.unlink(missing_ok=True)


def _answers(server: S3Server) -> bool:
    try:
        server.make_bucket("ready")
        server.put("ready", "ready", b"ready")
    except OSError:  # urllib's errors are some of these
        return False
    return True


def _put(url: str, data: bytes) -> None:
    request = urllib.request.Request(url, data=data, method="PUT")
    try:
        with urllib.request.urlopen(request, timeout=10):
            return
    except urllib.error.HTTPError as exc:
        exc.close()
        if exc.code != 409:
            raise
