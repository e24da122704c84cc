"""Run `kedge apiserver` in a process of its own, and speak to it with the standard library."""

import base64
import json
import ssl
import subprocess
import sys
import tempfile
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import yaml

KEDGE = (sys.executable, "-m", "kedge")


@dataclass
class Running:
    """A server that is ready."""

    process: subprocess.Popen[str]
    line: str
    url: str
    kubeconfig: Path
    tls: ssl.SSLContext
    log: IO[str]
    """What it wrote to stderr: a file, as nobody empties a pipe while a test runs."""

    def errors(self) -> str:
        """Give what it wrote to stderr until now."""
        self.log.seek(0)
        return self.log.read()

    def get(self, path: str) -> bytes:
        """Read a path as the admin."""
        return self._send(urllib.request.Request(self.url + path))

    def json(self, path: str) -> Any:
        """Read an object as the admin."""
        return json.loads(self.get(path))

    def post(self, path: str, obj: Any, token: str = "") -> Any:
        """Create an object, as the admin or with a token."""
        request = urllib.request.Request(self.url + path, json.dumps(obj).encode(), method="POST")
        request.add_header("Content-Type", "application/json")
        tls = self.tls
        if token:
            request.add_header("Authorization", f"Bearer {token}")
            tls = ssl.create_default_context()
            tls.check_hostname, tls.verify_mode = False, ssl.CERT_NONE
        with urllib.request.urlopen(request, context=tls, timeout=20) as answer:
            return json.loads(answer.read())

    def _send(self, request: urllib.request.Request) -> bytes:
        with urllib.request.urlopen(request, context=self.tls, timeout=20) as answer:
            body: bytes = answer.read()
            return body


@contextmanager
def running(data: str | Path, *flags: str, folder: Path | None = None) -> Iterator[Running]:
    """Start a server on a free port; kill it at the end if it is still there."""
    command = [*KEDGE, "apiserver", "--data", str(data), "--port", "0", *flags]
    log = tempfile.TemporaryFile("a+")  # noqa: SIM115 - closed last, below
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True, cwd=folder)
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        log.seek(0)
        assert line, log.read()
        url = line.split()[1]
        config = (folder or Path()) / line.rstrip()[:-1].partition("(kubeconfig: ")[2]
        yield Running(process, line, url, config, tls_of(config), log)
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
        log.close()


def tls_of(kubeconfig: Path) -> ssl.SSLContext:
    """Make a context with the client certificate of a kubeconfig."""
    config = yaml.safe_load(kubeconfig.read_text())
    cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
    authority = base64.b64decode(cluster["certificate-authority-data"]).decode()
    tls = ssl.create_default_context(cadata=authority)
    with tempfile.NamedTemporaryFile(suffix=".pem") as pem:
        pem.write(base64.b64decode(user["client-certificate-data"]))
        pem.write(base64.b64decode(user["client-key-data"]))
        pem.flush()
        tls.load_cert_chain(pem.name)
    return tls
