"""Whatever the original writes into a status, our kinds have a field for in their copies of it.

A field that is missing would be dropped by the server, and written again at every look. Skipped
without the original: `python tools/velero/build.py` builds it.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kedge.api.crd import crds
from tests.velero.programs import VeleroPrograms
from tests.velero.server import Velero

Schema = dict[str, Any]
COPIES = [
    ("Backup", "NonAdminBackup", "veleroBackup"),
    ("DeleteBackupRequest", "NonAdminBackup", "veleroDeleteBackupRequest"),
    ("Restore", "NonAdminRestore", "veleroRestore"),
    ("BackupStorageLocation", "NonAdminBackupStorageLocation", "veleroBackupStorageLocation"),
    ("DownloadRequest", "NonAdminDownloadRequest", "velero"),
]


@pytest.fixture(scope="module")
def theirs(velero_programs: VeleroPrograms, tmp_path_factory: pytest.TempPathFactory) -> Schema:
    folder = tmp_path_factory.mktemp("velero")
    velero = Velero(velero_programs, Path(folder / "kubeconfig"), folder)
    return {crd["spec"]["names"]["kind"]: crd for crd in velero.crds()}


def properties(crd: Schema) -> Schema:
    found: Schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
    return found


def narrower(original: Schema, copy: Schema, path: str) -> Iterator[str]:
    """Give all places where the copy could not hold what the original can."""
    if copy.get("x-kubernetes-preserve-unknown-fields"):
        return
    if original.get("type") != copy.get("type"):
        yield f"{path} is no {original.get('type')}"
    if "enum" in copy and {*original.get("enum", ["anything"])} - {*copy["enum"]}:
        yield f"{path} is one of less"
    if "pattern" in copy and original.get("pattern") != copy["pattern"]:
        yield f"{path} has a pattern"
    for name, field in original.get("properties", {}).items():
        if name not in copy.get("properties", {}):
            yield f"{path}.{name} is missing"
        else:
            yield from narrower(field, copy["properties"][name], f"{path}.{name}")
    if isinstance(original.get("items"), dict):
        yield from narrower(original["items"], copy.get("items", {}), f"{path}[]")


@pytest.mark.parametrize(("kind", "own", "field"), COPIES)
def test_no_field_of_a_status_is_lost(theirs: Schema, kind: str, own: str, field: str) -> None:
    (crd,) = (one for one in crds() if one["spec"]["names"]["kind"] == own)
    copy = properties(crd)["status"]["properties"][field]["properties"]["status"]
    assert list(narrower(properties(theirs[kind])["status"], copy, "status")) == []


def test_no_field_of_the_spec_of_a_backup_is_lost(theirs: Schema) -> None:
    (crd,) = (one for one in crds() if one["spec"]["names"]["kind"] == "NonAdminBackup")
    copy = properties(crd)["status"]["properties"]["veleroBackup"]["properties"]["spec"]
    assert list(narrower(properties(theirs["Backup"])["spec"], copy, "spec")) == []
