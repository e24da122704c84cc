"""Ask a real server again for what test_recorded.py compares with.

Usage: python tests/unit/apiserver/typed/record.py --kubeconfig FILE

A real server is started with `python -m tests.real_cluster --kubeconfig FILE`. The requests are
those in the files beside this one; only their answers are written anew. Nothing is stored but a
namespace, a CRD and the two objects that are patched.
"""

import argparse
import json
import re
import ssl
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import yaml

from kedge.apiserver.kinds.table import builtin

HERE = Path(__file__).parent
NAMESPACE = "tz"
PATIENCE = 1000
"""How often the server is asked whether it serves the new CRD."""
COMPLAINTS = ("unknown field", "duplicate field", "line ")
REFUSALS = ("cannot be handled", "unrecognized", "the API version in the data")
CRD = {
    "metadata": {"name": "foos.tz.io"},
    "spec": {
        "group": "tz.io",
        "scope": "Namespaced",
        "names": {"plural": "foos", "kind": "Foo"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
                        },
                    }
                },
            }
        ],
    },
}
PATCHED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "configmap": ("/api/v1", "configmaps", {"data": {"a": "b"}}),
    "deployment": (
        "/apis/apps/v1",
        "deployments",
        {
            "spec": {
                "replicas": 0,
                "selector": {"matchLabels": {"a": "b"}},
                "template": {
                    "metadata": {"labels": {"a": "b"}},
                    "spec": {"containers": [{"name": "c", "image": "x"}]},
                },
            }
        },
    ),
}


class Server:
    """A server and an administrator's token for it."""

    def __init__(self, kubeconfig: Path) -> None:
        config = yaml.safe_load(kubeconfig.read_text())
        cluster = config["clusters"][0]["cluster"]
        self.url = cluster["server"]
        self.tls = ssl.create_default_context(cafile=cluster["certificate-authority"])
        self.token = config["users"][0]["user"]["token"]

    def ask(
        self, method: str, path: str, body: bytes | None, media: str
    ) -> tuple[int, Any, list[str]]:
        """Send a request; give code, answer and what strict decoding complained about."""
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": media}
        request = urllib.request.Request(self.url + path, body, headers, method=method)
        try:
            answer = urllib.request.urlopen(request, context=self.tls, timeout=60)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            texts = answer.headers.get_all("Warning") or []
            told = re.findall(r'299 - "((?:[^"\\]|\\.)*)"', " ".join(texts))
            plain = [re.sub(r"\\(.)", r"\1", text) for text in told]
            text = answer.read()
            found = json.loads(text) if text[:1] == b"{" else {}
            return answer.status, found, [t for t in plain if t.startswith(COMPLAINTS)]


def read(name: str) -> list[Any]:
    """Give the rows of a file."""
    return [json.loads(line) for line in (HERE / name).read_text().splitlines()]


def write(name: str, rows: list[Any]) -> None:
    """Put rows into a file."""
    (HERE / name).write_text("".join(json.dumps(row) + "\n" for row in rows))


def bodies(server: Server) -> None:
    """Create, as a dry run, an object of a built-in kind from each body."""
    resources = {(one.group, one.version, one.kind): one for one in builtin().resources}
    rows = read("bodies.jsonl")
    for row in rows:
        one = resources[tuple(row["kind"])]
        root = f"/apis/{one.group}" if one.group else "/api"
        space = f"/namespaces/{NAMESPACE}" if one.namespaced else ""
        path = f"{root}/{one.version}{space}/{one.plural}?dryRun=All&fieldValidation={row['mode']}"
        code, answer, row["warnings"] = server.ask(
            "POST", path, row["body"].encode("latin1"), row["media"]
        )
        message = answer.get("message", "")
        is_refused = code == 400 and any(text in message for text in REFUSALS)
        row["error"] = message if is_refused else None
    write("bodies.jsonl", rows)


def custom(server: Server) -> None:
    """Create, as a dry run, a custom resource from each body."""
    rows = read("custom.jsonl")
    for row in rows:
        path = (
            f"/apis/tz.io/v1/namespaces/{NAMESPACE}/foos?dryRun=All&fieldValidation={row['mode']}"
        )
        code, answer, row["warnings"] = server.ask("POST", path, row["body"].encode(), row["media"])
        row["error"] = answer["message"] if code == 400 else None
        known = ("name", "labels", "annotations", "finalizers", "ownerReferences")
        meta = answer.get("metadata", {})
        row["meta"] = {n: meta[n] for n in known if n in meta} if code == 201 else None
    write("custom.jsonl", rows)


def options(server: Server) -> None:
    """Delete what is not there, with each body as options."""
    rows = read("options.jsonl")
    for row in rows:
        path = f"/api/v1/namespaces/{NAMESPACE}/configmaps/none?dryRun=All"
        code, answer, _ = server.ask("DELETE", path, row["body"].encode(), row["media"])
        row["error"] = answer["message"] if code == 500 else None
    write("options.jsonl", rows)


def patches(server: Server) -> None:
    """Patch, as a dry run, two stored objects."""
    recorded = json.loads((HERE / "patches.json").read_text())
    paths = {}
    for name, (root, plural, content) in PATCHED.items():
        collection = f"{root}/namespaces/{NAMESPACE}/{plural}"
        body = json.dumps({"metadata": {"name": "p"}, **content}).encode()
        server.ask("POST", collection, body, "application/json")
        paths[name] = f"{collection}/p"
        recorded["objects"][name] = server.ask("GET", paths[name], None, "application/json")[1]
    for row in recorded["rows"]:
        media = f"application/{row['how']}-patch+json"
        path = paths[row["object"]] + "?dryRun=All"
        _, answer, _ = server.ask("PATCH", path, json.dumps(row["patch"]).encode(), media)
        message = answer.get("message", "")
        row["error"] = message if message.startswith(' "" is invalid') else None
    (HERE / "patches.json").write_text(json.dumps(recorded, indent=1))


def main() -> None:
    """Prepare the server and record all."""
    parser = argparse.ArgumentParser(description="Record a real server's answers anew.")
    parser.add_argument("--kubeconfig", type=Path, required=True, help="of a real server")
    server = Server(parser.parse_args().kubeconfig)
    space = json.dumps({"metadata": {"name": NAMESPACE}}).encode()
    server.ask("POST", "/api/v1/namespaces", space, "application/json")
    crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
    server.ask("POST", crds, json.dumps(CRD).encode(), "application/json")
    for _ in range(PATIENCE):
        if server.ask("GET", "/apis/tz.io/v1", None, "application/json")[0] == 200:
            break
    for record in (bodies, custom, options, patches):
        record(server)


if __name__ == "__main__":
    main()
