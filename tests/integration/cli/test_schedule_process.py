"""The command as a process of its own, on a terminal and in a pipe."""

import os
import pty
import subprocess
import sys

import pytest

from kedge.api.crd import crds
from tests.integration.cli.session import Session, session
from tests.unit.api.stock import stock_crds

KEDGE = (sys.executable, "-m", "kedge")


def environment(place: Session, **changes: str) -> dict[str, str]:
    hidden = {"NO_COLOR", "KEDGE_NAMESPACE", "VELERO_NAMESPACE", "KEDGE_KUBECONFIG"}
    kept = {name: value for name, value in os.environ.items() if name not in hidden}
    return kept | {"TERM": "xterm", "KUBECONFIG": str(place.kube.kubeconfig)} | changes


def on_a_terminal(place: Session, *args: str, **changes: str) -> str:
    ours, theirs = pty.openpty()
    command = (*KEDGE, *args)
    with subprocess.Popen(command, stdout=theirs, env=environment(place, **changes)) as process:
        os.close(theirs)
        written = b""
        while chunk := _read(ours):
            written += chunk
        assert process.wait(timeout=30) == 0
    os.close(ours)
    return written.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so when the other side is closed
        return b""


def test_colour_is_for_terminals_and_not_against_the_will_of_their_users(place: Session) -> None:
    place.create("a")
    place.set_status("a", {"phase": "Enabled"})
    describe = ("schedule", "describe", "a")
    green = "\x1b[32mEnabled\x1b[0m"
    assert green in on_a_terminal(place, *describe)
    assert "\x1b" not in on_a_terminal(place, *describe, NO_COLOR="1")
    assert "\x1b" not in on_a_terminal(place, *describe, "--colorized=false")
    piped = subprocess.run(
        (*KEDGE, *describe), env=environment(place), capture_output=True, text=True, check=True
    )
    assert "\x1b" not in piped.stdout
    forced = subprocess.run(
        (*KEDGE, *describe, "--colorized"),
        env=environment(place, NO_COLOR="1"),
        capture_output=True,
        text=True,
        check=True,
    )
    assert green in forced.stdout


def test_names_that_are_printed_can_be_handed_on(place: Session) -> None:
    place.create("a")
    place.create("b")
    line = f"{' '.join(KEDGE)} schedule get -o name | xargs {' '.join(KEDGE)} schedule pause"
    done = subprocess.run(
        line, shell=True, env=environment(place), capture_output=True, text=True, check=True
    )
    assert done.stdout == "Schedule a paused successfully\nSchedule b paused successfully\n"


@pytest.mark.parametrize("kinds", [crds, stock_crds], ids=["ours", "a stock Velero's"])
def test_the_commands_work_with_the_kinds_of_either(kinds: object) -> None:
    assert callable(kinds)
    with session(kinds=kinds()) as place:
        for args in (
            ("create", "a", "--schedule=@daily", "--ttl=24h", "--skip-immediately", "--paused"),
            ("get", "a"),
            ("describe", "a"),
            ("preview", "a"),
            ("unpause", "a"),
            ("pause", "a"),
        ):
            result = place.kedge("schedule", *args)
            assert (result.exit_code, result.stderr) == (0, ""), args
        assert place.get("a")["spec"]["skipImmediately"] is True
        assert place.kedge("backup", "create", "--from-schedule", "a").exit_code == 0
        assert place.kedge("schedule", "delete", "--all", "--confirm").exit_code == 0
