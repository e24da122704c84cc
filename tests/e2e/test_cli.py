"""The installed command in a process of its own: what only a real process can show."""

import os
import pty
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

from kedge import __version__

KEDGE = str(Path(sysconfig.get_path("scripts")) / "kedge")
NEXT = (KEDGE, "cron", "next", "30 2 * * *", "--after", "2026-03-28T00:00Z", "--count", "2")
EXPLAIN = (KEDGE, "cron", "explain", "0 8 * * *", "--after", "2026-03-27T12:00Z")
ENDLESS = (KEDGE, "cron", "between", "* * * * *", "--start", "0002-01-01", "--end", "9998-01-01")


def environment(**changes: str) -> dict[str, str]:
    """Return the environment of this process without what colours or encodes, with changes."""
    hidden = {"NO_COLOR", "TERM", "PYTHONIOENCODING", "PYTHONUTF8", "LC_ALL"}
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    return kept | {"TERM": "xterm", "LC_ALL": "C.UTF-8"} | changes


def run(*command: str | bytes, **changes: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        command, capture_output=True, env=environment(**changes), timeout=30, check=False
    )


def on_a_terminal(*command: str, **changes: str) -> str:
    """Run a command whose output is a terminal, and return what it wrote there."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(command, stdout=theirs, env=environment(**changes)) as process:
        os.close(theirs)
        written = b""
        while chunk := _read(ours):
            written += chunk
        assert process.wait(timeout=30) == 0
    os.close(ours)
    return written.decode().replace("\r\n", "\n")


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so when the other side is closed
        return b""


@pytest.mark.parametrize("command", [(KEDGE,), (sys.executable, "-m", "kedge")])
def test_it_is_installed(command: tuple[str, ...]) -> None:
    done = run(*command, "--version")
    assert (done.returncode, done.stdout) == (0, f"kedge {__version__}\n".encode())
    wrong = run(*command, "nope")
    assert (wrong.returncode, wrong.stderr) == (
        2,
        b"kedge: no such command 'nope' (see 'kedge --help')\n",
    )


def test_a_closed_pipe_is_silent() -> None:
    command = [*ENDLESS, "--limit", "5000"]  # more than a pipe holds
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert process.stdout.readline().startswith(b"LOCAL TIME")
        process.stdout.close()
        assert process.stderr.read() == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_one_line() -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(NEXT, stdout=full, stderr=subprocess.PIPE, timeout=30, check=False)
    assert (done.returncode, done.stderr) == (1, b"kedge: No space left on device\n")


def _heed_ctrl_c() -> None:
    """A job in the background of a shell inherits that Ctrl-C is ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_ctrl_c_ends_it_with_130_and_no_traceback() -> None:
    with subprocess.Popen(
        [*ENDLESS, "--limit", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=_heed_ctrl_c,
    ) as process:
        with pytest.raises(subprocess.TimeoutExpired):
            process.communicate(timeout=1.5)  # long past the start, far from the end
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
    assert (process.returncode, errors.strip()) == (130, b"")


def test_an_argument_of_any_bytes_is_answered_in_one_line() -> None:
    done = run(KEDGE, "cron", "next", b"\xff\x1b[31m * * * *")
    assert done.returncode == 1
    assert done.stderr.startswith(b"kedge: ")
    assert done.stderr.count(b"\n") == 1
    assert b"\x1b" not in done.stderr
    assert b"internal" not in done.stderr


@pytest.mark.parametrize("changes", [{"LC_ALL": "C"}, {"PYTHONIOENCODING": "ascii"}])
def test_an_output_that_is_not_utf8_does_not_break_it(changes: dict[str, str]) -> None:
    done = run(*EXPLAIN, "--picture", **changes)
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"several, in that hour" in done.stdout
    if "PYTHONIOENCODING" in changes:
        assert done.stdout.isascii()
        assert b"# several" in done.stdout


def test_a_terminal_gets_colour_and_the_picture() -> None:
    text = on_a_terminal(*EXPLAIN)
    assert "several, in that hour" in text
    assert "\x1b[2m" in text
    assert "\x1b[1m" in on_a_terminal(*NEXT)


@pytest.mark.parametrize("changes", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_a_terminal_without_colour_gets_the_picture_still(changes: dict[str, str]) -> None:
    text = on_a_terminal(*EXPLAIN, **changes)
    assert "several, in that hour" in text
    assert "\x1b" not in text


def test_a_pipe_gets_neither() -> None:
    done = run(*EXPLAIN)
    assert b"several" not in done.stdout
    assert b"\x1b" not in done.stdout


def test_bash_completes_with_our_script() -> None:
    script = (
        f'PATH="{Path(KEDGE).parent}:$PATH"; eval "$(kedge completion bash)";'
        " COMP_WORDS=(kedge cr); COMP_CWORD=1; _kedge_completion kedge; echo ${COMPREPLY[@]}"
    )
    assert run("bash", "--norc", "-c", script).stdout == b"create cron\n"
