"""What is told when a server of ours can not start: the port, or the folder, whichever it was."""

import errno
from pathlib import Path

import pytest
from click.testing import CliRunner

from kedge.cli.app import kedge
from kedge.cli.listening import start_refusal


@pytest.mark.parametrize("command", ["up", "apiserver"])
def test_a_folder_that_can_not_be_made_is_named(command: str, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    data = tmp_path / "taken" / "data"
    found = CliRunner().invoke(kedge, [command, "--data", str(data), "--port", "0"])
    assert found.exit_code == 1
    assert f"can not use {data}: " in found.output
    assert "--data names another folder" in found.output
    assert "listen" not in found.output


def test_a_port_that_is_taken_is_named() -> None:
    told = start_refusal(OSError(errno.EADDRINUSE, "address already in use"), "::1", 6443)
    assert told.message == (
        "can not listen on ::1:6443: address already in use; --port 0 takes a free one"
    )
