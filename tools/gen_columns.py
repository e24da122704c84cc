"""Write src/kedge/apiserver/printers/columns.json: the columns of the Tables of a real server.

Usage: python -m tools.gen_columns --kubeconfig FILE

A real server is started with `python -m tests.real_cluster --kubeconfig FILE`. `texts` has each
description once; `kinds` has, by group and kind, a line `[name, type, format, text, priority]` for
each column, where text is a place in `texts`. Kinds without columns of their own are left out.
"""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from tools.kinds.source import Server

SOURCES = Path(__file__).parent.parent / "src" / "kedge" / "apiserver"
TARGET = SOURCES / "printers" / "columns.json"
KINDS = SOURCES / "kinds" / "builtin.json"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"
PLAIN = ["Name", "Created At"]

Json = dict[str, Any]
Columns = dict[str, list[Json]]


def read(server: Server) -> Columns:
    """Ask for a Table of each kind; versions of a kind have the same columns."""
    found: Columns = {}
    for resource in json.loads(KINDS.read_text())["resources"]:
        if "list" not in resource["verbs"]:
            continue
        root = f"/apis/{resource['group']}" if resource["group"] else "/api"
        path = f"{root}/{resource['version']}/{resource['plural']}"
        columns = server.get(f"{path}?limit=1", TABLE)["columnDefinitions"]
        name = f"{resource['group']}/{resource['kind']}"
        if found.setdefault(name, columns) != columns:
            raise ValueError(f"{name} has other columns in another version")
    return found


def scale(server: Server) -> list[Json]:
    """Ask for the columns of a Scale, of any object that has one."""
    for plural in ("deployments", "replicasets", "statefulsets"):
        for one in server.get(f"/apis/apps/v1/{plural}?limit=1")["items"]:
            place = f"namespaces/{one['metadata']['namespace']}/{plural}/{one['metadata']['name']}"
            columns: list[Json] = server.get(f"/apis/apps/v1/{place}/scale", TABLE)[
                "columnDefinitions"
            ]
            return columns
    raise SystemExit("the server needs one object that can be scaled: create a deployment")


def render(kinds: Columns) -> str:
    """Write the columns, one kind a line, each description once."""
    texts: dict[str, int] = {}
    lines = []
    for name, columns in kinds.items():
        if [column["name"] for column in columns] == PLAIN:
            continue
        rows = [
            [
                column["name"],
                column["type"],
                column["format"],
                texts.setdefault(column["description"], len(texts)),
                column["priority"],
            ]
            for column in columns
        ]
        lines.append(f"{json.dumps(name)}: {json.dumps(rows, separators=(',', ':'))}")
    written = ",\n".join(json.dumps(text, ensure_ascii=False) for text in texts)
    return '{"texts": [\n' + written + '\n],\n"kinds": {\n' + ",\n".join(lines) + "\n}}\n"


def main() -> None:
    """Ask, shorten, write."""
    parser = argparse.ArgumentParser(description="Write the columns of the built-in kinds.")
    parser.add_argument("--kubeconfig", type=Path, required=True, help="of a real server")
    server = Server(parser.parse_args().kubeconfig)
    kinds = read(server)
    kinds["autoscaling/Scale"] = scale(server)
    text = render(kinds)
    TARGET.write_text(text)
    sys.stdout.write(f"wrote {TARGET.name}: {len(kinds)} kinds, {len(text)} bytes\n")


if __name__ == "__main__":
    main()
