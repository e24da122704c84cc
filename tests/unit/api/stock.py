"""A stock Velero's CRDs, made from a list of their fields; they have no status subresource.

A line of `velero_fields.txt` is a field's path, its type, and what else the schema says of it; `[]`
is an item of a list, `{}` a value of a map, and `=path` stands for all that is said of that path.
"""

from copy import deepcopy
from pathlib import Path
from typing import Any

FIELDS = Path(__file__).with_name("velero_fields.txt")
KINDS = {
    "backuprepositories": "BackupRepository",
    "backups": "Backup",
    "backupstoragelocations": "BackupStorageLocation",
    "deletebackuprequests": "DeleteBackupRequest",
    "downloadrequests": "DownloadRequest",
    "podvolumebackups": "PodVolumeBackup",
    "podvolumerestores": "PodVolumeRestore",
    "restores": "Restore",
    "schedules": "Schedule",
    "serverstatusrequests": "ServerStatusRequest",
    "volumesnapshotlocations": "VolumeSnapshotLocation",
}

Schema = dict[str, Any]


def schemas() -> dict[str, Schema]:
    """Give the schema of each kind, by its plural."""
    nodes: dict[str, Schema] = {}
    for line in FIELDS.read_text(encoding="utf-8").splitlines():
        path, form, *marks = line.split(" ")
        node = deepcopy(nodes[form[1:]]) if form.startswith("=") else {"type": form}
        _mark(node, marks)
        nodes[path] = node
        _hang(nodes, path, node, "required" in marks)
    return {plural: nodes[plural] for plural in KINDS}


def _mark(node: Schema, marks: list[str]) -> None:
    for mark in marks:
        name, _, value = mark.partition("=")
        if name == "nullable":
            node["nullable"] = True
        elif name == "enum":
            node["enum"] = value.split("|")
        elif name == "minItems":
            node["minItems"] = int(value)
        elif name in ("format", "x-kubernetes-map-type", "x-kubernetes-list-type"):
            node[name] = value
        elif name == "x-kubernetes-preserve-unknown-fields":
            node[name] = True


def _hang(nodes: dict[str, Schema], path: str, node: Schema, required: bool) -> None:
    """Hang a node into the one above it."""
    if path.endswith("[]"):
        nodes[path[:-2]]["items"] = node
    elif path.endswith("{}"):
        nodes[path[:-2]]["additionalProperties"] = node
    else:
        above, _, name = path.rpartition(".")
        parent = nodes.setdefault(above, {"type": "object"})
        parent.setdefault("properties", {})[name] = node
        if required:
            parent.setdefault("required", []).append(name)


def stock_crds() -> list[dict[str, Any]]:
    """Give the CRDs as a stock Velero has them."""
    return [_crd(plural, schema) for plural, schema in schemas().items()]


def _crd(plural: str, schema: Schema) -> dict[str, Any]:
    kind = KINDS[plural]
    names = {"kind": kind, "listKind": f"{kind}List", "plural": plural, "singular": kind.lower()}
    version = {"name": "v1", "served": True, "storage": True}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.velero.io", "labels": {"component": "velero"}},
        "spec": {
            "group": "velero.io",
            "names": names,
            "scope": "Namespaced",
            "versions": [{**version, "schema": {"openAPIV3Schema": schema}}],
        },
    }
