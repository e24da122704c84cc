"""The kubeconfig of the server's administrator: one file, with all it needs inside."""

from base64 import b64encode
from pathlib import Path
from typing import Final

from kedge.apiserver.auth import privatefile
from kedge.apiserver.auth.certificates import Pki

NAME: Final = "kedge"


def kubeconfig(url: str, pki: Pki) -> str:
    """Write a kubeconfig for the server at this address."""

    def data(name: str) -> str:
        return b64encode(pki.path(name).read_bytes()).decode()

    return f"""\
apiVersion: v1
kind: Config
clusters:
- name: {NAME}
  cluster:
    certificate-authority-data: {data("ca.crt")}
    server: {url}
contexts:
- name: {NAME}
  context:
    cluster: {NAME}
    user: {NAME}
current-context: {NAME}
preferences: {{}}
users:
- name: {NAME}
  user:
    client-certificate-data: {data("admin.crt")}
    client-key-data: {data("admin.key")}
"""


def write(path: Path, url: str, pki: Pki) -> None:
    """Put a kubeconfig in place. The file is ours: nothing in a former one is kept."""
    privatefile.write(path, kubeconfig(url, pki).encode())
