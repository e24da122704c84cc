"""Which buckets people may bring, and what is made of them."""

from datetime import timedelta
from typing import Any

import pytest

from kedge.controllers.nabsl.spec import spec_problem, velero_spec
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


@pytest.mark.parametrize("name", ["backupSyncPeriod", "validationFrequency"])
@pytest.mark.parametrize("text", ["1us", "1ms", "999ms"])
def test_nobody_keeps_the_server_busy_with_their_bucket(name: str, text: str) -> None:
    told = f"{PATH}.{name} is restricted, can not be shorter than 1s, but for 0"
    for period, wanted in ((text, told), ("1s", ""), ("0s", "")):
        asked: dict[str, Any] = {name: period}
        assert problem(**asked) == wanted


def test_no_spec_at_all_is_told() -> None:
    assert spec_problem(None, NOTHING, MINUTE) == f"{OWN} spec.bslSpec is not defined"


def test_the_usual_period_counts_where_none_is_given_and_none_where_nothing_is_synced() -> None:
    assert "(5m0s)" in spec_problem(BUCKET, NOTHING, timedelta(minutes=5))
    never = policy_of_config({"data": {"backupSyncPeriod": "0"}})
    assert spec_problem(BUCKET, never, timedelta(minutes=5)) == ""


@pytest.mark.parametrize("name", ["backupSyncPeriod", "validationFrequency"])
def test_a_duration_that_no_velero_can_read_is_refused(name: str) -> None:
    asked: dict[str, Any] = {name: "99999999999h"}
    assert problem(**asked) == (
        f'{PATH}.{name}: time: invalid duration "99999999999h"; write it as 30s or 1m'
    )


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
