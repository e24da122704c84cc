"""What a newcomer meets first when something is not as it should be: one line, and what helps."""

import socket
from pathlib import Path

import pytest
import yaml

from kedge.cli.hints import MISSING_FILE, REACH
from tests.unit.cli.conftest import Run

UNSET = ("KEDGE_NAMESPACE", "VELERO_NAMESPACE", "KEDGE_KUBECONFIG", "KEDGE_KUBECONTEXT")
COMMANDS = [("status",), ("backup", "get"), ("nab", "get"), ("schedule", "pause", "a")]


def kubeconfig(folder: Path, server: str) -> str:
    """Write a kubeconfig for a server."""
    config = {
        "current-context": "here",
        "clusters": [{"name": "here", "cluster": {"server": server}}],
        "users": [{"name": "me", "user": {}}],
        "contexts": [{"name": "here", "context": {"cluster": "here", "user": "me"}}],
    }
    path = folder / "config"
    path.write_text(yaml.safe_dump(config), "utf-8")
    return str(path)


@pytest.fixture
def closed() -> str:
    """Give an address where nobody listens."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{one.getsockname()[1]}"


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_nobody_listens(kedge: Run, tmp_path: Path, closed: str, command: tuple[str, ...]) -> None:
    result = kedge(*command, KUBECONFIG=kubeconfig(tmp_path, closed), **dict.fromkeys(UNSET))
    assert (result.exit_code, result.stdout) == (1, "")
    told = f"An error occurred: {closed} can not be reached: connection refused; {REACH}\n"
    assert result.stderr == told


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_no_kubeconfig(kedge: Run, tmp_path: Path, command: tuple[str, ...]) -> None:
    env = dict.fromkeys((*UNSET, "KUBECONFIG", "KUBERNETES_SERVICE_HOST"))
    result = kedge(*command, HOME=str(tmp_path), **env)
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr.count("\n") == 1
    assert "name a file with --kubeconfig or KUBECONFIG" in result.stderr


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_kubeconfig_that_is_not_there(
    kedge: Run, tmp_path: Path, command: tuple[str, ...]
) -> None:
    absent = tmp_path / "absent"
    result = kedge(*command, "--kubeconfig", str(absent), **dict.fromkeys(UNSET))
    told = f"An error occurred: kubeconfig {absent} does not exist; {MISSING_FILE}\n"
    assert (result.exit_code, result.stderr) == (1, told)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_context_that_is_not_there(
    kedge: Run, tmp_path: Path, closed: str, command: tuple[str, ...]
) -> None:
    env = {"KUBECONFIG": kubeconfig(tmp_path, closed), **dict.fromkeys(UNSET)}
    result = kedge(*command, "--kubecontext", "there", **env)
    told = "An error occurred: context 'there' does not exist; there are: here\n"
    assert (result.exit_code, result.stderr) == (1, told)


def test_the_doctor_tells_of_the_way_to_the_cluster(
    kedge: Run, tmp_path: Path, closed: str
) -> None:
    env = {"KUBECONFIG": kubeconfig(tmp_path, closed), **dict.fromkeys(UNSET)}
    result = kedge("doctor", **env)
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout == (
        f"ok    kubeconfig: {closed}, namespace default\n"
        f"fail  cluster: {closed} can not be reached: connection refused\n"
        f"      do: {REACH}\n"
        "\n1 ok, 0 warn, 1 fail\n"
    )
    lost = kedge("doctor", "--kubecontext", "there", "-o", "json", **env)
    assert lost.exit_code == 1
    assert '"level": "fail"' in lost.stdout
    assert "context 'there' does not exist; there are: here" in lost.stdout
