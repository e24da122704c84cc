"""Waiting for a backup as a process of its own: on a terminal, and interrupted."""

import os
import pty
import signal
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kedge.api.crd import crds
from kedge.api.velero.backup import BACKUP
from kedge.api.velero.restore import RESTORE
from tests.integration.cli.hand import ANY, DONE, Hand, packed
from tests.integration.cli.session import Session, session
from tests.integration.cli.test_schedule_process import KEDGE, environment
from tests.unit.api.stock import stock_crds

PATIENCE_SECONDS = 60.0


@contextmanager
def on_a_terminal(place: Session, *args: str) -> Iterator[tuple[subprocess.Popen[str], int]]:
    """Run a command whose stderr is a terminal; give it, and our side of the terminal."""
    ours, theirs = pty.openpty()
    command = (*KEDGE, *args)
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=theirs, text=True, env=environment(place)
    ) as process:
        os.close(theirs)
        try:
            yield process, ours
        finally:
            process.kill()
            os.close(ours)


def read(terminal: int) -> str:
    try:
        return os.read(terminal, 65536).decode()
    except OSError:  # Linux says so when the other side is closed
        return ""


def read_until(terminal: int, text: str) -> str:
    shown = ""
    end = time.monotonic() + PATIENCE_SECONDS
    while text not in shown:
        assert time.monotonic() < end, shown
        shown += read(terminal)
    return shown


def test_a_bar_is_drawn_on_a_terminal_and_goes_away(shop: Session, hand: Hand) -> None:
    hand.is_silent = True
    with on_a_terminal(shop, "backup", "create", "a", "-w") as (process, terminal):
        read_until(terminal, "New ")
        path = f"{BACKUP.collection('velero')}/a/status"
        progress = {"phase": "InProgress", "progress": {"totalItems": 4, "itemsBackedUp": 1}}
        shop.call(shop.kube.client.patch(path, {"status": progress}))
        read_until(terminal, "1/4 items 25%")
        shop.call(shop.kube.client.patch(path, {"status": DONE}))
        shown = read_until(terminal, "Completed")
        stdout, _ = process.communicate(timeout=PATIENCE_SECONDS)
        while piece := read(terminal):
            shown += piece
        assert shown.endswith("\r\x1b[K")
        assert process.returncode == 0
    assert stdout.splitlines()[-1].startswith("Backup completed with status: Completed.")
    assert "." not in stdout.splitlines()[2:-1]


def test_ctrl_c_ends_the_waiting_and_not_the_backup(shop: Session, hand: Hand) -> None:
    hand.is_silent = True
    with on_a_terminal(shop, "backup", "create", "a", "-w") as (process, terminal):
        shown = read_until(terminal, "New ")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE_SECONDS)
        assert process.returncode == 130
        while piece := read(terminal):
            shown += piece
        assert shown.rstrip("\r\n").endswith("\r\x1b[K")
        assert "Traceback" not in shown
    assert len(shop.all(BACKUP)) == 1


def test_one_that_disappears_while_it_is_waited_for_is_a_failure(shop: Session, hand: Hand) -> None:
    hand.is_silent = True
    with on_a_terminal(shop, "backup", "create", "a", "-w") as (process, terminal):
        read_until(terminal, "New ")
        shop.empty(BACKUP)
        told = 'An error occurred: backup "a" was deleted while it was waited for'
        read_until(terminal, told)
        process.communicate(timeout=PATIENCE_SECONDS)
        assert process.returncode == 1


@pytest.mark.parametrize("kind", ["backup", "restore"])
def test_a_log_that_can_not_be_written_is_told_in_one_line(
    shop: Session, hand: Hand, kind: str
) -> None:
    """A file that is cut off in the middle has connections and generators behind it."""
    shop.put(BACKUP, "a", status=DONE)
    shop.put(RESTORE, "a", spec={"backupName": "a"}, status=DONE)
    hand.files["BackupLog", "a"] = hand.files["RestoreLog", "a"] = packed("line\n" * 200_000)
    with open("/dev/full", "wb") as full:
        done = subprocess.run(
            [*KEDGE, kind, "logs", "a"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            env=environment(shop),
            timeout=PATIENCE_SECONDS,
            check=False,
        )
    assert (done.returncode, done.stderr) == (1, "kedge: No space left on device\n")


@pytest.mark.parametrize("args", [("backup", "get"), ("version", "--client-only")])
def test_a_look_does_not_load_what_it_does_not_need(shop: Session, args: tuple[str, ...]) -> None:
    """Each costs tens of milliseconds."""
    shop.put(BACKUP, "a", status=DONE)
    script = (
        "import sys\nfrom kedge.cli.app import kedge\n"
        f"try:\n    kedge.main({list(args)!r}, prog_name='kedge')\n"
        "finally:\n    print([m for m in ('kedge.engine', 'kedge.archive', 'kedge.apiserver', "
        "'yaml', 'obstore', 'kedge.controllers') if m in sys.modules], file=sys.stderr)\n"
    )
    done = subprocess.run(
        (KEDGE[0], "-c", script), env=environment(shop), capture_output=True, text=True, check=True
    )
    assert done.stderr.strip() in ("[]", "['yaml']")


@pytest.mark.parametrize("kinds", [crds, stock_crds], ids=["ours", "a stock Velero's"])
def test_the_commands_work_with_the_kinds_of_either(kinds: Any, tmp_path: Path) -> None:
    hand = Hand(usual={"Backup": [DONE], "Restore": [DONE]})
    for target in ("BackupLog", "RestoreLog", "BackupContents"):
        hand.files[target, ANY] = packed("x\n")
    with session(kinds=kinds(), hand=hand) as place:
        for args in (
            ("backup-location", "create", "l", "--provider=aws", "--bucket=b", "--default"),
            ("backup-location", "set", "l", "--credential=s=k"),
            ("backup-location", "get"),
            ("backup", "create", "b", "--storage-location=l", "--ttl=1h", "--wait"),
            ("backup", "get", "b"),
            ("backup", "describe", "b", "--details"),
            ("backup", "logs", "b"),
            ("backup", "download", "b", "-o", str(tmp_path / "b")),
            ("restore", "create", "r", "--from-backup=b", "--wait"),
            ("restore", "get", "r"),
            ("restore", "describe", "r", "--details"),
            ("restore", "logs", "r"),
            ("restore", "delete", "r", "--confirm", "--wait"),
            ("backup", "delete", "b", "--confirm", "--wait"),
            ("backup-location", "delete", "l", "--confirm"),
            ("version",),
        ):
            result = place.kedge(*args)
            assert (result.exit_code, result.stderr) == (0, ""), args
