"""`kedge status` on the embedded API: for an administrator, a tenant, and on a bare cluster."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from kedge.api.nonadmin.backup import NON_ADMIN_BACKUP
from kedge.api.velero.backup import BACKUP
from kedge.api.velero.server_status import SERVER_STATUS_REQUEST
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
from tests.integration.cli.hand import Hand
from tests.integration.cli.session import Session, session
from tests.integration.cli.tenant import admit

GOOD = {"phase": "Available", "lastValidationTime": "2026-03-27T11:59:30Z"}
NAMESPACED = {"spec": {"provider": "aws", "objectStorage": {"bucket": "b"}}}


@pytest.fixture(scope="module")
def harbour() -> Iterator[Session]:
    """Give a cluster whose location works."""
    with session(hand=Hand()) as running:
        running.namespace("shop")
        running.put(BACKUP_STORAGE_LOCATION, "default", **NAMESPACED, status=GOOD)
        running.create("nightly")
        yield running


def test_an_administrator_sees_all(harbour: Session) -> None:
    result = harbour.kedge("status")
    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.startswith(
        "Server runs: it looks at the storage locations; nothing is wrong\n"
    )
    assert "  schedule nightly  backup  2026-03-28T00:00:00Z  in 12h\n" in result.stdout


def test_something_wrong_is_exit_code_1_in_every_form(harbour: Session) -> None:
    ended = {"phase": "Failed", "completionTimestamp": "2026-03-27T11:00:00Z"}
    harbour.put(BACKUP, "bad", status=ended | {"failureReason": "disk full"})
    try:
        table = harbour.kedge("status")
        assert (table.exit_code, table.stderr) == (1, "")
        assert (
            "  backup bad: Failed: disk full\n    do: kedge backup describe bad\n" in table.stdout
        )
        document = harbour.kedge("status", "-o", "json")
        assert document.exit_code == 1
        (problem,) = json.loads(document.stdout)["wrong"]
        assert problem == {
            "kind": "Backup",
            "namespace": "velero",
            "name": "bad",
            "problem": "Failed: disk full",
            "do": "kedge backup describe bad",
        }
    finally:
        harbour.empty(BACKUP)


def test_a_tenant_sees_their_own_namespace_and_one_line_about_the_rest(
    harbour: Session, tmp_path: Path
) -> None:
    kubeconfig = admit(harbour, tmp_path, "shop")
    refused = {"type": "Accepted", "status": "False", "reason": "X", "message": "ttl is too long"}
    made = harbour.put(
        NON_ADMIN_BACKUP, "mine", metadata={"namespace": "velero"}, spec={"backupSpec": {}}
    )
    assert made["metadata"]["name"] == "mine"
    place = NON_ADMIN_BACKUP.collection("shop")
    body = {
        "apiVersion": NON_ADMIN_BACKUP.api_version,
        "kind": NON_ADMIN_BACKUP.name,
        "metadata": {"name": "ours"},
        "spec": {"backupSpec": {}},
    }
    harbour.call(harbour.kube.client.create(place, body))
    status = {
        "status": {
            "phase": "BackingOff",
            "conditions": [refused | {"lastTransitionTime": "2026-03-27T11:00:00Z"}],
        }
    }
    harbour.call(harbour.kube.client.patch(f"{place}/ours/status", status))
    result = harbour.kedge("status", KUBECONFIG=str(kubeconfig))
    assert (result.exit_code, result.stderr) == (1, "")
    assert result.stdout.startswith("Server can not be seen; 1 thing is wrong\n")
    assert "  nab shop/ours: ttl is too long\n    do: kedge nab describe ours -n shop\n" in (
        result.stdout
    )
    assert "mine" not in result.stdout
    told = [line for line in result.stdout.splitlines() if line.startswith("Not seen: ")]
    assert len(told) == 1
    assert told[0].startswith("Not seen: you may not see schedules, ")
    assert told[0].endswith(", nor other namespaces than shop")


def test_another_namespace_is_pointed_to(harbour: Session) -> None:
    result = harbour.kedge("status", "-n", "shop")
    assert result.exit_code == 1
    assert "do: kedge status -n velero\n" in result.stdout


def test_a_namespace_that_is_not_there_is_named(harbour: Session) -> None:
    result = harbour.kedge("status", "-n", "nowhere")
    assert result.exit_code == 1
    assert (
        "WRONG\n"
        '  deployment kedge: the server does not run: there is no namespace "nowhere"; Velero\'s'
        " objects are in another namespace\n"
        "    do: kedge status -n velero\n"
    ) in result.stdout
    assert "there is no storage location" not in result.stdout


def test_nothing_installed_says_how_to_install() -> None:
    with session(kinds=[]) as bare:
        result = bare.kedge("status")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "An error occurred: Kedge is not installed on this cluster: none of its kinds is there; "
        "install it with `kedge install`, or name another cluster with --kubeconfig or "
        "--kubecontext\n"
    )


def test_a_lease_that_another_server_left_does_not_hide_one_that_answers(
    harbour: Session,
) -> None:
    leases = "/apis/coordination.k8s.io/v1/namespaces/velero/leases"
    left = {"metadata": {"name": "kedge"}, "spec": {"holderIdentity": ""}}
    hand = harbour.hand
    assert hand is not None
    harbour.call(harbour.kube.client.create(leases, left))
    try:
        shown = harbour.kedge("status").stdout
        assert shown.startswith("Server runs: it answers: 0.1.0; nothing is wrong\n")
        assert "ok    server: it answers: 0.1.0\n" in harbour.kedge("doctor").stdout
        hand.is_silent = True
        shown = harbour.kedge("status").stdout
        assert shown.startswith("Server does not run: it has ended, and released its Lease; ")
    finally:
        hand.is_silent = False
        harbour.call(harbour.kube.client.delete(f"{leases}/kedge"))


def test_a_server_that_leaves_no_trace_is_asked(harbour: Session) -> None:
    assert harbour.hand is not None
    harbour.hand.version = "v9.9.9"
    harbour.empty(BACKUP_STORAGE_LOCATION)
    assert harbour.kedge("status").stdout.startswith("Server runs: it answers: v9.9.9; ")
    harbour.hand.is_silent = True
    result = harbour.kedge("status")
    assert result.exit_code == 1
    assert "the server does not run: it does not answer" in result.stdout
    assert not [one for one in harbour.all(SERVER_STATUS_REQUEST) if not one.get("status")]


def test_watching_needs_a_terminal(harbour: Session) -> None:
    for args in (("-w",), ("-w", "-o", "json")):
        result = harbour.kedge("status", *args)
        assert result.exit_code == 2
        assert "--watch draws on a terminal" in result.stderr
