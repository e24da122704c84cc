"""deploy/ is a base that a real `kubectl kustomize` can build on."""

import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from kedge.cli.install.manifests import manifests
from kedge.cli.install.settings import InstallSettings
from tests.integration.clients.kubectls import found
from tools.gen_manifests import FILE

OVERLAY = {
    "apiVersion": "kustomize.config.k8s.io/v1beta1",
    "kind": "Kustomization",
    "namespace": "harbour",
}


def built(folder: Path) -> dict[str, Any]:
    """Build a folder; give its objects by kind and name."""
    programs = list(found().values())
    if not programs:
        pytest.skip("no kubectl on PATH or in the cache folder")
    command = [str(programs[-1]), "kustomize", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return by_label(list(yaml.safe_load_all(done.stdout)))


def by_label(objects: list[Any]) -> dict[str, Any]:
    return {f"{obj['kind']}/{obj['metadata']['name']}": obj for obj in objects}


def test_the_base_is_all_of_an_installation() -> None:
    assert built(FILE.parent) == by_label(manifests(InstallSettings()))


def test_an_overlay_can_move_it_to_another_namespace(tmp_path: Path) -> None:
    way = os.path.relpath(FILE.parent, tmp_path.resolve())
    (tmp_path / "kustomization.yaml").write_text(yaml.safe_dump({**OVERLAY, "resources": [way]}))
    moved = built(tmp_path)
    there = {obj["metadata"].get("namespace", "") for obj in moved.values()}
    assert there == {"", "harbour"}
    assert "Namespace/harbour" in moved
    for label in ("RoleBinding/kedge", "ClusterRoleBinding/kedge"):
        assert [one["namespace"] for one in moved[label]["subjects"]] == ["harbour"]
    # The server finds its namespace by itself, so nothing in its arguments is left behind.
    assert "velero" not in str(moved["Deployment/kedge"])
