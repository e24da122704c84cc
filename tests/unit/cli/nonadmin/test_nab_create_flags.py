import json
from pathlib import Path
from typing import Any

import pytest

from kedge.cli.nab.options import REFUSED_CHOICES, REFUSED_FILTERS
from kedge.cli.nabsl.create import REFUSED
from kedge.selfservice.policy import NOTHING
from kedge.selfservice.validate import OwnBackup, OwnLocation, backup_problem, restore_problem
from tests.unit.cli.conftest import Run

BACKUP = ("nab", "create", "nightly")
RESTORE = ("nar", "create", "back", "--from-backup", "nightly")
LOCATION = ("nabsl", "create", "mine", "--provider", "aws", "--bucket", "b", "--credential", "s=k")


def made(kedge: Run, *args: str) -> dict[str, Any]:
    """Print an object without any cluster."""
    result = kedge(*args, "-o", "json", KUBECONFIG="/nowhere", HOME="/nowhere")
    assert (result.exit_code, result.stderr) == (0, "")
    return dict(json.loads(result.stdout))


def test_a_backup_says_only_what_was_said(kedge: Run) -> None:
    assert made(kedge, *BACKUP) == {
        "apiVersion": "oadp.openshift.io/v1alpha1",
        "kind": "NonAdminBackup",
        "metadata": {"name": "nightly"},
        "spec": {"backupSpec": {}},
    }


def test_all_that_may_be_said_about_a_backup_is_in_it_and_is_valid(kedge: Run) -> None:
    found = made(
        kedge, *BACKUP, "-n", "shop", "--ttl", "72h", "--include-resources", "pods,secrets",
        "--exclude-resources", "events", "-l", "a=b", "--storage-location", "mine",
        "--snapshot-volumes=false", "--snapshot-move-data", "--data-mover", "m",
        "--default-volumes-to-fs-backup", "--ordered-resources", "pods=shop/a",
        "--csi-snapshot-timeout", "1m", "--item-operation-timeout", "2h",
        "--parallel-files-upload", "3", "--labels", "x=y", "--annotations", "p=q",
    )  # fmt: skip
    assert found["metadata"] == {
        "name": "nightly",
        "namespace": "shop",
        "labels": {"x": "y"},
        "annotations": {"p": "q"},
    }
    spec = found["spec"]["backupSpec"]
    assert spec == {
        "includedResources": ["pods", "secrets"],
        "excludedResources": ["events"],
        "labelSelector": {"matchLabels": {"a": "b"}},
        "snapshotVolumes": False,
        "ttl": "72h0m0s",
        "storageLocation": "mine",
        "defaultVolumesToFsBackup": True,
        "orderedResources": {"pods": "shop/a"},
        "csiSnapshotTimeout": "1m0s",
        "itemOperationTimeout": "2h0m0s",
        "snapshotMoveData": True,
        "datamover": "m",
        "uploaderConfig": {"parallelFilesUpload": 3},
    }
    own = OwnLocation(True, "Created", "n", is_there=True, is_available=True, name="n")
    assert backup_problem(spec, "shop", NOTHING, own) == ""


def test_all_that_may_be_said_about_a_restore_is_in_it_and_is_valid(kedge: Run) -> None:
    found = made(
        kedge, *RESTORE, "--include-resources", "pods", "--existing-resource-policy", "update",
        "--status-include-resources", "pods", "--or-selector", "a=b or c=d",
        "--restore-volumes=false", "--preserve-nodeports", "--write-sparse-files",
        "--item-operation-timeout", "2h", "--parallel-files-download", "2",
    )  # fmt: skip
    assert found["kind"] == "NonAdminRestore"
    spec = found["spec"]["restoreSpec"]
    assert spec["backupName"] == "nightly"
    assert spec["existingResourcePolicy"] == "update"
    assert "includedNamespaces" not in spec
    assert restore_problem(spec, NOTHING, OwnBackup(True, "Created", "v")) == ""


def test_a_restore_without_a_name_has_that_of_the_backup_and_the_time(kedge: Run) -> None:
    found = made(kedge, "nar", "create", "--from-backup", "nab/nightly")
    assert found["metadata"]["name"].startswith("nightly-2026032")
    assert found["spec"]["restoreSpec"]["backupName"] == "nightly"


def test_a_location_names_its_secret(kedge: Run, tmp_path: Path) -> None:
    pem = tmp_path / "ca.pem"
    pem.write_text("-----BEGIN CERTIFICATE-----\n")
    found = made(kedge, *LOCATION, "--config", "region=eu", "--cacert", str(pem))
    spec = found["spec"]["backupStorageLocationSpec"]
    assert spec["credential"] == {"name": "s", "key": "k"}
    assert spec["config"] == {"region": "eu"}
    assert spec["objectStorage"]["caCert"]
    assert "default" not in spec


@pytest.mark.parametrize("value", ["", "=true", "=false", "=a:b"])
@pytest.mark.parametrize(
    ("command", "option", "reason"),
    [
        *((BACKUP, option, reason) for option, reason in REFUSED_FILTERS.items()),
        *((RESTORE, option, reason) for option, reason in REFUSED_CHOICES.items()),
        *((LOCATION, option, reason) for option, reason in REFUSED.items()),
    ],
)
def test_what_is_not_theirs_is_refused_by_name_with_the_reason(
    kedge: Run, command: tuple[str, ...], option: str, reason: str, value: str
) -> None:
    result = kedge(*command, option + value)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"kedge: {option} has no meaning here: {reason} (see ")


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("nab", "create"), "missing argument 'NAME'"),
        (("nar", "create"), "missing option '--from-backup'"),
        ((*BACKUP, "--selector", "a=b", "--or-selector", "c=d"), "but not both"),
        ((*BACKUP, "--include-resources", "a", "--exclude-cluster-scoped-resources", "b"), "old"),
        (("nabsl", "create", "a", "--bucket", "b"), "--provider is required"),
        (LOCATION[:-2], "--credential is required"),
        ((*LOCATION, "--credential", "t=k"), "1 key/value pair"),
        (("nab", "delete"), "you must specify exactly one of"),
        (("nab", "delete", "a", "--all"), "you must specify exactly one of"),
        (("nab", "get", "a", "-l", "b=c"), "can not be used together"),
    ],
)
def test_what_does_not_go_together_is_told(kedge: Run, args: tuple[str, ...], words: str) -> None:
    result = kedge(*args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert words in result.stderr


def test_the_help_does_not_offer_what_is_refused(kedge: Run) -> None:
    for command, refused in (("nab", REFUSED_FILTERS), ("nar", REFUSED_CHOICES)):
        words = kedge(command, "create", "--help").stdout.split()
        assert "--selector" in words
        assert not set(refused) & set(words)


@pytest.mark.parametrize(
    ("command", "flags", "kind"),
    [
        ("nab", (), "NonAdminBackup"),
        ("nar", ("--from-backup", "nightly"), "NonAdminRestore"),
        ("nabsl", LOCATION[3:], "NonAdminBackupStorageLocation"),
    ],
)
def test_a_name_may_have_the_kind_in_front_and_the_verb_may_come_first(
    kedge: Run, command: str, flags: tuple[str, ...], kind: str
) -> None:
    long = f"{kind.lower()}.oadp.openshift.io"
    for name in ("a", f"{command}/a", f"{kind.lower()}/a", f"{long}/a"):
        assert made(kedge, command, "create", name, *flags)["metadata"] == {"name": "a"}
    for noun in (command, kind.lower(), f"{kind.lower()}s"):
        found = made(kedge, "create", noun, "a", *flags, "-n", "shop")
        assert (found["kind"], found["metadata"]["namespace"]) == (kind, "shop")
