"""Azure's blob storage for tests: Azurite, installed by npm into the cache folder of the user."""

import base64
import hashlib
import hmac
import os
import shutil
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from email.utils import formatdate
from pathlib import Path

import pytest

from kedge.objects.place import Place
from tests.real_cluster.child import Child
from tests.real_cluster.ports import free_port

VERSION = "3.35.0"
READY_SECONDS = 60.0
INSTALL_SECONDS = 300.0
ACCOUNT = "kedgetest"
KEY = base64.b64encode(b"a key of the account for tests").decode()
API = "2023-11-03"


@dataclass(frozen=True)
class Azurite:
    """A running server."""

    url: str
    """Of the account."""

    def place(self, bucket: str, prefix: str = "", key: str = KEY) -> Place:
        """Name a container, which must have been made."""
        config = {
            "storageAccount": ACCOUNT,
            "storageAccountURI": self.url,
            "storageAccountKeyEnvVar": "THE_KEY",
            "resourceGroup": "any",
            "blockSizeInBytes": "1048576",
        }
        return Place("azure", bucket, prefix, config, f"THE_KEY={key}\n".encode())

    def make(self, container: str) -> None:
        """Make a container; obstore can not."""
        date = formatdate(usegmt=True)
        resource = f"/{ACCOUNT}/{ACCOUNT}/{container}\nrestype:container"
        lines = ["PUT", *[""] * 11, f"x-ms-date:{date}", f"x-ms-version:{API}", resource]
        signed = hmac.new(base64.b64decode(KEY), "\n".join(lines).encode(), hashlib.sha256)
        signature = base64.b64encode(signed.digest()).decode()
        request = urllib.request.Request(
            f"{self.url}/{container}?restype=container",
            method="PUT",
            headers={
                "x-ms-date": date,
                "x-ms-version": API,
                "Authorization": f"SharedKey {ACCOUNT}:{signature}",
            },
        )
        urllib.request.urlopen(request).close()


@contextmanager
def azurite(folder: Path) -> Iterator[Azurite]:
    """Run a server with its data in a folder; skip the test where it can not be had."""
    program = _installed()
    port = free_port()
    command = [
        *("node", str(program), "--silent", "--disableTelemetry", "--skipApiVersionCheck"),
        *("--location", str(folder), "--blobHost", "127.0.0.1", "--blobPort", str(port)),
    ]
    os.environ["AZURITE_ACCOUNTS"] = f"{ACCOUNT}:{KEY}"
    try:
        child = Child(command, folder / "azurite.log")
    finally:
        del os.environ["AZURITE_ACCOUNTS"]
    try:
        server = Azurite(f"http://127.0.0.1:{port}/{ACCOUNT}")
        child.wait_until(lambda: _answers(server.url), READY_SECONDS)
        yield server
    finally:
        child.kill()


def _answers(url: str) -> bool:
    try:
        urllib.request.urlopen(url).close()
    except urllib.error.HTTPError as exc:
        exc.close()
        return True
    except OSError:
        return False
    return True


def _installed() -> Path:
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    home = cache / "kedge" / f"azurite-{VERSION}"
    program = home / "node_modules" / "azurite" / "dist" / "src" / "blob" / "main.js"
    command = f"npm install --prefix {home} azurite@{VERSION}"
    if not shutil.which("node") or not shutil.which("npm"):
        pytest.skip(f"Azurite needs Node.js and npm; with both at hand: {command}")
    if not program.exists():
        home.mkdir(parents=True, exist_ok=True)
        patience = ["--no-audit", "--no-fund", "--fetch-retries=1", "--fetch-timeout=60000"]
        try:
            done = subprocess.run(
                [*command.split(), *patience], capture_output=True, timeout=INSTALL_SECONDS
            )
        except subprocess.TimeoutExpired:
            pytest.skip(f"npm took too long; try it by hand: {command}")
        if done.returncode or not program.exists():
            pytest.skip(f"npm could not install Azurite; try it by hand: {command}")
    return program
