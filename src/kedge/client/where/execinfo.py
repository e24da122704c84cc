"""What a credential program is told: the KUBERNETES_EXEC_INFO variable."""

import base64
import json
import math
from typing import Any, Final

from kedge.client.where.entries import Cluster, ExecConfig
from kedge.client.where.errors import ConfigError
from kedge.client.where.fields import key_text
from kedge.client.where.files import Content
from kedge.client.where.kubeconfig import EXEC_EXTENSION
from kedge.client.where.surroundings import Surroundings

GROUP: Final = "client.authentication.k8s.io"
VERSIONS: Final = (f"{GROUP}/v1", f"{GROUP}/v1beta1")
DEEPEST: Final = 100
"""Levels of the cluster's extension; an alias in YAML may point to what it stands in."""
MOST: Final = 10_000
"""Values in the cluster's extension; aliases of aliases grow beyond all bounds."""


def asked(config: ExecConfig, around: Surroundings) -> str:
    """Give the request for credentials, in JSON."""
    spec: dict[str, Any] = {"interactive": False}
    if config.provide_cluster_info:
        spec = {"cluster": _cluster(around.cluster, around.server.url), **spec}
    request = {"kind": "ExecCredential", "apiVersion": config.api_version, "spec": spec}
    return json.dumps(request, separators=(",", ":"))


def _cluster(cluster: Cluster, url: str) -> dict[str, Any]:
    told: dict[str, Any] = {"server": url}
    if cluster.tls_server_name:
        told["tls-server-name"] = cluster.tls_server_name
    if cluster.insecure:
        told["insecure-skip-tls-verify"] = True
    if cluster.ca or cluster.ca_data:
        ca = Content.of(cluster.called("certificate-authority"), cluster.ca_data, cluster.ca).read()
        told["certificate-authority-data"] = base64.b64encode(ca).decode("ascii")
    if cluster.proxy_url:
        told["proxy-url"] = cluster.proxy_url
    if cluster.disable_compression:
        told["disable-compression"] = True
    told["config"] = _Plain(f"{cluster.place}.extensions[{EXEC_EXTENSION}]").of(cluster.exec_config)
    return told


class _Plain:
    """Makes what JSON can carry of what YAML did, however its aliases are knotted."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._left = MOST

    def of(self, value: Any, depth: int = 0) -> Any:
        self._left -= 1
        if depth > DEEPEST or self._left < 0:
            raise ConfigError(f"{self._name} is too deep or too large to be written as JSON")
        if isinstance(value, dict):
            return {key_text(key): self.of(one, depth + 1) for key, one in value.items()}
        if isinstance(value, list):
            return [self.of(one, depth + 1) for one in value]
        if isinstance(value, float) and not math.isfinite(value):
            raise ConfigError(f"{self._name} holds a number that is not finite")
        if value is None or isinstance(value, str | bool | int | float):
            return value
        raise ConfigError(f"{self._name} holds what cannot be written as JSON")
