"""Write src/kedge/apiserver/auth/bootstrap.json: roles and bindings of every Kubernetes server.

Usage: python -m tools.gen_bootstrap --kubeconfig FILE

A real server is started with `python -m tests.real_cluster --kubeconfig FILE`. One object a line,
in the order in which the server made them, as `{kind: {...}}`. Left out is what all of them have
(apiVersion, the label and the annotation of bootstrapping), what the server fills in, and the rules
of aggregated roles, which are gathered.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from tools.kinds.source import Server

TARGET = Path(__file__).parent.parent / "src" / "kedge" / "apiserver" / "auth" / "bootstrap.json"
KINDS = ("ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding")
LABEL = "kubernetes.io/bootstrapping"
ANNOTATION = "rbac.authorization.kubernetes.io/autoupdate"

Json = dict[str, Any]


def render(objects: list[tuple[str, Json]]) -> str:
    """Write the objects, one a line."""
    lines = (json.dumps({kind: obj}, separators=(",", ":")) for kind, obj in objects)
    return "[\n" + ",\n".join(lines) + "\n]\n"


def read(server: Server) -> list[tuple[str, Json]]:
    """Ask for the objects of each kind."""
    objects = []
    for kind in KINDS:
        path = f"/apis/rbac.authorization.k8s.io/v1/{kind.lower()}s"
        found = server.get(f"{path}?labelSelector={LABEL}%3Drbac-defaults")["items"]
        found.sort(key=lambda obj: (obj["metadata"]["creationTimestamp"], _version(obj)))
        objects += [(kind, shortened(obj)) for obj in found]
    return objects


def shortened(obj: Json) -> Json:
    """Keep what tells this object from the others."""
    metadata = obj["metadata"]
    short: Json = {key: metadata[key] for key in ("name", "namespace") if key in metadata}
    labels = {key: value for key, value in metadata["labels"].items() if key != LABEL}
    if metadata["labels"][LABEL] != "rbac-defaults" or metadata["annotations"] != {
        ANNOTATION: "true"
    }:
        raise ValueError(f"{short['name']} is not like the others")
    if labels:
        short["labels"] = labels
    for key in ("aggregationRule", "roleRef", "subjects"):
        if key in obj:
            short[key] = obj[key]
    if "aggregationRule" not in obj and "rules" in obj:
        short["rules"] = obj["rules"]
    return short


def _version(obj: Json) -> int:
    return int(obj["metadata"]["resourceVersion"])


def main() -> None:
    """Ask, shorten, write."""
    parser = argparse.ArgumentParser(description="Write the roles and bindings of a fresh server.")
    parser.add_argument("--kubeconfig", type=Path, required=True, help="of a real server")
    text = render(read(Server(parser.parse_args().kubeconfig)))
    TARGET.write_text(text)
    sys.stdout.write(f"wrote {TARGET.name}: {len(text)} bytes\n")


if __name__ == "__main__":
    main()
