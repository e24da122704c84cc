"""`kedge backup` on the embedded API, with a stand-in for the server."""

import json
from pathlib import Path
from typing import Any

import pytest

from kedge.api.velero.backup import BACKUP
from kedge.api.velero.delete_request import DELETE_BACKUP_REQUEST
from kedge.api.velero.download_request import DOWNLOAD_REQUEST
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
from tests.integration.cli.hand import DONE, Hand, packed
from tests.integration.cli.session import Session
from tests.integration.cli.test_schedule import said

WAITING = (
    "Waiting for backup to complete. You may safely press ctrl-c to stop waiting - your backup "
    "will continue in the background.\n"
)
TIMEOUT = (
    "download request download url timeout, check kedge server logs for errors. backup storage "
    "location may not be available"
)


def absent(name: str) -> str:
    return (
        f'An error occurred: backups.velero.io "{name}" not found\n'
        'hint: looked for in namespace "velero"; -n names another one\n'
    )


def undotted(text: str) -> str:
    """Take away the dots that a wait of more than a second leaves."""
    return "".join(line.lstrip(".") for line in text.splitlines(keepends=True))


class TestCreate:
    def test_it_says_so_and_the_object_is_there(self, shop: Session) -> None:
        result = shop.kedge("backup", "create", "a", "--ttl", "24h", "--include-namespaces", "x")
        assert said(result) == (
            0,
            'Backup request "a" submitted successfully.\n'
            "Run `kedge backup describe a` or `kedge backup logs a` for more details.\n",
            "",
        )
        (backup,) = shop.all(BACKUP)
        assert backup["spec"] == {"includedNamespaces": ["x"], "ttl": "24h0m0s"}

    def test_one_that_is_there_is_an_error(self, shop: Session) -> None:
        shop.put(BACKUP, "a")
        result = shop.kedge("backup", "create", "a")
        told = 'An error occurred: backups.velero.io "a" already exists\n'
        assert said(result) == (1, "", told)

    def test_a_location_that_is_not_there_is_told_before_anything_is_sent(
        self, shop: Session
    ) -> None:
        result = shop.kedge("backup", "create", "a", "--storage-location", "attic")
        assert result.exit_code == 1
        assert 'backupstoragelocations.velero.io "attic" not found' in result.stderr
        assert shop.all(BACKUP) == []

    def test_a_namespace_that_is_not_there_is_told(self, shop: Session) -> None:
        result = shop.kedge("-n", "nowhere", "backup", "create", "a")
        assert said(result) == (
            1,
            "",
            'An error occurred: namespaces "nowhere" not found; name one that is there with -n\n',
        )


class TestWait:
    def test_a_good_end_is_told_and_no_failure(self, shop: Session, hand: Hand) -> None:
        progress = {"phase": "InProgress", "progress": {"totalItems": 2, "itemsBackedUp": 1}}
        hand.outcomes["a"] = [progress, DONE]
        result = shop.kedge("backup", "create", "a", "-w")
        assert (result.exit_code, undotted(result.stdout), result.stderr) == (
            0,
            f'Backup request "a" submitted successfully.\n{WAITING}\n'
            "Backup completed with status: Completed. You may check for more information using "
            "the commands `kedge backup describe a` and `kedge backup logs a`.\n",
            "",
        )

    @pytest.mark.parametrize(
        ("status", "reasons"),
        [
            ({"phase": "Failed", "failureReason": "no room"}, ["no room"]),
            ({"phase": "PartiallyFailed", "errors": 2, "warnings": 1}, ["2 errors, 1 warning"]),
            ({"phase": "FailedValidation", "validationErrors": ["x", "y"]}, ["x", "y"]),
            ({"phase": "Failed"}, ["its status does not say why"]),
        ],
    )
    def test_a_bad_end_is_told_with_its_reasons_and_fails(
        self, shop: Session, hand: Hand, status: dict[str, Any], reasons: list[str]
    ) -> None:
        hand.outcomes["a"] = [status]
        result = shop.kedge("backup", "create", "a", "--wait")
        phase = status["phase"]
        assert result.exit_code == 1
        assert f"\nBackup completed with status: {phase}. You may check" in undotted(result.stdout)
        told = [f'An error occurred: backup "a" is {phase}: {reason}\n' for reason in reasons]
        assert result.stderr == "".join(told)

    def test_of_a_schedule(self, shop: Session, hand: Hand) -> None:
        hand.usual["Backup"] = [DONE]
        shop.create("s")
        result = shop.kedge("create", "backup", "--from-schedule", "s", "--wait")
        assert result.exit_code == 0
        assert "Backup completed with status: Completed." in result.stdout


TABLE = """\
NAME               STATUS      ERRORS   WARNINGS   CREATED                         EXPIRES   STORAGE LOCATION   QUEUE POSITION   SELECTOR
a-20260327120000   Completed   0        2          2026-03-27 12:00:00 +0000 UTC   29d       default                             <none>
a-20260326120000   Failed      1        0          2026-03-26 12:00:00 +0000 UTC   2h ago    default                             app=x
b                  Queued      0        0          <nil>                           n/a                          3                <none>
"""  # noqa: E501 - as it is printed


class TestGet:
    def test_the_table_has_the_columns_and_the_order_of_velero(self, shop: Session) -> None:
        spec = {"storageLocation": "default"}
        shop.put(
            BACKUP,
            "a-20260326120000",
            spec=spec | {"labelSelector": {"matchLabels": {"app": "x"}}},
            status={
                "phase": "Failed",
                "errors": 1,
                "startTimestamp": "2026-03-26T12:00:00Z",
                "expiration": "2026-03-27T10:00:00Z",
            },
        )
        shop.put(
            BACKUP,
            "a-20260327120000",
            spec=spec,
            status=DONE | {"warnings": 2, "expiration": "2026-04-26T11:00:00Z"},
        )
        shop.put(BACKUP, "b", status={"phase": "Queued", "queuePosition": 3})
        for args in (("backup", "get"), ("get", "backups"), ("get", "backup"), ("backups", "get")):
            assert said(shop.kedge(*args)) == (0, TABLE, "")

    def test_nothing_is_no_failure(self, shop: Session) -> None:
        assert said(shop.kedge("backup", "get")) == (0, "", "No backups found\n")

    def test_a_name_that_is_not_there_fails(self, shop: Session) -> None:
        shop.put(BACKUP, "a")
        result = shop.kedge("get", "backup", "a", "b", "-o", "name")
        assert said(result) == (1, "backup.velero.io/a\n", absent("b"))


class TestLogs:
    def test_the_log_is_printed(self, shop: Session, hand: Hand) -> None:
        text = "".join(f'time="x" level=info msg="ä {n}"\n' for n in range(5000))
        hand.files["BackupLog", "a"] = packed(text)
        shop.put(BACKUP, "a", status=DONE)
        assert said(shop.kedge("backup", "logs", "a")) == (0, text, "")
        (request,) = shop.all(DOWNLOAD_REQUEST)
        assert request["spec"] == {"target": {"kind": "BackupLog", "name": "a"}}
        assert request["metadata"]["name"].startswith("a-")

    def test_no_credential_of_the_cluster_is_sent_there(self, shop: Session, hand: Hand) -> None:
        hand.files["BackupLog", "a"] = packed("x")
        shop.put(BACKUP, "a", status=DONE)
        shop.kedge("backup", "logs", "a")
        (headers,) = hand.requests
        assert "authorization" not in headers
        assert "cookie" not in headers

    def test_one_that_was_refused_never_has_any(self, shop: Session) -> None:
        shop.put(BACKUP, "a", status={"phase": "FailedValidation"})
        assert said(shop.kedge("backup", "logs", "a")) == (
            1,
            "",
            'An error occurred: backup "a" is FailedValidation: it never ran, and has no log;'
            " `kedge backup describe a` says why\n",
        )

    @pytest.mark.parametrize("phase", ["", "New", "Queued", "InProgress"])
    def test_it_is_for_those_that_are_over(self, shop: Session, phase: str) -> None:
        shop.put(BACKUP, "a", status={"phase": phase} if phase else {})
        assert said(shop.kedge("backup", "logs", "a")) == (
            1,
            "",
            'An error occurred: logs for backup "a" are not available until it\'s finished '
            "processing, please wait until the backup has a phase of Completed or Failed and try "
            "again\n",
        )

    def test_one_that_is_not_there_is_told(self, shop: Session) -> None:
        told = 'An error occurred: backup "a" does not exist\n'
        assert said(shop.kedge("backup", "logs", "a")) == (1, "", told)

    def test_a_log_that_was_not_kept_is_told(self, shop: Session) -> None:
        shop.put(BACKUP, "a", status={"phase": "Failed"})
        told = 'An error occurred: file not found: no log of backup "a" was kept\n'
        assert said(shop.kedge("backup", "logs", "a")) == (1, "", told)

    def test_a_server_that_does_not_answer_is_told(self, shop: Session, hand: Hand) -> None:
        hand.is_silent = True
        shop.put(BACKUP, "a", status=DONE)
        result = shop.kedge("backup", "logs", "a", "--timeout", "200ms")
        assert said(result) == (1, "", f"An error occurred: {TIMEOUT}\n")

    def test_what_the_object_store_says_is_told_without_what_was_signed(
        self, shop: Session, hand: Hand
    ) -> None:
        hand.refusal = (
            403,
            "<Error><Code>AccessDenied</Code><Message>Request has expired</Message>"
            "<StringToSign>secret</StringToSign></Error>",
        )
        shop.put(BACKUP, "a", status=DONE)
        told = "An error occurred: request failed: 403 AccessDenied: Request has expired\n"
        assert said(shop.kedge("backup", "logs", "a")) == (1, "", told)

    def test_a_log_that_is_damaged_is_a_failure(self, shop: Session, hand: Hand) -> None:
        hand.files["BackupLog", "a"] = packed("x" * 100)[:-4]
        shop.put(BACKUP, "a", status=DONE)
        result = shop.kedge("backup", "logs", "a")
        assert result.exit_code == 1
        assert "the file ends too early: it is not whole" in result.stderr

    @pytest.mark.parametrize("text", ["0s", "soon"])
    def test_a_timeout_is_a_duration(self, shop: Session, text: str) -> None:
        assert shop.kedge("backup", "logs", "a", "--timeout", text).exit_code == 2


class TestDownload:
    def test_the_archive_is_a_file_that_only_its_owner_reads(
        self, shop: Session, hand: Hand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.chdir(tmp_path)
        data = packed("x") * 100_000
        hand.files["BackupContents", "a"] = data
        shop.put(BACKUP, "a", status=DONE)
        file = tmp_path / "a-data.tar.gz"
        told = f"Backup a has been successfully downloaded to {file}\n"
        assert said(shop.kedge("backup", "download", "a")) == (0, told, "")
        assert file.read_bytes() == data
        assert file.stat().st_mode & 0o777 == 0o600

    def test_a_file_that_is_there_stays_unless_it_is_forced(
        self, shop: Session, hand: Hand, tmp_path: Path
    ) -> None:
        hand.files["BackupContents", "a"] = b"new"
        shop.put(BACKUP, "a", status=DONE)
        file = tmp_path / "x"
        file.write_text("old")
        args = ("backup", "download", "a", "-o", str(file))
        told = f"An error occurred: {file} exists; use --force to replace it\n"
        assert said(shop.kedge(*args)) == (1, "", told)
        assert file.read_text() == "old"
        assert shop.kedge(*args, "--force").exit_code == 0
        assert file.read_text() == "new"
        assert [one.name for one in tmp_path.iterdir()] == ["x"]

    @pytest.mark.parametrize("force", [(), ("--force",)])
    def test_a_failure_leaves_nothing_behind(
        self, shop: Session, tmp_path: Path, force: tuple[str, ...]
    ) -> None:
        shop.put(BACKUP, "a", status=DONE)
        result = shop.kedge("backup", "download", "a", "-o", str(tmp_path / "x"), *force)
        told = 'An error occurred: file not found: there is no archive of backup "a"\n'
        assert said(result) == (1, "", told)
        assert list(tmp_path.iterdir()) == []

    def test_a_failure_does_not_harm_what_was_to_be_replaced(
        self, shop: Session, hand: Hand, tmp_path: Path
    ) -> None:
        hand.refusal = (500, "oops")
        shop.put(BACKUP, "a", status=DONE)
        file = tmp_path / "x"
        file.write_text("old")
        result = shop.kedge("backup", "download", "a", "-o", str(file), "--force")
        assert said(result) == (1, "", "An error occurred: request failed: 500 oops\n")
        assert file.read_text() == "old"

    def test_one_that_is_not_there_is_told(self, shop: Session, tmp_path: Path) -> None:
        result = shop.kedge("backup", "download", "a", "-o", str(tmp_path / "x"))
        assert said(result) == (1, "", absent("a"))

    def test_a_folder_that_is_not_there_is_told(self, shop: Session, tmp_path: Path) -> None:
        shop.put(BACKUP, "a", status=DONE)
        result = shop.kedge("backup", "download", "a", "-o", str(tmp_path / "no" / "x"))
        assert result.exit_code == 1
        assert "No such file or directory" in result.stderr


class TestDescribe:
    def test_what_the_files_tell_is_in_it(self, shop: Session, hand: Hand) -> None:
        hand.files["BackupResults", "a"] = packed({"errors": {"cluster": ["bad luck"]}})
        hand.files["BackupResourceList", "a"] = packed({"v1/Pod": ["x/y"]})
        hand.files["BackupVolumeInfos", "a"] = packed([])
        shop.put(BACKUP, "a", status=DONE | {"phase": "PartiallyFailed", "errors": 1})
        result = shop.kedge("backup", "describe", "a", "--details")
        assert (result.exit_code, result.stderr) == (0, "")
        assert "Errors:\n  Velero:     <none>\n  Cluster:  bad luck\n" in result.stdout
        assert "\nResource List:\n  v1/Pod:\n    - x/y\n\n" in result.stdout
        assert "CSI Snapshots: <none included>\n" in result.stdout
        assert shop.kedge("describe", "backup", "a", "--details").stdout == result.stdout

    def test_a_silent_server_is_told_in_the_place_and_is_no_failure(
        self, shop: Session, hand: Hand
    ) -> None:
        hand.is_silent = True
        shop.put(BACKUP, "a", status=DONE | {"phase": "PartiallyFailed", "errors": 1})
        result = shop.kedge("backup", "describe", "a", "--details", "--timeout", "300ms")
        assert (result.exit_code, result.stderr) == (0, "")
        for told in (
            f"\nErrors:  <error getting errors: {TIMEOUT}>\n",
            f"\nResource List:  <error getting backup resource list: {TIMEOUT}>\n",
            f"\n  <error getting backup volume info: {TIMEOUT}>\n",
        ):
            assert told in result.stdout

    @pytest.mark.parametrize("body", [b"\x1f\x8bnonsense", b"[1", b"[[]]", b"{"])
    def test_files_that_are_not_what_they_should_be_are_told_in_the_place(
        self, shop: Session, hand: Hand, body: bytes
    ) -> None:
        for target in ("BackupResults", "BackupResourceList", "BackupVolumeInfos"):
            hand.files[target, "a"] = body
        shop.put(BACKUP, "a", status=DONE | {"phase": "PartiallyFailed", "errors": 1})
        result = shop.kedge("backup", "describe", "a", "--details")
        assert (result.exit_code, result.stderr) == (0, "")
        for told in ("<error decoding errors: ", "<error reading backup resource list: "):
            assert told in result.stdout
        assert "<error reading backup volume info: " in result.stdout

    def test_nobody_is_asked_for_files_that_can_not_be_there_yet(
        self, shop: Session, hand: Hand
    ) -> None:
        hand.is_silent = True
        shop.put(BACKUP, "a")
        result = shop.kedge("backup", "describe", "a", "--details")
        assert (result.exit_code, result.stderr) == (0, "")
        assert shop.all(DOWNLOAD_REQUEST) == []

    def test_attempts_to_delete_it_are_told(self, shop: Session, hand: Hand) -> None:
        hand.errors["a"] = ["it is locked"]
        shop.put(BACKUP, "a", status=DONE)
        shop.kedge("backup", "delete", "a", "--confirm", "--wait")
        assert shop.kedge("backup", "describe", "a").stdout.endswith(
            "\nDeletion Attempts (1 failed):\n  2026-03-27 12:00:00 +0000 UTC: Processed\n"
            "  Errors:\n    it is locked\n"
        )

    def test_json_is_for_one(self, shop: Session, hand: Hand) -> None:
        hand.files["BackupResourceList", "a"] = packed({"v1/Pod": ["x/y"]})
        shop.put(BACKUP, "a", status=DONE)
        result = shop.kedge("backup", "describe", "a", "-o", "json", "--details")
        assert json.loads(result.stdout)["status"]["resourceList"] == {"v1/Pod": ["x/y"]}
        shop.put(BACKUP, "b")
        both = shop.kedge("backup", "describe", "-o", "json")
        assert both.exit_code == 0
        assert both.stderr == "kedge: -o json is for a single backup: 2 are described as text\n"
        one, other = both.stdout.split("\n\n\nName:")
        assert one.startswith("Name:         a\n")
        assert other.startswith("         b\n")

    def test_nothing_is_no_failure_and_a_name_is(self, shop: Session) -> None:
        assert said(shop.kedge("backup", "describe")) == (0, "", "No backups found\n")
        assert said(shop.kedge("backup", "describe", "a")) == (1, "", absent("a"))

    def test_another_form_is_refused(self, shop: Session) -> None:
        result = shop.kedge("backup", "describe", "-o", "xml")
        assert result.exit_code == 2
        assert "'xml' is not one of 'plaintext', 'json'" in result.stderr


ASKED = (
    'Request to delete backup "a" submitted successfully.\n'
    "The backup will be fully deleted after all associated data (disk snapshots, backup files, "
    "restores) are removed.\n"
)
WAITING_FOR_DELETION = (
    "Waiting for the deletion to complete. You may safely press ctrl-c to stop waiting - it will "
    "continue in the background.\n"
)


class TestDelete:
    def test_a_request_is_made(self, shop: Session, hand: Hand) -> None:
        hand.is_silent = True
        made = shop.put(BACKUP, "a")
        assert said(shop.kedge("backup", "delete", "a", "--confirm")) == (0, ASKED, "")
        (request,) = shop.all(DELETE_BACKUP_REQUEST)
        assert request["spec"] == {"backupName": "a"}
        assert request["metadata"]["generateName"] == "a-"
        assert request["metadata"]["labels"] == {
            "velero.io/backup-name": "a",
            "velero.io/backup-uid": made["metadata"]["uid"],
        }

    def test_it_asks_first(self, shop: Session) -> None:
        shop.put(BACKUP, "a")
        result = shop.kedge("backup", "delete", "a", stdin="n\n")
        assert said(result) == (0, "Are you sure you want to continue (Y/N)? ", "")
        assert shop.all(DELETE_BACKUP_REQUEST) == []

    def test_it_can_wait_until_it_is_gone(self, shop: Session) -> None:
        shop.put(BACKUP, "a", status=DONE)
        result = shop.kedge("delete", "backups", "a", "--confirm", "-w")
        told = f'{ASKED}{WAITING_FOR_DELETION}Backup "a" deleted successfully.\n'
        assert said(result) == (0, told, "")
        assert shop.all(BACKUP) == []

    def test_one_that_can_not_be_deleted_fails_with_the_reasons(
        self, shop: Session, hand: Hand
    ) -> None:
        hand.errors["a"] = ["it is locked", "it is old"]
        shop.put(BACKUP, "a", status=DONE)
        result = shop.kedge("backup", "delete", "a", "--confirm", "--wait")
        assert said(result) == (
            1,
            ASKED + WAITING_FOR_DELETION,
            'An error occurred: backup "a" was not deleted: it is locked\n'
            'An error occurred: backup "a" was not deleted: it is old\n',
        )

    def test_a_name_that_is_not_there_fails_and_the_others_go(self, shop: Session) -> None:
        shop.put(BACKUP, "a", status=DONE)
        result = shop.kedge("backup", "delete", "a", "b", "--confirm")
        assert said(result) == (1, ASKED, absent("b"))
        assert said(shop.kedge("backup", "delete", "b", "--confirm")) == (1, "", absent("b"))

    def test_all_and_labels_select(self, shop: Session, hand: Hand) -> None:
        hand.is_silent = True
        shop.put(BACKUP, "a", metadata={"labels": {"team": "red"}})
        shop.put(BACKUP, "b")
        result = shop.kedge("backup", "delete", "-l", "team=red", "--confirm")
        assert said(result) == (0, ASKED, "")
        assert shop.kedge("backup", "delete", "--all", "--confirm").stdout.count("Request") == 2

    def test_nothing_at_all_is_no_failure(self, shop: Session) -> None:
        result = shop.kedge("backup", "delete", "--all", "--confirm")
        assert said(result) == (0, "No backups found\n", "")

    def test_something_must_be_named(self, shop: Session) -> None:
        result = shop.kedge("backup", "delete", "--confirm")
        assert result.exit_code == 2
        assert "exactly one of: specific backup name(s), the --all flag" in result.stderr


class TestCertificates:
    def test_a_file_that_is_not_there_is_told(self, shop: Session) -> None:
        shop.put(BACKUP, "a", status=DONE)
        result = shop.kedge("backup", "logs", "a", "--cacert", "/nonexistent")
        assert said(result) == (
            1,
            "",
            "An error occurred: couldn't open cacert /nonexistent: No such file or directory\n",
        )

    def test_that_of_the_location_takes_its_place(self, shop: Session, hand: Hand) -> None:
        hand.files["BackupLog", "a"] = packed("x\n")
        storage = {"bucket": "b", "caCert": "LS0t"}
        shop.put(
            BACKUP_STORAGE_LOCATION, "here", spec={"provider": "aws", "objectStorage": storage}
        )
        shop.put(BACKUP, "a", spec={"storageLocation": "here"}, status=DONE)
        result = shop.kedge("backup", "logs", "a", "--cacert", "/nonexistent")
        assert result.stderr.startswith(
            "Warning: Failed to open CA certificate file /nonexistent: No such file or directory. "
            "Using CA certificate from backup storage location instead.\n"
        )

    @pytest.mark.parametrize(
        ("reference", "told"),
        [
            (
                {"name": "none", "key": "k"},
                "certificate secret none not found in namespace velero",
            ),
            ({"name": "there", "key": "k"}, "key k not found in secret there"),
            ({"name": "there", "key": ""}, "caCertRef key is empty"),
        ],
    )
    def test_a_secret_that_does_not_have_it_is_a_warning(
        self, shop: Session, hand: Hand, reference: dict[str, str], told: str
    ) -> None:
        hand.files["BackupLog", "a"] = packed("x\n")
        secrets = "/api/v1/namespaces/velero/secrets"
        if not shop.call(shop.kube.client.get(secrets))["items"]:
            body = {"metadata": {"name": "there"}, "data": {"other": "eA=="}}
            shop.call(shop.kube.client.create(secrets, body))
        storage = {"bucket": "b", "caCertRef": reference}
        shop.put(
            BACKUP_STORAGE_LOCATION, "here", spec={"provider": "aws", "objectStorage": storage}
        )
        shop.put(BACKUP, "a", spec={"storageLocation": "here"}, status=DONE)
        result = shop.kedge("backup", "logs", "a")
        warning = f"WARNING: Error getting cacert from BSL: {told}\n"
        assert said(result) == (0, "x\n", warning)
