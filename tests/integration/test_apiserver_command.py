"""`kedge apiserver` as a process: it starts, says so, refuses a second one, and ends cleanly."""

import signal
import socket
import stat
import subprocess
from pathlib import Path

import yaml

from tests.integration.apiserver_process import KEDGE, running


def test_it_prints_one_line_when_it_is_ready_and_ends_on_sigterm(tmp_path: Path) -> None:
    with running(tmp_path / "data") as server:
        assert server.get("/readyz") == b"ok"
        assert server.line.startswith("ready: https://127.0.0.1:")
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(20) == 0
        assert server.process.stdout is not None
        assert server.process.stdout.read() == ""


def test_what_it_keeps_is_private(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with running(data) as server:
        secret = [data / "pki" / name for name in ("ca.key", "server.key", "admin.key")]
        for path in [*secret, data / "kubeconfig", data / "pki" / "admin.token"]:
            assert stat.S_IMODE(path.stat().st_mode) == 0o600, path
        config = yaml.safe_load((data / "kubeconfig").read_text())
        assert config["clusters"][0]["cluster"]["server"] == server.url
        assert "client-certificate-data" in config["users"][0]["user"]


def test_the_kubeconfig_goes_where_it_is_told(tmp_path: Path) -> None:
    with running(tmp_path / "data", "--kubeconfig", str(tmp_path / "admin.conf")):
        assert (tmp_path / "admin.conf").exists()


def test_a_second_process_on_the_same_data_is_refused(tmp_path: Path) -> None:
    with running(tmp_path / "data"):
        second = _run("--data", str(tmp_path / "data"), "--port", "0")
    assert second.returncode == 1
    assert second.stderr.startswith("kedge: ")
    assert str(tmp_path / "data") in second.stderr
    assert second.stderr.count("\n") == 1


def test_a_port_that_is_taken_is_a_clear_error(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        result = _run("--data", str(tmp_path / "data"), "--port", str(port))
    assert result.returncode == 1
    assert f"127.0.0.1:{port}" in result.stderr
    assert "Traceback" not in result.stderr


def test_data_survives_a_restart_and_the_authority_stays(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with running(data) as server:
        server.post("/api/v1/namespaces/default/configmaps", {"metadata": {"name": "kept"}})
        authority = (data / "pki" / "ca.crt").read_bytes()
    with running(data) as server:
        assert server.json("/api/v1/namespaces/default/configmaps/kept")["kind"] == "ConfigMap"
        assert (data / "pki" / "ca.crt").read_bytes() == authority


def test_memory_leaves_nothing_behind(tmp_path: Path) -> None:
    config = tmp_path / "kubeconfig"
    with running(":memory:", "--kubeconfig", str(config), folder=tmp_path) as server:
        assert server.get("/healthz") == b"ok"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["kubeconfig"]


def test_users_come_from_a_token_file(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens.csv"
    tokens.write_text('secret,carol,uid-carol,"devs,ops"\n')
    with running(tmp_path / "data", "--token-file", str(tokens)) as server:
        review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
        path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
        answer = server.post(path, review, token="secret")
        assert answer["status"]["userInfo"] == {
            "username": "carol",
            "uid": "uid-carol",
            "groups": ["devs", "ops", "system:authenticated"],
        }


def test_a_bad_token_file_is_a_clear_error(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens.csv"
    tokens.write_text("only,two\n")
    result = _run("--data", str(tmp_path / "data"), "--port", "0", "--token-file", str(tokens))
    assert result.returncode == 1
    assert "3 columns" in result.stderr


def _run(*flags: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*KEDGE, "apiserver", *flags], capture_output=True, text=True, timeout=60, check=False
    )
