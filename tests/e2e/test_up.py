"""`kedge up` as a newcomer runs it: in a terminal, in an empty folder, with kubectl beside it."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.terminal import CTRL_C, terminal
from tests.integration.clients.kubectls import found

UP = [sys.executable, "-m", "kedge", "up", "--port", "0"]
READY = "Ctrl-C stops it."
KUBECTLS = list(found().values())
needs_kubectl = pytest.mark.skipif(not KUBECTLS, reason="no kubectl is installed")


def kubectl(folder: Path, *arguments: str) -> str:
    """Run kubectl with the kubeconfig of a folder."""
    result = subprocess.run(
        [str(KUBECTLS[-1]), *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "KUBECONFIG": str(folder / "kedge-data" / "kubeconfig")},
    )
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_it_starts_says_what_to_do_and_stops_with_ctrl_c(tmp_path: Path) -> None:
    with terminal(UP, tmp_path) as screen:
        shown = screen.wait_for(READY)
        assert "starting the Kubernetes API" in shown
        assert re.search(r"ready: https://127\.0\.0\.1:\d+", shown)
        kubeconfig = tmp_path / "kedge-data" / "kubeconfig"
        assert f"export KUBECONFIG={kubeconfig}" in shown
        assert kubeconfig.exists()
        screen.press(CTRL_C)
        assert screen.end() == 0
        assert "goes on where it was" in screen.screen
        assert "Traceback" not in screen.screen


@needs_kubectl
def test_the_example_is_there_and_survives_a_restart(tmp_path: Path) -> None:
    with terminal([*UP, "--demo"], tmp_path) as screen:
        screen.wait_for(READY)
        table = kubectl(tmp_path, "get", "schedules", "-n", "velero")
        assert table.split("\n")[0].split()[:3] == ["NAME", "STATUS", "SCHEDULE"]
        kubectl(tmp_path, "wait", "--for=condition=Ready", "schedule/nightly", "-n", "velero")
        kubectl(tmp_path, "delete", "schedule", "weekly", "-n", "velero")
        paused = '{"spec":{"paused":true}}'
        kubectl(tmp_path, "patch", "sched", "nightly", "-n", "velero", "--type=merge", "-p", paused)
        screen.press(CTRL_C)
        assert screen.end() == 0
    with terminal(UP, tmp_path) as screen:
        screen.wait_for(READY)
        found = json.loads(kubectl(tmp_path, "get", "schedules", "-n", "velero", "-o", "json"))
        paused_now = {one["metadata"]["name"]: one["spec"].get("paused") for one in found["items"]}
        assert paused_now == {"every-minute": None, "nightly": True}
        screen.press(CTRL_C)
        assert screen.end() == 0


@needs_kubectl
def test_a_schedule_makes_a_backup(tmp_path: Path) -> None:
    manifest = tmp_path / "schedule.yaml"
    manifest.write_text(
        "apiVersion: velero.io/v1\nkind: Schedule\n"
        "metadata: {name: often, namespace: velero}\n"
        "spec: {schedule: '@every 1s', template: {ttl: 1h}}\n"
    )
    with terminal(UP, tmp_path) as screen:
        screen.wait_for(READY)
        kubectl(tmp_path, "apply", "-f", str(manifest))
        jsonpath = "--for=jsonpath={.status.lastBackup}"
        kubectl(tmp_path, "wait", jsonpath, "schedule/often", "-n", "velero", "--timeout=30s")
        backups = kubectl(tmp_path, "get", "backups", "-n", "velero", "-o", "name")
        assert re.fullmatch(r"(backup\.velero\.io/often-\d{14}\n)+", backups)


def test_a_second_one_on_the_same_folder_is_refused(tmp_path: Path) -> None:
    with terminal(UP, tmp_path) as screen:
        screen.wait_for(READY)
        second = subprocess.run(
            UP, capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path
        )
        assert second.returncode == 1
        assert second.stderr.startswith("kedge: ")
        assert "Traceback" not in second.stderr


def kedge(folder: Path, *arguments: str, code: int = 0) -> str:
    """Run a command of ours with the kubeconfig of a folder."""
    result = subprocess.run(
        [sys.executable, "-m", "kedge", *arguments],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        cwd=folder,
        env={**os.environ, "KUBECONFIG": str(folder / "kedge-data" / "kubeconfig")},
    )
    assert result.returncode == code, result.stdout + result.stderr
    return result.stdout


@pytest.mark.slow
@needs_kubectl
def test_what_is_lost_comes_back_from_a_backup(tmp_path: Path) -> None:
    with terminal([*UP, "--demo"], tmp_path) as screen:
        screen.wait_for(READY)
        assert "Completed" in kedge(
            tmp_path, "backup", "create", "first", "--include-namespaces", "harbour", "-w"
        )
        assert "first" in kedge(tmp_path, "backup", "get")
        assert "v1/ConfigMap:\n    - harbour/tides" in kedge(
            tmp_path, "backup", "describe", "first", "--details"
        )
        assert 'msg="' in kedge(tmp_path, "backup", "logs", "first")
        kubectl(tmp_path, "delete", "namespace", "harbour")
        preview = kedge(tmp_path, "restore", "create", "--from-backup", "first", "--preview")
        assert "tides" in preview
        assert kubectl(tmp_path, "get", "ns", "harbour", "--ignore-not-found") == ""
        kedge(tmp_path, "restore", "create", "back", "--from-backup", "first", "-w")
        found = kubectl(tmp_path, "get", "configmap", "tides", "-n", "harbour", "-o", "json")
        assert json.loads(found)["data"] == {"high": "06:12", "low": "12:25"}
        screen.press(CTRL_C)
        assert screen.end() == 0
    with terminal(UP, tmp_path) as screen:
        screen.wait_for(READY)
        assert "Completed" in kedge(tmp_path, "backup", "get", "first")
        kedge(tmp_path, "backup", "delete", "first", "--confirm", "--wait")
        assert not (tmp_path / "kedge-data" / "objects" / "default" / "backups" / "first").exists()
        screen.press(CTRL_C)
        assert screen.end() == 0
