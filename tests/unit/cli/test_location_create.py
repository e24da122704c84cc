"""The options of `kedge backup-location create`, as the location that they make."""

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from tests.unit.cli.conftest import Run

PEM = "-----BEGIN CERTIFICATE-----\nabc\n-----END CERTIFICATE-----\n"


def made(kedge: Run, *args: str) -> dict[str, Any]:
    given = ("--provider", "aws", "--bucket", "b", "-o", "json")
    result = kedge("backup-location", "create", "l", *given, *args)
    assert result.stderr == ""
    return dict(json.loads(result.stdout))


def test_the_least_that_is_needed(kedge: Run) -> None:
    assert made(kedge) == {
        "apiVersion": "velero.io/v1",
        "kind": "BackupStorageLocation",
        "metadata": {"name": "l", "namespace": "velero"},
        "spec": {
            "provider": "aws",
            "objectStorage": {"bucket": "b"},
            "accessMode": "ReadWrite",
        },
    }


def test_each_option_has_its_field(kedge: Run, tmp_path: Path) -> None:
    file = tmp_path / "ca.crt"
    file.write_text(PEM)
    location = made(
        kedge,
        "--prefix=p",
        "--config=region=eu,s3ForcePathStyle=true",
        "--credential=secret=cloud",
        "--default",
        "--access-mode=ReadOnly",
        "--backup-sync-period=0s",
        "--validation-frequency=90s",
        "--labels=a=b",
        f"--cacert={file}",
    )
    assert location["metadata"]["labels"] == {"a": "b"}
    assert location["spec"] == {
        "provider": "aws",
        "objectStorage": {
            "bucket": "b",
            "prefix": "p",
            "caCert": base64.b64encode(PEM.encode()).decode(),
        },
        "config": {"region": "eu", "s3ForcePathStyle": "true"},
        "credential": {"name": "secret", "key": "cloud"},
        "default": True,
        "accessMode": "ReadOnly",
        "backupSyncPeriod": "0s",
        "validationFrequency": "1m30s",
    }


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (("--bucket=b",), "--provider is required"),
        (("--provider=aws",), "--bucket is required"),
        (
            ("--provider=aws", "--bucket=b/p/q"),
            "--bucket 'b/p/q' must not contain '/'; write it as --bucket b --prefix p/q",
        ),
        (
            ("--provider=aws", "--bucket=b", "--backup-sync-period=-1m"),
            "--backup-sync-period must be non-negative",
        ),
        (
            ("--provider=aws", "--bucket=b", "--credential=a=b,c=d"),
            "--credential can only contain 1 key/value pair; write it as SECRET=KEY",
        ),
    ],
)
def test_what_is_missing_or_wrong_is_named(kedge: Run, args: tuple[str, ...], line: str) -> None:
    result = kedge("backup-location", "create", "l", *args)
    assert (result.exit_code, result.stderr) == (2, f"An error occurred: {line}\n")


def test_a_file_without_a_certificate_is_refused(kedge: Run, tmp_path: Path) -> None:
    (tmp_path / "key.pem").write_text("-----BEGIN PRIVATE KEY-----\n")
    args = ("backup-location", "create", "l", "--provider=aws", "--bucket=b", "--cacert")
    result = kedge(*args, str(tmp_path / "key.pem"))
    assert result.exit_code == 1
    assert "holds no certificate in PEM" in result.stderr
    assert "PRIVATE" not in result.stderr
    missing = kedge(*args, str(tmp_path / "none"))
    assert missing.exit_code == 1
    assert "none: No such file or directory" in missing.stderr


@pytest.mark.parametrize("text", ["soon", "1d", ""])
def test_a_period_is_a_duration(kedge: Run, text: str) -> None:
    args = ("backup-location", "create", "l", "--provider=aws", "--bucket=b")
    result = kedge(*args, "--backup-sync-period", text)
    assert result.exit_code == 2
    assert "is not a duration" in result.stderr


def test_there_must_be_something_to_set(kedge: Run) -> None:
    result = kedge("backup-location", "set", "l")
    assert result.exit_code == 2
    assert result.stderr == (
        "An error occurred: there is nothing to set: use --default, --credential or --cacert\n"
    )
