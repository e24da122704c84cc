"""`kedge restore` on the embedded API, with a stand-in for the server."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
import yaml

from kedge.api.velero.backup import BACKUP
from kedge.api.velero.restore import RESTORE
from kedge.archive.item import Item, Place
from kedge.archive.writer import ArchiveWriter
from tests.integration.cli.hand import DONE, Hand, packed
from tests.integration.cli.session import Session
from tests.integration.cli.test_backup_commands import undotted
from tests.integration.cli.test_schedule import said


def absent(name: str, kind: str = "restores") -> str:
    return (
        f'An error occurred: {kind}.velero.io "{name}" not found\n'
        'hint: looked for in namespace "velero"; -n names another one\n'
    )


class TestCreate:
    def test_it_says_so_and_the_object_is_there(self, shop: Session) -> None:
        shop.put(BACKUP, "b", status=DONE)
        result = shop.kedge("restore", "create", "r", "--from-backup", "b", "--preserve-nodeports")
        assert said(result) == (
            0,
            'Restore request "r" submitted successfully.\n'
            "Run `kedge restore describe r` or `kedge restore logs r` for more details.\n",
            "",
        )
        (restore,) = shop.all(RESTORE)
        assert restore["spec"] == {
            "backupName": "b",
            "includedNamespaces": ["*"],
            "preserveNodePorts": True,
        }

    def test_a_backup_that_is_not_there_is_told(self, shop: Session) -> None:
        result = shop.kedge("create", "restore", "--from-backup", "b")
        assert said(result) == (1, "", absent("b", "backups"))
        assert shop.all(RESTORE) == []

    def test_a_schedule_without_backups_is_told(self, shop: Session) -> None:
        shop.create("s")
        result = shop.kedge("restore", "create", "--from-schedule", "s")
        told = (
            "An error occurred: No backups found for the schedule s; `kedge backup create "
            "--from-schedule s` makes one\n"
        )
        assert said(result) == (1, "", told)

    @pytest.mark.parametrize("more", [(), ("--preview",)])
    def test_a_schedule_that_never_was_is_told(self, shop: Session, more: tuple[str, ...]) -> None:
        result = shop.kedge("restore", "create", "--from-schedule", "s", *more)
        assert said(result) == (1, "", absent("s", "schedules"))

    def test_of_a_schedule_the_server_chooses(self, shop: Session) -> None:
        of_schedule(shop, "one", "Completed", "2026-03-26T12:00:00Z")
        assert shop.kedge("restore", "create", "r", "--from-schedule", "s").exit_code == 0
        (restore,) = shop.all(RESTORE)
        assert restore["spec"] == {"scheduleName": "s", "includedNamespaces": ["*"]}

    def test_one_that_failed_in_part_is_chosen_where_that_is_allowed(self, shop: Session) -> None:
        of_schedule(shop, "one", "Completed", "2026-03-25T12:00:00Z")
        of_schedule(shop, "two", "PartiallyFailed", "2026-03-26T12:00:00Z")
        of_schedule(shop, "three", "Failed", "2026-03-27T12:00:00Z")
        of_schedule(shop, "four", "InProgress")
        args = ("restore", "create", "r", "--from-schedule", "s", "--allow-partially-failed")
        printed = json.loads(shop.kedge(*args, "-o", "json").stdout)
        assert printed["spec"] == {"backupName": "two", "includedNamespaces": ["*"]}
        assert shop.all(RESTORE) == []
        assert shop.kedge(*args).exit_code == 0
        (restore,) = shop.all(RESTORE)
        assert restore["spec"]["backupName"] == "two"

    def test_it_can_wait(self, shop: Session, hand: Hand) -> None:
        shop.put(BACKUP, "b", status=DONE)
        hand.outcomes["r"] = [{"phase": "InProgress"}, DONE]
        result = shop.kedge("restore", "create", "r", "--from-backup", "b", "-w")
        assert (result.exit_code, undotted(result.stdout), result.stderr) == (
            0,
            'Restore request "r" submitted successfully.\n'
            "Waiting for restore to complete. You may safely press ctrl-c to stop waiting - your "
            "restore will continue in the background.\n\n"
            "Restore completed with status: Completed. You may check for more information using "
            "the commands `kedge restore describe r` and `kedge restore logs r`.\n",
            "",
        )

    def test_a_bad_end_fails(self, shop: Session, hand: Hand) -> None:
        shop.put(BACKUP, "b", status=DONE)
        hand.outcomes["r"] = [{"phase": "PartiallyFailed", "errors": 1}]
        result = shop.kedge("restore", "create", "r", "--from-backup", "b", "-w")
        told = 'An error occurred: restore "r" is PartiallyFailed: 1 error\n'
        assert (result.exit_code, result.stderr) == (1, told)


def of_schedule(shop: Session, name: str, phase: str, started: str | None = None) -> None:
    status = {"phase": phase} | ({"startTimestamp": started} if started else {})
    shop.put(BACKUP, name, metadata={"labels": {"velero.io/schedule-name": "s"}}, status=status)


TABLE = """\
NAME   BACKUP   STATUS      STARTED                         COMPLETED                       ERRORS   WARNINGS   CREATED                         SELECTOR
a      b        Completed   2026-03-27 12:00:00 +0000 UTC   2026-03-27 12:00:00 +0000 UTC   0        3          2026-03-27 12:00:00 +0000 UTC   app=x
c      d        New         <nil>                           <nil>                           0        0          2026-03-27 12:00:00 +0000 UTC   <none>
"""  # noqa: E501 - as it is printed


class TestGet:
    def test_the_table_has_the_columns_of_velero(self, shop: Session) -> None:
        labels = {"labelSelector": {"matchLabels": {"app": "x"}}}
        shop.put(RESTORE, "a", spec={"backupName": "b", **labels}, status=DONE | {"warnings": 3})
        shop.put(RESTORE, "c", spec={"backupName": "d"})
        for args in (("restore", "get"), ("get", "restores"), ("get", "restore")):
            assert said(shop.kedge(*args)) == (0, TABLE, "")

    def test_one_that_is_being_deleted_says_so(self, shop: Session) -> None:
        meta = {"finalizers": ["restores.velero.io/external-resources-finalizer"]}
        shop.put(RESTORE, "a", metadata=meta, spec={"backupName": "b"}, status=DONE)
        path = f"{RESTORE.collection('velero')}/a"
        shop.call(shop.kube.client.delete(path))
        assert "Completed (Deleting)" in shop.kedge("restore", "get").stdout
        shop.call(shop.kube.client.patch(path, {"metadata": {"finalizers": None}}))

    def test_nothing_is_no_failure_and_a_name_is(self, shop: Session) -> None:
        assert said(shop.kedge("restore", "get")) == (0, "", "No restores found\n")
        assert said(shop.kedge("restore", "get", "x")) == (1, "", absent("x"))


class TestLogs:
    def test_the_log_is_printed(self, shop: Session, hand: Hand) -> None:
        hand.files["RestoreLog", "a"] = packed("one\ntwo\n")
        shop.put(RESTORE, "a", spec={"backupName": "gone"}, status=DONE)
        assert said(shop.kedge("restore", "logs", "a")) == (0, "one\ntwo\n", "")

    def test_it_is_for_those_that_are_over(self, shop: Session) -> None:
        shop.put(RESTORE, "a", spec={"backupName": "b"}, status={"phase": "InProgress"})
        assert said(shop.kedge("restore", "logs", "a")) == (
            1,
            "",
            'Logs for restore "a" are not available until it\'s finished processing. Please wait '
            "until the restore has a phase of Completed or Failed and try again.\n",
        )

    def test_one_that_is_not_there_is_told(self, shop: Session) -> None:
        told = 'Restore "a" does not exist.\n'
        assert said(shop.kedge("restore", "logs", "a")) == (1, "", told)

    def test_a_log_that_was_not_kept_is_told(self, shop: Session) -> None:
        shop.put(RESTORE, "a", spec={"backupName": "b"}, status={"phase": "Failed"})
        told = 'An error occurred: file not found: no log of restore "a" was kept\n'
        assert said(shop.kedge("restore", "logs", "a")) == (1, "", told)


class TestDescribe:
    def test_what_the_files_tell_is_in_it(self, shop: Session, hand: Hand) -> None:
        hand.files["RestoreResults", "a"] = packed({"warnings": {"namespaces": {"x": ["odd"]}}})
        hand.files["RestoreResourceList", "a"] = packed({"v1/Pod": ["x/y(created)"]})
        hand.files["RestoreVolumeInfo", "a"] = packed([])
        shop.put(RESTORE, "a", spec={"backupName": "b"}, status=DONE | {"warnings": 1})
        result = shop.kedge("restore", "describe", "a", "--details")
        assert (result.exit_code, result.stderr) == (0, "")
        assert "\nWarnings:\n  Velero:     <none>\n  Cluster:    <none>\n" in result.stdout
        assert "  Namespaces:\n    x:  odd\n\nBackup:  b\n" in result.stdout
        assert "\nCSI Snapshot Restores: <none included>\n" in result.stdout
        assert result.stdout.endswith("Resource List:\n  v1/Pod:\n    - x/y(created)\n")

    def test_several_are_separated_by_two_empty_lines(self, shop: Session) -> None:
        for name in ("a", "b"):
            shop.put(RESTORE, name, spec={"backupName": "x"})
        both = shop.kedge("describe", "restores").stdout
        one = shop.kedge("describe", "restore", "a").stdout
        assert both == one + "\n\n" + shop.kedge("restore", "describe", "b").stdout

    def test_a_store_that_can_not_be_reached_is_told_in_the_place(
        self, shop: Session, hand: Hand
    ) -> None:
        hand.refusal = (503, "")
        shop.put(RESTORE, "a", spec={"backupName": "b"}, status=DONE | {"errors": 1})
        result = shop.kedge("restore", "describe", "a")
        assert (result.exit_code, result.stderr) == (0, "")
        assert "\nErrors:  <error getting errors: request failed: 503>\n" in result.stdout

    def test_nothing_is_no_failure_and_a_name_is(self, shop: Session) -> None:
        assert said(shop.kedge("restore", "describe")) == (0, "", "No restores found\n")
        assert said(shop.kedge("restore", "describe", "x")) == (1, "", absent("x"))


ASKED = (
    'Request to delete restore "a" submitted successfully.\n'
    "The restore will be fully deleted after all associated data (restore files in object "
    "storage) are removed.\n"
)


class TestDelete:
    def test_it_goes(self, shop: Session) -> None:
        shop.put(RESTORE, "a", spec={"backupName": "b"})
        result = shop.kedge("restore", "delete", "a", "--confirm", "--wait")
        assert said(result) == (0, f'{ASKED}Restore "a" deleted successfully.\n', "")
        assert shop.all(RESTORE) == []

    def test_if_one_is_not_there_none_goes(self, shop: Session) -> None:
        shop.put(RESTORE, "a", spec={"backupName": "b"})
        result = shop.kedge("delete", "restore", "a", "x", "--confirm")
        assert said(result) == (1, "", absent("x"))
        assert len(shop.all(RESTORE)) == 1

    def test_it_asks_first(self, shop: Session) -> None:
        shop.put(RESTORE, "a", spec={"backupName": "b"})
        result = shop.kedge("restore", "delete", "--all", stdin="n\n")
        assert said(result) == (0, "Are you sure you want to continue (Y/N)? ", "")
        assert len(shop.all(RESTORE)) == 1

    def test_nothing_at_all_is_no_failure(self, shop: Session) -> None:
        result = shop.kedge("delete", "restores", "--all", "--confirm")
        assert said(result) == (0, "No restores found\n", "")


def config(name: str, namespace: str = "shop", **data: str) -> Item:
    body = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": name, "namespace": namespace},
        "data": data,
    }
    return Item(Place("configmaps", namespace, name), "v1", json.dumps(body).encode())


def archive(items: Sequence[Item]) -> bytes:
    writer = ArchiveWriter(mtime=0)
    data = b""
    for item in items:
        writer.add(item)
        data += writer.take()
    return data + writer.finish()


CONFIGS = "/api/v1/namespaces/shop/configmaps"


@pytest.fixture
def stocked(shop: Session, hand: Hand) -> Session:
    """Give a cluster in which one of two ConfigMaps of a backup is there, and differs."""
    present = [one["metadata"]["name"] for one in shop.call(shop.kube.client.get("/api/v1/namespaces"))["items"]]  # fmt: skip  # noqa: E501
    if "shop" not in present:
        shop.namespace("shop")
    shop.call(shop.kube.client.delete(CONFIGS))
    body = {"metadata": {"name": "prices"}, "data": {"tea": "1"}}
    shop.call(shop.kube.client.create(CONFIGS, body))
    hand.files["BackupContents", "b"] = archive([config("new", a="b"), config("prices", tea="2")])
    shop.put(BACKUP, "b", status=DONE)
    return shop


def rows(text: str) -> dict[str, list[str]]:
    """Give the columns of the table, by the last part of each line's name."""
    table = text.split("\n\n")[0].splitlines()[1:]
    return {line.split()[3]: line.split() for line in table}


class TestPreview:
    def test_it_tells_what_would_happen_and_changes_nothing(self, stocked: Session) -> None:
        before = state(stocked)
        result = stocked.kedge("restore", "create", "r", "--from-backup", "b", "--preview")
        assert (result.exit_code, result.stderr) == (0, "")
        found = rows(result.stdout)
        assert found["new"][:3] == ["created", "configmaps", "shop"]
        assert found["prices"][:3] == ["skipped", "configmaps", "shop"]
        assert result.stdout.endswith(
            'Preview of restore "r" from backup "b": 1 to create, 0 to update, 1 to skip, '
            "0 unchanged, 0 that would fail. Nothing was changed.\n"
        )
        assert state(stocked) == before
        assert stocked.all(RESTORE) == []

    def test_what_would_be_changed_has_a_diff(self, stocked: Session) -> None:
        before = state(stocked)
        result = stocked.kedge(
            "create", "restore", "r", "--from-backup", "b", "--preview",
            "--existing-resource-policy", "update",
        )  # fmt: skip
        assert rows(result.stdout)["prices"][0] == "updated"
        assert "\nconfigmaps shop/prices:\n" in result.stdout
        lines = result.stdout.splitlines()
        assert [line.strip() for line in lines if line.startswith("  -") and "tea" in line]
        assert [line.strip() for line in lines if line.startswith("  +") and "tea" in line]
        assert "1 to create, 1 to update, 0 to skip" in lines[-1]
        assert state(stocked) == before

    def test_the_options_choose_as_they_do_for_a_restore(self, stocked: Session) -> None:
        args = ("restore", "create", "r", "--from-backup", "b", "--preview", "-o", "json")
        found = json.loads(stocked.kedge(*args, "--namespace-mappings", "shop:other").stdout)
        assert {one["namespace"] for one in found["changes"] if one["namespace"]} == {"other"}
        assert found["backup"] == "b"
        found = json.loads(stocked.kedge(*args, "--include-resources", "secrets").stdout)
        assert [one for one in found["changes"] if one["resource"] == "configmaps"] == []
        found = yaml.safe_load(stocked.kedge(*args[:-1], "yaml").stdout)
        assert found["summary"]["created"] == 1

    def test_what_the_restore_would_warn_of_is_told(self, stocked: Session) -> None:
        args = ("restore", "create", "r", "--from-backup", "b", "--preview")
        result = stocked.kedge(*args, "--namespace-mappings", "shpo:other")
        told = "kedge: spec.namespaceMapping names 'shpo', which the backup does not have\n"
        assert (result.exit_code, result.stderr) == (0, told)

    def test_of_a_schedule_the_newest_good_one_is_taken(self, stocked: Session, hand: Hand) -> None:
        of_schedule(stocked, "one", "Completed", "2026-03-25T12:00:00Z")
        of_schedule(stocked, "two", "PartiallyFailed", "2026-03-26T12:00:00Z")
        for name in ("one", "two"):
            hand.files["BackupContents", name] = archive([config(name)])
        args = ("restore", "create", "r", "--from-schedule", "s", "--preview")
        assert 'from backup "one"' in stocked.kedge(*args).stdout
        assert 'from backup "two"' in stocked.kedge(*args, "--allow-partially-failed").stdout

    def test_a_schedule_without_a_good_backup_is_told(self, stocked: Session) -> None:
        of_schedule(stocked, "one", "Failed", "2026-03-25T12:00:00Z")
        result = stocked.kedge("restore", "create", "--from-schedule", "s", "--preview")
        told = "An error occurred: No completed backups found for the schedule s\n"
        assert said(result) == (1, "", told)

    @pytest.mark.parametrize("data", [b"nonsense", archive([config("x")])[:-20]])
    def test_an_archive_that_is_not_whole_is_refused(
        self, stocked: Session, hand: Hand, data: bytes
    ) -> None:
        hand.files["BackupContents", "b"] = data
        result = stocked.kedge("restore", "create", "r", "--from-backup", "b", "--preview")
        assert (result.exit_code, result.stdout) == (1, "")
        assert "archive is refused" in result.stderr

    def test_no_archive_is_told(self, stocked: Session, hand: Hand) -> None:
        hand.files.clear()
        result = stocked.kedge("restore", "create", "r", "--from-backup", "b", "--preview")
        told = 'An error occurred: file not found: there is no archive of backup "b"\n'
        assert said(result) == (1, "", told)

    def test_rules_that_are_not_there_are_told(self, stocked: Session) -> None:
        args = ("restore", "create", "r", "--from-backup", "b", "--preview")
        result = stocked.kedge(*args, "--resource-modifier-configmap", "none")
        told = "An error occurred: failed to get resource modifiers configmap velero/none\n"
        assert said(result) == (1, "", told)

    def test_what_the_server_would_refuse_is_refused(self, stocked: Session) -> None:
        args = ("restore", "create", "r", "--from-backup", "b", "--preview")
        result = stocked.kedge(*args, "--include-resources", "nodes")
        assert result.exit_code == 1
        assert "nodes are non-restorable resources" in result.stderr


def state(shop: Session) -> list[Any]:
    """Read all ConfigMaps and namespaces, versions and all."""
    paths = ("/api/v1/configmaps", "/api/v1/namespaces", "/api/v1/secrets")
    return [shop.call(shop.kube.client.get(path))["items"] for path in paths]
