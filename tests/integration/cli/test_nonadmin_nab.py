"""`kedge nab` on the embedded API, with the controllers of self-service behind it."""

import asyncio
import json
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from click.testing import Result

from kedge.api.velero.backup import BACKUP
from kedge.cli.nab.kind import NABS
from kedge.cli.nab.request import is_lost
from tests.integration.cli.hand import DONE, Hand, reset
from tests.integration.cli.session import (
    NAMESPACE,
    PATIENCE_SECONDS,
    PAUSE_SECONDS,
    Session,
    session,
)
from tests.integration.eventually import pause

SHOP = ("-n", "shop")
Object = dict[str, Any]
POLICY = {"enforceBackupSpec": "{ttl: 36h, snapshotVolumes: false}"}
CONFIGS = f"/api/v1/namespaces/{NAMESPACE}/configmaps"


@pytest.fixture(scope="module")
def cluster() -> Iterator[Session]:
    """Give a cluster with the controllers of self-service, for all tests of a module."""
    with session(controlled=True, hand=Hand(), served=True) as running:
        running.namespace("shop")
        yield running


@pytest.fixture
def place(cluster: Session) -> Session:
    """Give that cluster without backups; those that are asked for end well."""
    assert cluster.hand is not None
    reset(cluster.hand)
    cluster.hand.usual = {"Backup": [DONE]}
    cluster.call(cluster.kube.client.delete(CONFIGS))
    assert cluster.kedge("nab", "delete", "--all", "--force", "--confirm", "--wait", *SHOP)
    assert cluster.kedge("nab", "get", *SHOP, "-o", "name").stdout == ""
    return cluster


def outcome(result: Result) -> tuple[int, str, str]:
    return result.exit_code, result.stdout, result.stderr


def read(place: Session, name: str) -> Object:
    return dict(place.call(place.kube.client.get(f"{NABS.collection('shop')}/{name}")))


def ask(place: Session, name: str, **parts: Any) -> None:
    """Create a NonAdminBackup, past the command."""
    head = {"apiVersion": NABS.api_version, "kind": NABS.name, "metadata": {"name": name}}
    place.call(place.kube.client.create(NABS.collection("shop"), head | parts))


async def until(place: Session, predicate: Callable[[list[Object]], bool]) -> None:
    """Wait until the NonAdminBackups of the namespace are as wanted."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not predicate((await place.kube.client.get(NABS.collection("shop")))["items"]):
            await pause(PAUSE_SECONDS)


def test_a_backup_is_made_listed_described_and_deleted_with_its_data(place: Session) -> None:
    done = place.kedge("nab", "create", "nightly", "--ttl", "72h", *SHOP)
    assert outcome(done) == (
        0,
        'NonAdminBackup "nightly" created successfully.\n'
        "Run `kedge nab describe nightly -n shop` to see what happens next.\n",
        "",
    )
    table = place.kedge("nab", "get", *SHOP).stdout.splitlines()
    assert table[0].split() == ["NAME", "REQUEST", "BACKUP", "QUEUE", "ITEMS", "AGE"]
    assert table[1].split()[:4] == ["nightly", "Created", "Completed", "0"]
    told = place.kedge("nab", "describe", "nab/nightly", *SHOP).stdout
    assert "Next:  It is complete" in told
    assert "TTL:  72h0m0s" in told
    done = place.kedge("nab", "delete", "nightly", "--confirm", "--wait", *SHOP)
    assert done.exit_code == 0
    assert done.stdout.endswith('NonAdminBackup "nightly" deleted successfully.\n')
    assert place.all(BACKUP) == []


def test_it_is_waited_for_until_it_is_completed(place: Session) -> None:
    done = place.kedge("nab", "create", "nightly", "--wait", *SHOP)
    assert done.exit_code == 0
    assert 'NonAdminBackup "nightly" ended with status: Completed.' in done.stdout
    assert done.stderr.splitlines()[-1] == "Completed"


class Every(dict[str, list[Object]]):
    """Gives the same outcome for every name."""

    def __init__(self, *statuses: Object) -> None:
        super().__init__()
        self.statuses = list(statuses)

    def get(self, key: str, default: Any = None) -> list[Object]:
        """Give it."""
        return self.statuses


@pytest.mark.parametrize("phase", ["Failed", "PartiallyFailed", "FailedValidation"])
def test_waiting_fails_unless_it_is_completed(place: Session, phase: str) -> None:
    assert place.hand is not None
    place.hand.usual = {}
    place.hand.outcomes = Every({"phase": "InProgress"}, {"phase": phase, "errors": 2})
    done = place.kedge("nab", "create", "bad", "--wait", *SHOP)
    assert done.exit_code == 1
    assert done.stderr.endswith(f'An error occurred: NonAdminBackup "bad" is {phase}: 2 errors\n')


def test_a_request_that_is_refused_ends_the_waiting_with_the_rule(place: Session) -> None:
    config = {"metadata": {"name": "kedge-nonadmin-policy"}, "data": POLICY}
    place.call(place.kube.client.create(CONFIGS, config))
    done = place.kedge("nab", "create", "long", "--ttl", "720h", "--wait", *SHOP)
    assert done.exit_code == 1
    assert done.stderr.splitlines()[-1] == (
        'An error occurred: NonAdminBackup "long" was not accepted: the administrator has '
        "restricted spec.backupSpec.ttl field value to 36h0m0s"
    )
    told = place.kedge("nab", "describe", "long", *SHOP).stdout
    assert "`kedge nab policy -n shop` prints the rules" in told
    log = place.kedge("nab", "logs", "long", *SHOP).stderr
    assert 'NonAdminBackup "long" was not accepted, and has no log' in log
    rules = place.kedge("nab", "policy", *SHOP).stdout
    assert "backupSpec.ttl" in rules
    assert "36h" in rules
    gone = place.kedge("nab", "delete", "long", "--confirm", *SHOP).stdout
    assert gone == 'NonAdminBackup "long" is being deleted: there is no backup of it.\n'


def test_a_backup_that_somebody_removed_is_told_to_be_gone(place: Session) -> None:
    place.kedge("nab", "create", "nightly", *SHOP)
    backup = read(place, "nightly")["status"]["veleroBackup"]["name"]
    place.call(place.kube.client.delete(f"{BACKUP.collection(NAMESPACE)}/{backup}"))

    def is_told(found: list[Object]) -> bool:
        return any(map(is_lost, found))

    place.call(until(place, is_told))
    told = place.kedge("nab", "describe", "nightly", *SHOP).stdout
    assert "Next:  The backup is gone and is not made again" in told
    assert "Backup:   <gone>" in told
    assert "Created   <gone>" in place.kedge("nab", "get", *SHOP).stdout
    gone = place.kedge("nab", "delete", "nightly", "--confirm", *SHOP).stdout
    assert gone.endswith("is being deleted: there is no backup of it.\n")


def test_the_place_in_the_queue_is_told_while_others_are_before_it(place: Session) -> None:
    assert place.hand is not None
    place.hand.usual, place.hand.is_silent = {}, True
    for name in ("first", "second"):
        ask(place, name, spec={"backupSpec": {}})

    def is_queued(found: list[Object]) -> bool:
        told = [one.get("status", {}).get("queueInfo", {}) for one in found]
        return any(one.get("estimatedQueuePosition") == 2 for one in told)

    place.call(until(place, is_queued))
    place.is_served = False
    try:
        told = place.kedge("nab", "describe", "second", *SHOP).stdout
        assert "waits in the queue with one other before it" in told
        assert "Queue Position:  2" in told
    finally:
        place.is_served = True
        place.hand.is_silent = False
        place.kedge("nab", "delete", "--all", "--force", "--confirm", "--wait", *SHOP)


def test_a_plain_deletion_leaves_words_and_the_command_goes_on_from_there(place: Session) -> None:
    place.kedge("nab", "create", "nightly", *SHOP)
    place.call(place.kube.client.delete(f"{NABS.collection('shop')}/nightly"))
    told = place.kedge("nab", "describe", "nightly", *SHOP).stdout
    assert "It stays until you say what becomes of the backup" in told
    done = place.kedge("nab", "delete", "nightly", "--confirm", "--wait", *SHOP)
    assert done.exit_code == 0
    assert place.kedge("nab", "get", *SHOP).stderr == "No NonAdminBackups found\n"


def test_a_deletion_that_fails_is_told_and_can_be_forced(place: Session) -> None:
    assert place.hand is not None
    place.kedge("nab", "create", "nightly", *SHOP)
    backup = read(place, "nightly")["status"]["veleroBackup"]["name"]
    place.hand.errors, place.hand.usual = {backup: ["the bucket is locked"]}, {}
    place.is_served = False
    try:
        done = place.kedge("nab", "delete", "nightly", "--confirm", "--wait", *SHOP)
        assert done.exit_code == 1
        assert done.stderr.endswith("and it is tried again: the bucket is locked\n")
        told = place.kedge("nab", "describe", "nightly", *SHOP).stdout
        assert "Deletion Failed:  the bucket is locked" in told
        assert "`kedge nab delete nightly --force -n shop` gives the backup up" in told
    finally:
        place.is_served = True
    done = place.kedge("nab", "delete", "nightly", "--force", "--confirm", "--wait", *SHOP)
    assert done.exit_code == 0
    assert "the data in the object storage stays behind" in done.stdout


def test_one_without_any_spec_can_be_deleted(place: Session) -> None:
    place.is_served = False
    try:
        ask(place, "empty")
        assert "Next:" in place.kedge("nab", "describe", "empty", *SHOP).stdout
    finally:
        place.is_served = True
    done = place.kedge("nab", "delete", "empty", "--confirm", "--wait", *SHOP)
    assert done.exit_code == 0


def test_what_is_asked_for_twice_or_in_vain_is_told(place: Session) -> None:
    place.kedge("nab", "create", "nightly", *SHOP)
    again = place.kedge("nab", "create", "nightly", *SHOP)
    assert again.exit_code == 1
    assert again.stderr.endswith('"nightly" already exists\n')
    missing = (
        'nonadminbackups.oadp.openshift.io "none" not found\n'
        'hint: looked for in namespace "shop"; -n names another one\n'
    )
    for verb in ("get", "describe", "logs", "delete"):
        flags = ["--confirm"] if verb == "delete" else []
        done = place.kedge("nab", verb, "none", *flags, *SHOP)
        assert (done.exit_code, done.stderr) == (1, f"An error occurred: {missing}")
    nowhere = place.kedge("nab", "create", "a", "-n", "nowhere")
    assert outcome(nowhere) == (
        1,
        "",
        'An error occurred: namespaces "nowhere" not found; name one that is there with -n\n',
    )
    done = place.kedge("nab", "create", "a", "--storage-location", "none", *SHOP)
    assert done.exit_code == 1
    assert 'nonadminbackupstoragelocations.oadp.openshift.io "none" not found' in done.stderr
    bad = place.kedge("nab", "create", "Not_A_Name", *SHOP)
    assert bad.exit_code == 1
    assert "Traceback" not in bad.output


def test_deletion_asks_first(place: Session) -> None:
    place.kedge("nab", "create", "nightly", *SHOP)
    assert place.kedge("nab", "delete", "nightly", *SHOP, stdin="n\n").exit_code == 0
    assert "deletionTimestamp" not in read(place, "nightly")["metadata"]


def test_the_forms_for_programs_are_whole(place: Session) -> None:
    place.kedge("nab", "create", "nightly", *SHOP)
    found = json.loads(place.kedge("nab", "get", "nightly", *SHOP, "-o", "json").stdout)
    assert found["kind"] == "NonAdminBackup"
    assert found["status"]["veleroBackup"]["status"]["phase"] == "Completed"
    names = place.kedge("nonadminbackups", "get", "-A", "-o", "name").stdout
    assert names == "nonadminbackup.oadp.openshift.io/nightly\n"
    assert place.kedge("nab", "get", names.strip(), *SHOP).exit_code == 0
    place.kedge("nab", "create", "weekly", *SHOP)
    several = json.loads(place.kedge("get", "nab", *SHOP, "-o", "json").stdout)
    assert (several["apiVersion"], several["kind"]) == ("v1", "List")
    assert [one["kind"] for one in several["items"]] == ["NonAdminBackup"] * 2


def test_one_that_disappears_while_it_is_waited_for_is_a_failure(place: Session) -> None:
    assert place.hand is not None
    place.hand.usual, place.hand.is_silent = {}, True
    place.is_served = False
    found: list[Result] = []
    waiting = threading.Thread(
        target=lambda: found.append(place.kedge("nab", "create", "gone", "--wait", *SHOP))
    )
    waiting.start()

    def is_made(found: list[Object]) -> bool:
        return any(one.get("status", {}).get("phase") == "Created" for one in found)

    try:
        place.call(until(place, is_made))
        place.kedge("nab", "delete", "gone", "--force", "--confirm", *SHOP)
        waiting.join(60)
    finally:
        place.is_served, place.hand.is_silent = True, False
    assert found
    assert found[0].exit_code == 1
    assert "deleted" in found[0].stderr


def test_a_server_without_the_kind_says_so() -> None:
    with session(kinds=[]) as bare:
        for command in (("get",), ("create", "a"), ("delete", "a", "--confirm"), ("logs", "a")):
            done = bare.kedge("nab", *command)
            assert done.exit_code == 1
            assert done.stderr == (
                "An error occurred: the server does not have nonadminbackups.oadp.openshift.io: "
                "install Kedge there with `kedge install`, or name another cluster with "
                "--kubecontext\n"
            )
