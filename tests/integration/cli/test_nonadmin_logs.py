"""`kedge nab logs` and `kedge nar logs`, with a test in the place of the server."""

import asyncio
import threading
from collections.abc import Iterator
from typing import Any

import pytest
from click.testing import Result

from kedge.api.nonadmin.download_request import NON_ADMIN_DOWNLOAD_REQUEST
from kedge.cli.nab.kind import NABS
from kedge.cli.nar.kind import NARS
from tests.integration.cli.hand import Hand, packed
from tests.integration.cli.session import PATIENCE_SECONDS, PAUSE_SECONDS, Session, session
from tests.integration.eventually import pause

Object = dict[str, Any]
REQUESTS = NON_ADMIN_DOWNLOAD_REQUEST.collection("shop")
LOGS = ("nab", "logs", "nightly", "-n", "shop")


@pytest.fixture(scope="module")
def place() -> Iterator[Session]:
    """Give a cluster with backups in a location of their user's: one is over, and one is not."""
    files = {(kind, "x"): packed("level=info msg=done\n") for kind in ("BackupLog", "RestoreLog")}
    with session(hand=Hand(files=files)) as running:
        running.namespace("shop")
        kept(running, "nightly", "Completed")
        kept(running, "now", "InProgress")
        kept(running, "new", "")
        kept(running, "odd", "FailedValidation")
        restored(running, "back", "nightly")
        restored(running, "lost", "none")
        yield running


def kept(place: Session, name: str, phase: str) -> None:
    client, where = place.kube.client, NABS.collection("shop")
    head = {"apiVersion": NABS.api_version, "kind": NABS.name, "metadata": {"name": name}}
    spec = {"backupSpec": {"storageLocation": "mine"}}
    place.call(client.create(where, {**head, "spec": spec}))
    status = {"veleroBackup": {"name": "x", "status": {"phase": phase}}}
    place.call(client.patch(f"{where}/{name}/status", {"status": status}))


def restored(place: Session, name: str, backup: str) -> None:
    client, where = place.kube.client, NARS.collection("shop")
    head = {"apiVersion": NARS.api_version, "kind": NARS.name, "metadata": {"name": name}}
    spec = {"restoreSpec": {"backupName": backup}}
    place.call(client.create(where, {**head, "spec": spec}))
    status = {"veleroRestore": {"name": "x", "status": {"phase": "Failed"}}}
    place.call(client.patch(f"{where}/{name}/status", {"status": status}))


def answered(place: Session, status: Object, *args: str) -> tuple[Result, Object]:
    """Run the command; answer its request, and give that, too."""
    found: list[Result] = []
    running = threading.Thread(target=lambda: found.append(place.kedge(*(args or LOGS))))
    running.start()
    request = place.call(_answer(place, status))
    running.join(PATIENCE_SECONDS)
    return found[0], request


async def _answer(place: Session, status: Object) -> Object:
    client = place.kube.client
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not (found := (await client.get(REQUESTS))["items"]):
            await pause(PAUSE_SECONDS)
        name = found[0]["metadata"]["name"]
        await client.patch(f"{REQUESTS}/{name}/status", {"status": status})
        return dict(found[0])


def url(place: Session, name: str) -> Object:
    assert place.hand is not None
    told = {"phase": "Processed", "downloadURL": f"{place.hand.url}/BackupLog/{name}"}
    return {"velero": {"status": told}}


def left(place: Session) -> list[Object]:
    return list(place.call(place.kube.client.get(REQUESTS))["items"])


def test_the_log_is_fetched_and_no_request_is_left(place: Session) -> None:
    done, request = answered(place, url(place, "x"))
    assert (done.exit_code, done.stdout, done.stderr) == (0, "level=info msg=done\n", "")
    assert request["spec"]["target"] == {"kind": "BackupLog", "name": "nightly"}
    assert left(place) == []


@pytest.mark.parametrize("name", ["back", "lost"])
def test_the_log_of_a_restore_is_fetched_as_well(place: Session, name: str) -> None:
    done, request = answered(place, url(place, "x"), "nar", "logs", name, "-n", "shop")
    assert (done.exit_code, done.stdout, done.stderr) == (0, "level=info msg=done\n", "")
    assert request["spec"]["target"] == {"kind": "RestoreLog", "name": name}


def test_a_log_that_was_not_kept_is_told(place: Session) -> None:
    done, _ = answered(place, url(place, "none"))
    assert done.exit_code == 1
    assert 'no log of NonAdminBackup "nightly" was kept' in done.stderr


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("NonAdminBackupStorageLocationNotUsed", "whose files are not given out"),
        ("NonAdminBackupNotAvailable", "the backup, which says where the file is kept, is gone"),
    ],
)
def test_a_request_that_is_refused_is_told_with_the_reason(
    place: Session, kind: str, words: str
) -> None:
    time = "2026-03-27T12:00:00Z"
    condition = {"type": kind, "status": "True", "reason": "Error", "message": "no"}
    conditions = [condition | {"lastTransitionTime": time}]
    done, _ = answered(place, {"phase": "BackingOff", "conditions": conditions})
    assert done.exit_code == 1
    assert words in done.stderr
    assert left(place) == []


def test_a_server_that_does_not_answer_is_waited_for_no_longer_than_asked(place: Session) -> None:
    done = place.kedge(*LOGS, "--timeout", "10ms")
    assert done.exit_code == 1
    assert "--timeout waits longer" in done.stderr
    assert left(place) == []


def test_there_is_no_log_before_the_end(place: Session) -> None:
    for name, words in (("now", "its backup is InProgress"), ("new", "there is no backup yet")):
        done = place.kedge("nab", "logs", name, "-n", "shop")
        assert done.exit_code == 1
        assert done.stderr.endswith(f"until it is over: {words}\n")


def test_there_is_no_log_of_what_never_ran(place: Session) -> None:
    done = place.kedge("nab", "logs", "odd", "-n", "shop")
    assert (done.exit_code, done.stderr) == (
        1,
        'An error occurred: NonAdminBackup "odd" is FailedValidation: it never ran, and has no '
        "log; `kedge nab describe odd -n shop` says why\n",
    )


def test_certificates_that_can_not_be_read_are_told(place: Session) -> None:
    done = place.kedge(*LOGS, "--cacert", "/nowhere/ca.pem")
    assert done.exit_code == 1
    assert "couldn't open cacert /nowhere/ca.pem" in done.stderr
