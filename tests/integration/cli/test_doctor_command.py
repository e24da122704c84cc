"""`kedge doctor` on the embedded API: where all is well, and where things are wrong."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from kedge.api.crd import crds
from kedge.api.prescaled.kind import PRE_SCALED_CRON_JOB
from kedge.api.velero.delete_request import DELETE_BACKUP_REQUEST
from kedge.api.velero.schedule import SCHEDULE
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
from kedge.cli.install.manifests import manifests
from kedge.cli.install.settings import InstallSettings
from tests.integration.cli.hand import Hand
from tests.integration.cli.session import Session, session
from tests.integration.cli.tenant import acting_as, admit

BUCKET = {"spec": {"provider": "aws", "objectStorage": {"bucket": "b"}}}
GOOD = {"phase": "Available", "lastValidationTime": "2026-03-27T11:59:30Z"}
APPS = "/apis/apps/v1/namespaces/velero/deployments"


@pytest.fixture(scope="module")
def ward() -> Iterator[Session]:
    """Give a cluster whose server answers."""
    with session(hand=Hand(version="0.1.0")) as running:
        running.namespace("shop")
        running.put(BACKUP_STORAGE_LOCATION, "default", **BUCKET, status=GOOD)
        yield running


def findings(ward: Session, code: int, **env: str) -> dict[str, list[dict[str, Any]]]:
    """Ask the doctor; give what was found, by the check."""
    result = ward.kedge("doctor", "-o", "json", **env)
    assert result.stdout, result.stderr
    document = json.loads(result.stdout)
    assert (result.exit_code, result.stderr) == (code, ""), document
    assert document["healthy"] == (code == 0)
    found: dict[str, list[dict[str, Any]]] = {}
    for one in document["findings"]:
        assert bool(one["do"]) == (one["level"] != "ok")
        found.setdefault(one["check"], []).append(one)
    return found


def levels(found: dict[str, list[dict[str, Any]]]) -> dict[str, str]:
    return {check: "/".join(one["level"] for one in every) for check, every in found.items()}


def test_a_cluster_where_all_is_well(ward: Session) -> None:
    found = levels(findings(ward, 0))
    # The clock of the tests stands still, and that of the cluster with it goes its way.
    assert found.pop("clock") in ("ok", "warn")
    assert found.pop("certificate") in ("ok", "warn")
    assert found == dict.fromkeys(
        [
            "kubeconfig",
            "cluster",
            "version",
            "kinds",
            "your rights",
            "server",
            "webhooks",
            "storage",
            "schedules",
            "time zones",
            "leftovers",
        ],
        "ok",
    )


def test_a_table_is_told_line_by_line(ward: Session) -> None:
    result = ward.kedge("doctor")
    assert result.exit_code == 0
    assert "ok    storage: default can be used, as seen 30s ago\n" in result.stdout
    assert result.stdout.splitlines()[-1].endswith(" 0 fail")


def test_what_is_wrong_with_objects_is_found(ward: Session) -> None:
    bad = {
        "phase": "Unavailable",
        "message": "no bucket",
        "lastValidationTime": "2026-03-27T11:59:00Z",
    }
    ward.put(BACKUP_STORAGE_LOCATION, "away", **BUCKET, status=bad)
    ward.put(
        SCHEDULE,
        "bad",
        spec={"schedule": "x", "template": {}},
        status={"phase": "FailedValidation", "validationErrors": ["it is no schedule"]},
    )
    assert ward.hand is not None
    ward.hand.errors["old"] = ["locked"]
    ward.put(DELETE_BACKUP_REQUEST, "d", spec={"backupName": "old"})
    job = {"spec": {"schedule": "0 6 * * *", "jobTemplate": {"spec": {"template": {"spec": {}}}}}}
    job["spec"]["jobTemplate"]["spec"]["template"]["spec"] = {  # type: ignore[index]
        "containers": [{"name": "a", "image": "a:1"}],
        "restartPolicy": "Never",
    }
    ward.put(PRE_SCALED_CRON_JOB, "report", spec={"warmUpTimeMins": 5, "cronJob": job})
    try:
        found = findings(ward, 1)
        assert levels(found)["schedules"] == "fail"
        assert [one["text"] for one in found["storage"] if one["level"] == "fail"] == [
            "away can not be used: no bucket"
        ]
        assert [one["text"] for one in found["leftovers"]] == [
            "backup old could not be deleted: locked"
        ]
        assert levels(found)["CronJobs"] == "warn"
    finally:
        ward.empty(SCHEDULE, DELETE_BACKUP_REQUEST, PRE_SCALED_CRON_JOB)
        ward.call(ward.kube.client.delete(f"{BACKUP_STORAGE_LOCATION.collection('velero')}/away"))


def test_the_rights_of_the_servers_account_are_asked_for(ward: Session) -> None:
    settings = InstallSettings()
    made = [one for one in manifests(settings) if one["kind"] != "CustomResourceDefinition"]
    (deployment,) = [one for one in made if one["kind"] == "Deployment"]
    ward.call(ward.kube.client.create(APPS, deployment))
    (right,) = findings(ward, 1)["server's rights"]
    assert right["level"] == "fail"
    assert right["text"].startswith("service account kedge may not ")
    assert right["do"] == "kedge install -n velero"
    plurals = {"Role": "roles", "RoleBinding": "rolebindings"}
    wide = {"ClusterRole": "clusterroles", "ClusterRoleBinding": "clusterrolebindings"}
    root = "/apis/rbac.authorization.k8s.io/v1"
    for one in made:
        if one["kind"] in plurals:
            place = one["metadata"]["namespace"]
            path = f"{root}/namespaces/{place}/{plurals[one['kind']]}"
            ward.call(ward.kube.client.create(path, one))
        elif one["kind"] in wide:
            ward.call(ward.kube.client.create(f"{root}/{wide[one['kind']]}", one))
    found = findings(ward, 0)
    assert levels(found)["server's rights"] == "ok", found["server's rights"]
    # Nobody runs pods there.
    assert "warn" in levels(found)["server"]
    ward.call(ward.kube.client.delete(f"{APPS}/kedge"))


def test_a_tenant_is_told_what_they_may(ward: Session, tmp_path: Path) -> None:
    found = findings(ward, 0, KUBECONFIG=str(admit(ward, tmp_path, "shop")))
    assert levels(found)["your rights"] == "ok"
    assert "your own namespace shop" in found["your rights"][0]["text"]
    assert levels(found)["kinds"] == "ok"


def test_kinds_of_another_version_and_missing_ones_are_told_apart() -> None:
    kinds = crds()
    stock, other, *rest = kinds
    for version in stock["spec"]["versions"]:
        version["subresources"] = {}
    for version in other["spec"]["versions"]:
        version["schema"]["openAPIV3Schema"]["description"] = "of another version"
    with session(kinds=[stock, other, *rest[1:]], hand=Hand()) as mixed:
        found = findings(mixed, 1)["kinds"]
    assert [(one["level"], one["text"].split(" ")[0]) for one in found] == [
        ("fail", rest[0]["metadata"]["name"]),
        ("warn", stock["metadata"]["name"]),
        ("warn", other["metadata"]["name"]),
    ]


def test_a_namespace_that_is_not_there_is_named(ward: Session) -> None:
    found = findings(ward, 1, KEDGE_NAMESPACE="nowhere")
    assert [(one["level"], one["text"], one["do"]) for one in found["server"]] == [
        (
            "fail",
            'the server does not run: there is no namespace "nowhere"; Velero\'s objects are in'
            " another namespace",
            "kedge status -n velero",
        )
    ]
    assert "storage" not in found


def test_a_tenant_without_any_right_is_told_whom_to_ask(ward: Session, tmp_path: Path) -> None:
    kubeconfig = acting_as("olaf", ward, tmp_path, "shop")
    (one,) = findings(ward, 0, KUBECONFIG=str(kubeconfig))["your rights"]
    assert one["do"] == (
        "ask an administrator for the role edit in your own namespace shop, or for rights on"
        " velero.io in namespace velero"
    )


def test_a_cluster_without_our_kinds_is_told_of_that_alone() -> None:
    with session(kinds=[]) as bare:
        found = findings(bare, 1)
    assert levels(found)["kinds"] == "fail"
    assert "server" not in found


def test_a_silent_server_fails(ward: Session) -> None:
    assert ward.hand is not None
    ward.hand.is_silent = True
    found = findings(ward, 1)
    assert levels(found)["server"] == "fail"
    assert "does not answer" in found["server"][0]["text"]
