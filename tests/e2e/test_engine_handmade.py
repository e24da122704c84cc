"""Archives that somebody else made, in a folder that `kedge up` did not write, and a kill."""

import io
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.terminal import terminal
from tests.integration.clients.kubectls import found

UP = [sys.executable, "-m", "kedge", "up", "--port", "0"]
READY = "Ctrl-C stops it."
KUBECTLS = list(found().values())
pytestmark = pytest.mark.skipif(not KUBECTLS, reason="no kubectl is installed")

Members = list[tuple[str, bytes | None]]
VERSION: tuple[str, bytes | None] = ("metadata/version", b"1.1.0\n")
CONFIGS = "resources/configmaps/namespaces/hand"
KILLED = "during the server starting"
BACKUPS = 25


def run(folder: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command with the kubeconfig of a folder."""
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=folder,
        env={**os.environ, "KUBECONFIG": str(folder / "kedge-data" / "kubeconfig")},
    )


def kedge(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return run(folder, sys.executable, "-m", "kedge", *words)


def kubectl(folder: Path, *words: str) -> str:
    done = run(folder, str(KUBECTLS[-1]), "-n", "velero", *words)
    assert done.returncode == 0, done.stderr
    return done.stdout


def config(name: str) -> bytes:
    meta = {"name": name, "namespace": "hand", "uid": "old", "resourceVersion": "7"}
    return json.dumps({"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta}).encode()


def put(bucket: Path, name: str, members: Members, level: int = 9) -> None:
    """Write a backup with the standard library, as another program may write it."""
    folder = bucket / "backups" / name
    folder.mkdir(parents=True)
    with tarfile.open(folder / f"{name}.tar.gz", "w:gz", compresslevel=level) as archive:
        for path, data in members:
            member = tarfile.TarInfo(path)
            if data is None:
                member.type = tarfile.DIRTYPE
            else:
                member.size = len(data)
            archive.addfile(member, io.BytesIO(data or b""))
    about: dict[str, Any] = {
        "apiVersion": "velero.io/v1",
        "kind": "Backup",
        "metadata": {"name": name, "namespace": "elsewhere", "resourceVersion": "9"},
        "spec": {"storageLocation": "there"},
        "status": {"phase": "Completed", "formatVersion": "1.1.0"},
    }
    (folder / "velero-backup.json").write_text(json.dumps(about))


def test_archives_of_others_come_back_or_are_refused_by_name(tmp_path: Path) -> None:
    bucket = tmp_path / "disk" / "theirs"
    folders: Members = [("resources/", None), (f"{CONFIGS}/", None)]
    put(bucket, "folders", [*folders, (f"{CONFIGS}/a.json", config("a")), VERSION], level=1)
    versioned = "resources/configmaps/v1-preferredversion/namespaces/hand/b.json"
    put(bucket, "versioned", [VERSION, (versioned, config("b"))])
    put(bucket, "leaving", [VERSION, ("../../evil.json", config("c"))])
    put(bucket, "half", [VERSION, (f"{CONFIGS}/d.json", config("d")), (f"{CONFIGS}/e.json", b"{")])
    with terminal(UP, tmp_path) as screen:
        screen.wait_for(READY)
        made = kedge(
            tmp_path,
            *("backup-location", "create", "theirs", "--provider=kedge.dev/filesystem"),
            *("--bucket=theirs", f"--config=path={tmp_path / 'disk'}"),
        )
        assert made.returncode == 0, made.stderr
        kubectl(tmp_path, "wait", "--for=jsonpath={.status.lastSyncedTime}", "bsl/theirs")
        ends = {}
        for name in ("folders", "versioned", "leaving", "half"):
            done = kedge(tmp_path, "restore", "create", name, f"--from-backup={name}", "--wait")
            ends[name] = (done.returncode, done.stderr)
        assert ends["folders"][0] == ends["versioned"][0] == 0, ends
        assert ends["leaving"][0] == ends["half"][0] == 1
        assert "is Failed: error downloading backup: member '../../evil.json'" in ends["leaving"][1]
        assert "is PartiallyFailed: 1 error" in ends["half"][1]
        assert (
            "e.json' of the archive is refused"
            in kedge(tmp_path, "restore", "describe", "half").stdout
        )
        names = kubectl(tmp_path, "get", "configmaps", "-n", "hand", "-o", "name")
        assert names.split() == ["configmap/a", "configmap/b", "configmap/d"]


@pytest.mark.slow
def test_backups_of_a_server_that_is_killed_end_and_leave_nothing_half(tmp_path: Path) -> None:
    wanted = [
        {
            "apiVersion": "velero.io/v1",
            "kind": "Backup",
            "metadata": {"name": f"b{number}", "namespace": "velero"},
            "spec": {"includedNamespaces": ["harbour"]},
        }
        for number in range(BACKUPS)
    ]
    manifest = tmp_path / "backups.json"
    manifest.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": wanted}))
    with terminal([*UP, "--demo"], tmp_path) as screen:
        screen.wait_for(READY)
        kubectl(tmp_path, "create", "-f", str(manifest))
        screen.process.kill()
        screen.process.wait()
    with terminal(UP, tmp_path) as screen:
        screen.wait_for(READY)
        ended = "--for=jsonpath={.status.completionTimestamp}"
        kubectl(tmp_path, "wait", ended, "backups", "--all", "--timeout=60s")
        found = json.loads(kubectl(tmp_path, "get", "backups", "-o", "json"))["items"]
        backups = [one for one in found if one["metadata"]["name"].startswith("b")]
    kept = tmp_path / "kedge-data" / "objects" / "default" / "backups"
    assert len(backups) == BACKUPS
    for backup in backups:
        name, status = backup["metadata"]["name"], backup["status"]
        if status["phase"] == "Failed":
            assert KILLED in status["failureReason"]
            assert not (kept / name).exists()
        else:
            assert status["phase"] == "Completed", status
            with tarfile.open(kept / name / f"{name}.tar.gz") as archive:
                assert "resources/configmaps/namespaces/harbour/tides.json" in archive.getnames()
