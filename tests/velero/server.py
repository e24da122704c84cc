"""The original's server, run as a process against some API server, and its command."""

import asyncio
import base64
import contextlib
import json
import os
import socket
import subprocess
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.integration.roundtrip.scene import Scene
from tests.real_cluster.child import Child, Died
from tests.real_cluster.cluster import free_port
from tests.velero.programs import VeleroPrograms
from tests.velero.s3 import S3Server

Object = dict[str, Any]
NAMESPACE = "velero"
READY_SECONDS = 120
OWN_PORT = 8080
"""Velero listens there, on all addresses, and cannot be told otherwise."""
COMMAND_SECONDS = 120
SECRET, KEY = "cloud-credentials", "cloud"


@dataclass(frozen=True)
class Velero:
    """The programs, where they work, and the address of the server's metrics."""

    programs: VeleroPrograms
    kubeconfig: Path
    folder: Path
    port: int = field(default_factory=free_port)
    children: list[Child] = field(default_factory=list)

    def run(self, *words: str) -> str:
        """Run one command of `velero`; raises CalledProcessError."""
        command = [str(self.programs.velero), *words, f"--namespace={NAMESPACE}"]
        done = subprocess.run(
            [*command, f"--kubeconfig={self.kubeconfig}"],
            capture_output=True,
            text=True,
            check=True,
            timeout=COMMAND_SECONDS,
            env={**os.environ, "HOME": str(self.folder)},
        )
        return done.stdout

    def crds(self) -> list[Object]:
        """Give the stock CustomResourceDefinitions."""
        found = json.loads(self.run("install", "--crds-only", "--dry-run", "-o", "json"))
        items: list[Object] = found["items"]
        return items

    def is_ready(self) -> bool:
        """Tell whether the server is up, which it is when its metrics are served."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/metrics", timeout=5):
                return True
        except OSError:
            return False


def check_port() -> None:
    """Raise Died where the port that Velero insists on is taken."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("", OWN_PORT))
        except OSError as exc:
            raise Died(f"velero needs port {OWN_PORT}, which another program has") from exc


@contextlib.contextmanager
def velero_server(velero: Velero, *flags: str) -> Iterator[Child]:
    """Run the server; its namespace, CRDs and location must be there. Raises child.Died."""
    check_port()
    plugins = velero.folder / "plugins"
    plugins.mkdir(parents=True, exist_ok=True)
    plugin = plugins / velero.programs.plugin.name
    if not plugin.exists():
        plugin.symlink_to(velero.programs.plugin)
    environ = {
        "HOME": str(velero.folder),
        "VELERO_NAMESPACE": NAMESPACE,
        "TMPDIR": str(velero.folder),
    }
    command = [
        "env",
        *(f"{name}={value}" for name, value in environ.items()),
        str(velero.programs.velero),
        "server",
        f"--kubeconfig={velero.kubeconfig}",
        f"--namespace={NAMESPACE}",
        f"--plugin-dir={plugins}",
        f"--metrics-address=127.0.0.1:{velero.port}",
        "--profiler-address=",
        *flags,
    ]
    child = Child(command, velero.folder / "velero.log")
    try:
        child.wait_until(velero.is_ready, READY_SECONDS)
        yield child
    finally:
        child.kill()


async def available(scene: Scene, name: str = "default") -> None:
    """Wait until the server has found a location to be there."""
    path = await scene.path(("velero.io/v1", "BackupStorageLocation", NAMESPACE, name))
    await scene.client.until(
        path, lambda obj: obj.get("status", {}).get("phase") == "Available", READY_SECONDS
    )


async def prepare(scene: Scene, velero: Velero) -> None:
    """Put Velero's kinds, its namespace and the Deployment that it wants to see into a cluster."""
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
    await scene.create([*await asyncio.to_thread(velero.crds), space, _deployment()])


def _deployment() -> Object:
    """Make what a restore asks for the name of Velero's own image."""
    labels = {"deploy": "velero"}
    container = {"name": "velero", "image": "registry.example.com/velero:1"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [container]}}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "velero", "namespace": NAMESPACE},
        "spec": {"replicas": 0, "selector": {"matchLabels": labels}, "template": template},
    }


def location(server: S3Server, bucket: str, prefix: str = "") -> list[Object]:
    """Give the default BackupStorageLocation for a bucket, after the Secret with its key."""
    data = base64.b64encode(server.credentials.encode()).decode()
    place = {"bucket": bucket, "prefix": prefix} if prefix else {"bucket": bucket}
    spec = {
        "provider": "aws",
        "default": True,
        "objectStorage": place,
        "config": server.config,
        "credential": {"name": SECRET, "key": KEY},
    }
    return [
        {
            "apiVersion": "v1",
            "kind": "Secret",
            "metadata": {"name": SECRET, "namespace": NAMESPACE},
            "data": {KEY: data},
        },
        {
            "apiVersion": "velero.io/v1",
            "kind": "BackupStorageLocation",
            "metadata": {"name": "default", "namespace": NAMESPACE},
            "spec": spec,
        },
    ]
