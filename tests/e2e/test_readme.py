"""The two commands of the README, as a newcomer runs them: in a fresh copy, from nothing."""

import os
import shutil
import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.e2e.pages.blocks import README, ROOT, page_at
from tests.e2e.terminal import CTRL_C, terminal

LEFT_OUT = shutil.ignore_patterns(
    ".git", ".venv", ".uv", ".*_cache", ".hypothesis", "__pycache__", "kedge-data", "site", "*.pyc"
)
PORT = 6443
LONG_SECONDS = 1200.0
ONE_TEST = "test_it_is_installed"
COMMANDS = {
    block.marks[README]: block.body.strip()
    for block in page_at(ROOT / "README.md").blocks
    if README in block.marks
}


def is_free(port: int) -> bool:
    with closing(socket.socket()) as plug:
        plug.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            plug.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def bare() -> dict[str, str]:
    """Give the environment of somebody who has not set up anything of ours."""
    venv = str(ROOT / ".venv")
    path = [one for one in os.environ["PATH"].split(os.pathsep) if not one.startswith(venv)]
    hidden = ("KEDGE_", "PYTEST_", "KUBECONFIG", "VIRTUAL_ENV", "MAKE", "MFLAGS", "COV_")
    kept = {name: text for name, text in os.environ.items() if not name.startswith(hidden)}
    return kept | {"PATH": os.pathsep.join(path)}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A copy of the repository, with nothing that was made in it."""
    folder = tmp_path_factory.mktemp("newcomer") / "kedge"
    shutil.copytree(ROOT, folder, ignore=LEFT_OUT, symlinks=True)
    yield folder
    shutil.rmtree(folder)


def test_the_readme_has_the_two_commands() -> None:
    assert COMMANDS == {"up": "make up", "test": "make test"}


@pytest.mark.slow
def test_the_first_command_sets_up_and_runs_all_of_it(copy: Path) -> None:
    if not is_free(PORT):
        pytest.skip(f"port {PORT} is taken")
    with terminal(["bash", "-c", COMMANDS["up"]], copy, bare(), LONG_SECONDS) as screen:
        shown = screen.wait_for("Ctrl-C stops it.")
        assert f"ready: https://127.0.0.1:{PORT}" in shown
        config = copy / "kedge-data" / "kubeconfig"
        assert f"export KUBECONFIG={config}" in shown
        command = [str(copy / ".venv/bin/kedge"), "backup", "create", "first", "--wait"]
        env = bare() | {"KUBECONFIG": str(config)}
        made = subprocess.run(
            command, env=env, capture_output=True, text=True, timeout=LONG_SECONDS, check=False
        )
        assert "status: Completed" in made.stdout, made.stderr
        screen.press(CTRL_C)
        screen.end()
        assert "goes on where it was" in screen.screen
        assert "Traceback" not in screen.screen


@pytest.mark.slow
def test_the_second_command_runs_tests(copy: Path) -> None:
    done = subprocess.run(
        ["bash", "-c", COMMANDS["test"]],
        cwd=copy,
        env=bare() | {"PYTEST_ADDOPTS": f"-k {ONE_TEST}"},
        capture_output=True,
        text=True,
        timeout=LONG_SECONDS,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
