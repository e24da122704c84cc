"""`kedge server` as a process, on an API server that is another process."""

import json
import os
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from kedge.api.crd import crds
from tests.integration.apiserver_process import Running, running

SERVER = [sys.executable, "-m", "kedge", "server"]
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
SCHEDULES = "/apis/velero.io/v1/namespaces/velero/schedules"
LEASE = "/apis/coordination.k8s.io/v1/namespaces/velero/leases/kedge"
PATIENCE = 30.0


def until(holds: Callable[[], bool]) -> None:
    """Ask again and again, as a probe does, until something holds."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, "it did not come to hold"
        time.sleep(0.05)  # noqa: TID251 - another process is waited for


def prepare(api: Running) -> None:
    for crd in crds():
        api.post(CRDS, crd)
    api.post("/api/v1/namespaces", {"metadata": {"name": "velero"}})

    def is_served() -> bool:
        try:
            return bool(api.json(SCHEDULES)["items"] == [])
        except urllib.error.HTTPError:
            return False

    until(is_served)


@contextmanager
def serving(api: Running, *flags: str) -> Iterator["subprocess.Popen[str]"]:
    command = [*SERVER, "--kubeconfig", str(api.kubeconfig), "--metrics-address", "", *flags]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def stop(process: "subprocess.Popen[str]") -> str:
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=PATIENCE)
    return errors


def schedule(name: str, expression: str) -> dict[str, object]:
    return {
        "apiVersion": "velero.io/v1",
        "kind": "Schedule",
        "metadata": {"name": name},
        "spec": {"schedule": expression, "template": {}},
    }


def test_it_makes_backups_and_stops_on_sigterm_with_its_lease_released(tmp_path: Path) -> None:
    with running(tmp_path / "data") as api:
        prepare(api)
        with serving(api, "--log-format", "json") as process:
            api.post(SCHEDULES, schedule("often", "@every 1s"))
            backups = SCHEDULES.replace("schedules", "backups")
            until(lambda: bool(api.json(backups)["items"]))
            assert _holder(api)
            errors = stop(process)
        assert process.returncode == 0, errors
        assert api.json(LEASE)["spec"]["holderIdentity"] == ""
        lines = [json.loads(line) for line in errors.splitlines()]
        assert "this process leads" in {line["msg"] for line in lines}


def test_the_second_takes_over_when_the_first_is_killed(tmp_path: Path) -> None:
    quick = ("--leader-elect-lease-seconds", "2", "--leader-elect-renew-seconds", "1.2")
    often = ("--leader-elect-retry-seconds", "0.3")
    with running(tmp_path / "data") as api:
        prepare(api)
        with serving(api, *quick, *often) as first:
            until(lambda: _holder(api) != "")
            leader = _holder(api)
            with serving(api, *quick, *often) as second:
                first.kill()
                until(lambda: _holder(api) not in ("", leader))
                api.post(SCHEDULES, schedule("often", "@every 1s"))
                until(lambda: _phase(api, "often") == "Enabled")
                stop(second)
        assert second.returncode == 0


def _phase(api: Running, name: str) -> str:
    return str(api.json(f"{SCHEDULES}/{name}").get("status", {}).get("phase", ""))


def _holder(api: Running) -> str:
    try:
        return str(api.json(LEASE)["spec"].get("holderIdentity", ""))
    except urllib.error.HTTPError:
        return ""


def test_a_cluster_without_our_kinds_is_a_clear_error(tmp_path: Path) -> None:
    with running(tmp_path / "data") as api, serving(api) as process:
        _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert "kedge install --crds-only" in errors.splitlines()[-1]
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (("--disable-controllers", "gcc"), "valid are backup, backup-deletion"),
        (("--plugin-dir", "/plugins"), "--plugin-dir has no meaning here"),
        (("--client-burst", "0"), "--client-burst must be positive"),
        (("--client-qps", "-1"), "--client-qps must not be negative"),
        (("--metrics-address", "nowhere"), "--metrics-address: 'nowhere' is no address"),
        (("--warmup-image", "Kedge:1"), "--warmup-image 'Kedge:1' is no image; write it as"),
        (("--download-url", "a.example"), "--download-url 'a.example' is no URL; write it as"),
        (
            ("--leader-elect-renew-seconds", "20"),
            "--leader-elect-lease-seconds (15) must be greater than"
            " --leader-elect-renew-seconds (20.0)",
        ),
    ],
)
def test_wrong_usage_is_named(flags: tuple[str, ...], words: str) -> None:
    result = subprocess.run(
        [*SERVER, *flags], capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert result.returncode == 2
    assert words in result.stderr
    assert result.stderr.count("\n") == 1


def test_flags_come_from_the_environment_as_well(tmp_path: Path) -> None:
    result = subprocess.run(
        SERVER,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
        env={**os.environ, "KEDGE_CLIENT_BURST": "0"},
    )
    assert result.returncode == 2
    assert "--client-burst must be positive" in result.stderr
