"""Ask a running server for discovery and OpenAPI, and the Go modules for their types."""

import json
import ssl
import subprocess
import urllib.request
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

Json = dict[str, Any]
GO_MODULE = Path(__file__).parent.parent / "real_cluster" / "kubernetes"
AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


@dataclass(frozen=True)
class Source:
    """What the table is made from."""

    version: str
    aggregated: list[Json]  # APIGroupDiscovery items, core first
    legacy: dict[str, Json]  # group version -> APIResourceList
    schemas: dict[str, Json]  # component -> schema, of all groups
    go: dict[str, list[Json] | None]  # component -> fields of the Go struct


class Server:
    """A server and an administrator's token for it."""

    def __init__(self, kubeconfig: Path) -> None:
        config = yaml.safe_load(kubeconfig.read_text())
        current = _named(config["contexts"], config["current-context"])["context"]
        cluster = _named(config["clusters"], current["cluster"])["cluster"]
        self._url = cluster["server"]
        self._tls = ssl.create_default_context(cafile=cluster["certificate-authority"])
        self._token = _named(config["users"], current["user"])["user"]["token"]

    def get(self, path: str, accept: str = "application/json") -> Any:
        """Ask for a path."""
        headers = {"Authorization": f"Bearer {self._token}", "Accept": accept}
        request = urllib.request.Request(self._url + path, headers=headers)
        with urllib.request.urlopen(request, context=self._tls, timeout=60) as answer:
            return json.load(answer)


def read(server: Server) -> Source:
    """Collect everything."""
    aggregated = [
        item for path in ("/api", "/apis") for item in server.get(path, AGGREGATED)["items"]
    ]
    paths = {
        group_version(item["metadata"].get("name", ""), v["version"])
        for item in aggregated
        for v in item["versions"]
    }
    roots = {gv: ("apis/" if "/" in gv else "api/") + gv for gv in sorted(paths)}
    documents = [server.get(f"/openapi/v3/{root}") for root in roots.values()]
    return Source(
        version=server.get("/version")["gitVersion"],
        aggregated=aggregated,
        legacy={gv: server.get(f"/{root}") for gv, root in roots.items()},
        schemas=merged([d["components"]["schemas"] for d in documents]),
        go=go_types(),
    )


def merged(documents: list[dict[str, Json]]) -> dict[str, Json]:
    """Put the components of all documents into one map; they must agree."""
    schemas: dict[str, Json] = {}
    for document in documents:
        for name, schema in document.items():
            if schemas.setdefault(name, schema) != schema:
                raise ValueError(f"{name} differs between two groups")
    return schemas


def go_types() -> dict[str, list[Json] | None]:
    """Run gotypes in the module that the real server is built from."""
    command = ["go", "run", "-mod=readonly", "-buildvcs=false", "-trimpath", "./gotypes"]
    told = subprocess.run(command, cwd=GO_MODULE, stdout=subprocess.PIPE, check=True)
    types: dict[str, list[Json] | None] = json.loads(told.stdout)
    return types


def group_version(group: str, version: str) -> str:
    """Give the apiVersion."""
    return f"{group}/{version}" if group else version


def _named(entries: list[Json], name: str) -> Json:
    return next(entry for entry in entries if entry["name"] == name)
