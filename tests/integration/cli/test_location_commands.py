"""`kedge backup-location` on the embedded API."""

from pathlib import Path
from typing import Any

import pytest

from kedge.api.velero.backup import BACKUP
from kedge.api.velero.repository import BACKUP_REPOSITORY
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION as LOCATION
from tests.integration.cli.session import Session
from tests.integration.cli.test_schedule import said

PEM = "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n"


def absent(name: str) -> str:
    kind = "backupstoragelocations.velero.io"
    return (
        f'An error occurred: {kind} "{name}" not found\n'
        'hint: looked for in namespace "velero"; -n names another one\n'
    )


def put(shop: Session, name: str, **parts: Any) -> None:
    spec = {"provider": "aws", "objectStorage": {"bucket": "b"}, **parts.pop("spec", {})}
    shop.put(LOCATION, name, spec=spec, **parts)


def spec_of(shop: Session, name: str = "a") -> dict[str, Any]:
    (found,) = (one for one in shop.all(LOCATION) if one["metadata"]["name"] == name)
    return dict(found["spec"])


class TestCreate:
    def test_it_says_so_and_the_object_is_there(self, shop: Session) -> None:
        args = ("backup-location", "create", "a", "--provider=aws", "--bucket=b", "--default")
        told = 'Backup storage location "a" configured successfully.\n'
        assert said(shop.kedge(*args)) == (0, told, "")
        assert spec_of(shop) == {
            "provider": "aws",
            "objectStorage": {"bucket": "b"},
            "default": True,
            "accessMode": "ReadWrite",
        }

    def test_there_is_one_default(self, shop: Session) -> None:
        put(shop, "other", spec={"default": True})
        args = ("create", "backup-location", "a", "--provider=aws", "--bucket=b", "--default")
        assert said(shop.kedge(*args)) == (
            1,
            "",
            "An error occurred: there is already exist default backup storage location, please "
            "unset it first or do not set --default flag\n",
        )
        assert len(shop.all(LOCATION)) == 1

    def test_one_that_is_there_is_an_error(self, shop: Session) -> None:
        put(shop, "a")
        result = shop.kedge("backup-location", "create", "a", "--provider=aws", "--bucket=b")
        assert result.exit_code == 1
        assert '"a" already exists' in result.stderr


TABLE = """\
NAME   PROVIDER   BUCKET/PREFIX   PHASE       LAST VALIDATED                  ACCESS MODE   DEFAULT
a      aws        b               Unknown     Unknown                         ReadWrite     \n\
b      gcp        c/p             Available   2026-03-27 12:00:00 +0000 UTC   ReadOnly      true
"""


class TestGet:
    def test_the_table_has_the_columns_of_velero(self, shop: Session) -> None:
        put(shop, "a")
        shop.put(
            LOCATION,
            "b",
            spec={
                "provider": "gcp",
                "objectStorage": {"bucket": "c", "prefix": "p"},
                "default": True,
                "accessMode": "ReadOnly",
            },
            status={"phase": "Available", "lastValidationTime": "2026-03-27T12:00:00Z"},
        )
        for args in (
            ("backup-location", "get"),
            ("get", "backup-locations"),
            ("get", "backup-location"),
        ):
            assert said(shop.kedge(*args)) == (0, TABLE, "")
        result = shop.kedge("backup-location", "get", "--default", "-o", "name")
        assert said(result) == (0, "backupstoragelocation.velero.io/b\n", "")
        result = shop.kedge("backup-location", "get", "a", "--default")
        assert said(result) == (0, "", "No backup-locations found\n")

    def test_it_is_told_why_one_can_not_be_used(self, shop: Session) -> None:
        put(shop, "a")
        status = {"phase": "Unavailable", "message": "there is no bucket c"}
        spec = {"provider": "aws", "objectStorage": {"bucket": "c"}}
        shop.put(LOCATION, "b", spec=spec, status=status)
        head, _, row = shop.kedge("backup-location", "get").stdout.splitlines()
        assert head.endswith("MESSAGE")
        assert row.endswith("there is no bucket c")

    def test_nothing_is_no_failure_and_a_name_is(self, shop: Session) -> None:
        nothing = (0, "", "No backup-locations found\n")
        assert said(shop.kedge("backup-location", "get")) == nothing
        assert said(shop.kedge("backup-location", "get", "x")) == (1, "", absent("x"))


DONE = 'Backup storage location "a" configured successfully.\n'


class TestSet:
    def test_only_what_is_named_changes(self, shop: Session, tmp_path: Path) -> None:
        file = tmp_path / "ca.crt"
        file.write_text(PEM)
        put(shop, "a")
        assert said(shop.kedge("backup-location", "set", "a", "--cacert", str(file)))[1] == DONE
        with_certificate = spec_of(shop)
        assert "caCert" in with_certificate["objectStorage"]
        assert said(shop.kedge("backup-location", "set", "a", "--credential", "s=k"))[1] == DONE
        assert said(shop.kedge("backup-location", "set", "a", "--default"))[1] == DONE
        assert spec_of(shop) == with_certificate | {
            "credential": {"name": "s", "key": "k"},
            "default": True,
        }
        assert shop.kedge("backup-location", "set", "a", "--cacert", "").exit_code == 0
        assert spec_of(shop)["objectStorage"] == {"bucket": "b"}
        assert shop.kedge("backup-location", "set", "a", "--default=false").exit_code == 0
        assert not spec_of(shop)["default"]

    def test_another_default_must_go_first(self, shop: Session) -> None:
        put(shop, "a")
        put(shop, "other", spec={"default": True})
        assert said(shop.kedge("backup-location", "set", "a", "--default")) == (
            1,
            "",
            "An error occurred: there are already exist default backup storage locations, please "
            "unset them first\n",
        )

    def test_one_that_is_the_default_stays_it(self, shop: Session) -> None:
        put(shop, "a", spec={"default": True})
        told = 'Backup storage location "a" is already the default backup storage location.\n'
        assert said(shop.kedge("backup-location", "set", "a", "--default")) == (0, told, "")
        result = shop.kedge("backup-location", "set", "a", "--default", "--credential=s=k")
        assert said(result) == (0, DONE, "")
        assert spec_of(shop)["credential"] == {"name": "s", "key": "k"}

    def test_a_certificate_does_not_go_with_a_reference_to_one(
        self, shop: Session, tmp_path: Path
    ) -> None:
        file = tmp_path / "ca.crt"
        file.write_text(PEM)
        storage = {"bucket": "b", "caCertRef": {"name": "s", "key": "k"}}
        put(shop, "a", spec={"objectStorage": storage})
        assert said(shop.kedge("backup-location", "set", "a", "--cacert", str(file))) == (
            1,
            "",
            "An error occurred: cannot specify both caCert and caCertRef in objectStorage\n",
        )

    def test_one_that_is_not_there_is_told(self, shop: Session) -> None:
        result = shop.kedge("backup-location", "set", "x", "--default")
        assert said(result) == (1, "", absent("x"))

    def test_one_credential_is_enough(self, shop: Session) -> None:
        result = shop.kedge("backup-location", "set", "a", "--credential=a=b,c=d")
        told = "--credential can only contain 1 key/value pair; write it as SECRET=KEY"
        assert said(result) == (2, "", f"An error occurred: {told}\n")


class TestDelete:
    def test_what_the_cluster_knows_of_it_goes_too(self, shop: Session) -> None:
        put(shop, "a")
        mark = {"labels": {"velero.io/storage-location": "a"}}
        shop.put(BACKUP, "one", metadata=mark)
        shop.put(BACKUP, "other")
        shop.put(
            BACKUP_REPOSITORY,
            "repo",
            metadata=mark,
            spec={
                "backupStorageLocation": "a",
                "volumeNamespace": "x",
                "repositoryType": "kopia",
                "resticIdentifier": "",
                "maintenanceFrequency": "1h",
            },
        )
        assert said(shop.kedge("backup-location", "delete", "a", "--confirm")) == (
            0,
            'Backup storage location "a" deleted successfully.\n'
            'Backup associated with deleted BSL(s) "one" deleted successfully.\n'
            'Backup repository associated with deleted BSL(s) "repo" deleted successfully.\n',
            "",
        )
        assert [one["metadata"]["name"] for one in shop.all(BACKUP)] == ["other"]
        assert shop.all(BACKUP_REPOSITORY) == []

    def test_it_asks_first(self, shop: Session) -> None:
        put(shop, "a")
        result = shop.kedge("delete", "backup-location", "a", stdin="n\n")
        assert said(result) == (0, "Are you sure you want to continue (Y/N)? ", "")
        assert len(shop.all(LOCATION)) == 1

    @pytest.mark.parametrize("args", [("x",), ("a", "x")])
    def test_a_name_that_is_not_there_fails(self, shop: Session, args: tuple[str, ...]) -> None:
        put(shop, "a")
        result = shop.kedge("delete", "backup-locations", *args, "--confirm")
        assert result.exit_code == 1
        assert result.stderr == absent("x")
        assert len(shop.all(LOCATION)) == 2 - len(args)

    def test_nothing_at_all_is_no_failure(self, shop: Session) -> None:
        result = shop.kedge("backup-location", "delete", "--all", "--confirm")
        assert said(result) == (0, "No backup-locations found\n", "")
