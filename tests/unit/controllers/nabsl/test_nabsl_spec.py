"""Which buckets people may bring, and what is made of them."""

from datetime import timedelta
from typing import Any

import pytest

from kedge.controllers.nabsl.spec import credential_problem, spec_problem, velero_spec
from kedge.selfservice.policy import NOTHING, Policy, policy_of_config

MINUTE = timedelta(minutes=1)
BUCKET: dict[str, Any] = {
    "provider": "aws",
    "objectStorage": {"bucket": "mine"},
    "credential": {"name": "keys", "key": "cloud"},
}
PATH = "spec.backupStorageLocationSpec"
OWN = "NonAdminBackupStorageLocation"


def problem(policy: Policy = NOTHING, **spec: Any) -> str:
    return spec_problem({**BUCKET, **spec}, policy, MINUTE)


def enforcing(text: str) -> Policy:
    return policy_of_config({"data": {"enforceBSLSpec": text}})


@pytest.mark.parametrize(
    ("spec", "text"),
    [
        ({}, ""),
        ({"default": False}, ""),
        ({"default": True}, f"{OWN} cannot be used as a default BSL"),
        ({"credential": None}, f"{OWN} spec.bslSpec.credential is not set"),
        (
            {"credential": {"name": "", "key": "x"}},
            f"{OWN} spec.bslSpec.credential.name or spec.bslSpec.credential.key is not set",
        ),
        (
            {"credential": {"name": "x"}},
            f"{OWN} spec.bslSpec.credential.name or spec.bslSpec.credential.key is not set",
        ),
        ({"backupSyncPeriod": "119s"}, ""),
        (
            {"backupSyncPeriod": "120s"},
            f"NABSL {PATH}.backupSyncPeriod (2m0s) can not be greater or equal non admin "
            "backupSyncPeriod (2m0s)",
        ),
        ({"backupSyncPeriod": "0"}, ""),
    ],
)
def test_the_rules_of_the_original_hold_in_its_words(spec: dict[str, Any], text: str) -> None:
    assert problem(**spec) == text


def test_no_spec_at_all_is_told() -> None:
    assert spec_problem(None, NOTHING, MINUTE) == f"{OWN} spec.bslSpec is not defined"


def test_the_usual_period_counts_where_none_is_given_and_none_where_nothing_is_synced() -> None:
    assert "(5m0s)" in spec_problem(BUCKET, NOTHING, timedelta(minutes=5))
    never = policy_of_config({"data": {"backupSyncPeriod": "0"}})
    assert spec_problem(BUCKET, never, timedelta(minutes=5)) == ""


@pytest.mark.parametrize("provider", ["kedge.dev/filesystem", " Kedge.dev/FileSystem "])
def test_a_folder_of_the_server_is_no_bucket_of_a_users(provider: str) -> None:
    assert problem(provider=provider).startswith(f"{PATH}.provider is restricted")


@pytest.mark.parametrize(
    "name",
    [
        "path",
        "PATH",
        "credentialsFile",
        "customerKeyEncryptionFile",
        "customerKeyEncryptionSecret",
    ],
)
def test_settings_that_lead_to_what_is_the_servers_are_refused(name: str) -> None:
    found = problem(config={"region": "x", name: "/etc"})
    assert "is restricted" in found
    assert problem(config={"region": "x"}) == ""


def test_a_secret_of_the_server_can_not_be_named_for_certificates() -> None:
    storage = {"bucket": "b", "caCertRef": {"name": "x", "key": "y"}}
    assert "caCertRef is restricted" in problem(objectStorage=storage)


@pytest.mark.parametrize("prefix", ["..", "../other", "a/../b", "a//b", "./a", "a\\b", "a\nb"])
def test_a_prefix_does_not_lead_out_of_its_folder(prefix: str) -> None:
    found = problem(objectStorage={"bucket": "b", "prefix": prefix})
    assert "objectStorage.prefix" in found


@pytest.mark.parametrize(
    ("enforced", "spec", "text"),
    [
        ("{provider: gcp}", {}, f"{PATH}.provider field to: gcp"),
        ("{provider: aws}", {}, ""),
        (
            "{config: {region: x, a: y}}",
            {"config": {"region": "z"}},
            f"{PATH}.config field to: a: y, region: x",
        ),
        ("{config: {region: x}}", {}, ""),
        (
            "{credential: {name: a, key: b}}",
            {},
            f"{PATH}.credential field to: name: a, key: b",
        ),
        ("{accessMode: ReadOnly}", {}, ""),
        (
            "{validationFrequency: 60s}",
            {"validationFrequency": "2m"},
            f"{PATH}.validationFrequency field to: 1m0s",
        ),
        ("{validationFrequency: 60s}", {"validationFrequency": "1m"}, ""),
        (
            "{objectStorage: {bucket: b, prefix: p}}",
            {},
            f"{PATH}.objectStorage field value(s) to: bucket: b, prefix: p",
        ),
        ("{objectStorage: {bucket: mine, prefix: p}}", {}, ""),
    ],
)
def test_what_is_enforced_is_compared_field_by_field(
    enforced: str, spec: dict[str, Any], text: str
) -> None:
    found = problem(enforcing(enforced), **spec)
    assert found == (f"the administrator has restricted {text}" if text else "")


def test_a_policy_that_can_not_be_read_lets_nothing_through() -> None:
    assert "can not be read" in problem(enforcing("["))


@pytest.mark.parametrize(
    ("text", "config", "is_fine"),
    [
        ("[default]\naws_access_key_id=a\naws_secret_access_key=b\n", None, True),
        ('{"type": "service_account", "private_key": "x"}', None, True),
        ("AZURE_STORAGE_ACCOUNT_ACCESS_KEY=eA==", None, True),
        ("AZURE_CLIENT_SECRET=x", {"useAAD": "true"}, True),
        ("AZURE_TENANT_ID=x", {"useAAD": "true"}, False),
        ("[default]\nWeb_Identity_Token_File=/x\nrole_arn=y", None, False),
        ("[default]\ncredential_process=/bin/sh", None, False),
        ("[default]\nsource_profile=x", None, False),
        ("AZURE_CLIENT_CERTIFICATE_PATH=/x", None, False),
        ('{"type": "external_account"}', None, False),
        ('{"t\\u0079pe": "external_account"}', None, False),
        ("{", None, False),
        ("", None, False),
        (" \n", None, False),
    ],
)
def test_credentials_must_be_the_users_own(
    text: str, config: dict[str, str] | None, is_fine: bool
) -> None:
    assert (credential_problem(text.encode(), config) == "") is is_fine


def test_what_is_no_text_is_no_credential_and_is_not_quoted() -> None:
    assert credential_problem(b"\xff\xfe", None) == "it is no text"
    assert "hunter2" not in credential_problem(b"hunter2 credential_process", None)


@pytest.mark.parametrize(
    ("prefix", "wanted"), [(None, "shop"), ("", "shop"), ("foo", "shop/foo"), ("/a/b/", "shop/a/b")]
)
def test_the_prefix_is_below_the_namespace(prefix: str | None, wanted: str) -> None:
    spec = {**BUCKET, "objectStorage": {"bucket": "b", "prefix": prefix}}
    made = velero_spec(spec, {}, "shop", "copy")
    assert made["objectStorage"] == {"bucket": "b", "prefix": wanted}


@pytest.mark.parametrize(
    ("url", "wanted"),
    [
        ("https://s3:443", "https://s3"),
        ("http://s3:80/x", "http://s3/x"),
        ("https://s3:80", "https://s3:80"),
        ("http://s3:9000", "http://s3:9000"),
        ("nonsense", "nonsense"),
        ("https://[::1", "https://[::1"),
    ],
)
def test_a_port_that_is_the_usual_one_is_left_out(url: str, wanted: str) -> None:
    made = velero_spec({**BUCKET, "config": {"s3Url": url}}, {}, "shop", "copy")
    assert made["config"] == {"s3Url": wanted, "checksumAlgorithm": ""}


def test_what_is_enforced_fills_what_is_not_given() -> None:
    enforced = {
        "accessMode": "ReadOnly",
        "objectStorage": {"bucket": "mine", "prefix": "p"},
        "config": {"region": "x"},
    }
    spec = {**BUCKET, "provider": "gcp", "default": False, "validationFrequency": None}
    assert velero_spec(spec, enforced, "shop", "copy") == {
        "provider": "gcp",
        "accessMode": "ReadOnly",
        "config": {"region": "x"},
        "objectStorage": {"bucket": "mine", "prefix": "shop/p"},
        "credential": {"name": "copy", "key": "cloud"},
    }
