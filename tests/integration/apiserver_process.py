"""Run `kedge apiserver` in a process of its own, and speak to it with the standard library."""

import json
import ssl
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

KEDGE = (sys.executable, "-m", "kedge")


@dataclass
class Running:
    """A server that is ready."""

    process: subprocess.Popen[str]
    line: str
    url: str
    tls: ssl.SSLContext

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
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder
    )
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        line = process.stdout.readline()
        assert line, process.stderr.read()
        url = line.split()[1]
        config = Path(line.rstrip()[:-1].partition("(kubeconfig: ")[2])
        yield Running(process, line, url, tls_of((folder or Path()) / config))
    finally:
        process.terminate()
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()
        process.stderr.close()


def tls_of(kubeconfig: Path) -> ssl.SSLContext:
    """Make a context with the client certificate of a kubeconfig."""
    import base64
    import tempfile

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
