"""What is told when a server of ours can not start: the port, or the folder, whichever it was."""

import errno
import os
import socket
from pathlib import Path

import pytest
from click.testing import CliRunner

from kedge.apiserver.settings import ServerSettings
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


@pytest.mark.parametrize("command", ["up", "apiserver"])
def test_a_port_that_is_taken_is_named(command: str, tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        data = ["--data", str(tmp_path / "data")]
        found = CliRunner().invoke(kedge, [command, *data, "--port", str(port)])
    assert (found.exit_code, found.output) == (
        1,
        f"kedge: can not listen on 127.0.0.1:{port}: Address already in use;"
        " --port 0 takes a free one\n",
    )


@pytest.mark.parametrize(
    ("error", "end"),
    [
        (
            OSError(errno.EADDRNOTAVAIL, "error while attempting to bind on address"),
            "Cannot assign requested address; --host names an address of this machine",
        ),
        (
            socket.gaierror(socket.EAI_NONAME, "Name or service not known"),
            "Name or service not known; --host names an address of this machine",
        ),
        (
            OSError(errno.EACCES, "error while attempting to bind on address"),
            "Permission denied; --port names one above 1023",
        ),
    ],
    ids=["not ours", "unknown", "privileged"],
)
def test_what_helps_fits_what_is_wrong_with_an_address(error: OSError, end: str) -> None:
    settings = ServerSettings("data", "a.example", 443)
    assert start_refusal(error, settings).message == f"can not listen on a.example:443: {end}"


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS])
def test_a_disk_that_takes_nothing_is_no_matter_of_the_port(code: int) -> None:
    told = start_refusal(OSError(code, os.strerror(code)), ServerSettings("data"))
    assert told.message == f"can not use data: {os.strerror(code)}; --data names another folder"
