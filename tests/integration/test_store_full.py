"""No space left: writers are told, readers go on, and with space everything goes on."""

import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = Path(__file__).with_name("store_full.py")


def run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == ("ok\n", "", 0)


def test_files_that_may_not_grow_are_no_end(tmp_path: Path) -> None:
    run(sys.executable, str(PROGRAM), str(tmp_path / "kedge.db"), "limit")


def test_a_full_disk_is_no_end(tmp_path: Path) -> None:
    inside = ["unshare", "--map-root-user", "--mount", "sh", "-ec"]
    mount = 'mount -t tmpfs -o size=2m tmpfs "$0"'
    try:
        subprocess.run([*inside, mount, str(tmp_path)], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip(
            "a small disk cannot be mounted here: unshare(1) and user namespaces are needed"
        )
    run(*inside, f'{mount}; exec "$@"', str(tmp_path), sys.executable, str(PROGRAM),
        str(tmp_path / "kedge.db"), "disk")  # fmt: skip
