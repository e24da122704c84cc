"""From the settings of Velero's plugins for Azure and GCP to a store."""

import base64
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

import msgspec
import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

from kedge.objects.bucket import Bucket
from kedge.objects.errors import PlaceError
from kedge.objects.open import Surroundings, open_bucket
from kedge.objects.place import Place

NOW = datetime(2030, 1, 1, tzinfo=UTC)
MINUTES = timedelta(minutes=10)
KEY = base64.b64encode(b"hush").decode()
ACCOUNT = {"storageAccount": "acc", "storageAccountKeyEnvVar": "K"}


def azure(
    config: dict[str, str], credentials: str = f"K={KEY}", environment: dict[str, str] | None = None
) -> Bucket:
    place = Place("azure", "backups", "pre", config, credentials.encode())
    return open_bucket(place, Surroundings(environment=environment or {}))


@pytest.fixture(scope="module")
def service_account() -> str:
    """Make a key of a service account, as Google gives it."""
    private = rsa.generate_private_key(65537, 2048).private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption(),
    )
    key = {
        "type": "service_account",
        "project_id": "p",
        "private_key_id": "1",
        "private_key": private.decode(),
        "client_email": "kedge@p.iam.gserviceaccount.com",
        "token_uri": "https://oauth2.googleapis.com/token",
    }
    return msgspec.json.encode(key).decode()


def gcs(config: dict[str, str], credentials: str | None) -> Bucket:
    given = credentials.encode() if credentials is not None else None
    return open_bucket(Place("velero.io/gcp", "backups", "pre", config, given), Surroundings())


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("config", "credentials", "address"),
    [
        (ACCOUNT, f"K={KEY}", "https://acc.blob.core.windows.net/backups/pre/key"),
        (
            {"storageAccount": "acc"},
            f"AZURE_STORAGE_KEY={KEY}",
            "https://acc.blob.core.windows.net/backups/pre/key",
        ),
        (
            ACCOUNT,
            f"K={KEY}\nAZURE_CLOUD_NAME=AzureChinaCloud",
            "https://acc.blob.core.chinacloudapi.cn/backups/pre/key",
        ),
        (
            {**ACCOUNT, "storageAccountURI": "https://other.example/"},
            f"K={KEY}",
            "https://other.example/backups/pre/key",
        ),
    ],
)
async def test_a_container_is_addressed_as_the_settings_say(
    config: dict[str, str], credentials: str, address: str
) -> None:
    signed = await azure(config, credentials).sign("key", MINUTES, NOW)
    assert signed.partition("?")[0] == address
    assert parse_qs(urlsplit(signed).query)["sp"] == ["r"]
    assert KEY not in signed


@pytest.mark.parametrize(
    ("config", "credentials", "text"),
    [
        ({}, "", "config.storageAccount is required"),
        ({"storageAccount": "a", "x": "y"}, "", "unknown key 'x'; azure takes: .*useAAD"),
        ({"storageAccount": "a"}, "", 'storageAccountKeyEnvVar, or useAAD: "true"'),
        (ACCOUNT, "OTHER=hush", "no storage account access key with key K found"),
        (ACCOUNT, "K=hush!", "K of the Azure credentials is not base64"),
        (ACCOUNT, "hush", "line 1"),
        (ACCOUNT, f"K={KEY}\nAZURE_CLOUD_NAME=Mars", "'Mars' of the Azure credentials"),
        ({**ACCOUNT, "blockSizeInBytes": "0"}, f"K={KEY}", "number from 1 to 104857600"),
        ({**ACCOUNT, "blockSizeInBytes": "x"}, f"K={KEY}", "must be a number"),
        ({**ACCOUNT, "blockSizeInBytes": "9" * 30}, f"K={KEY}", "must be a number"),
        ({**ACCOUNT, "storageAccountURI": "acc"}, f"K={KEY}", "config.storageAccountURI 'acc'"),
        (
            {**ACCOUNT, "storageAccountURI": "https://a?sig=hush"},
            f"K={KEY}",
            "must be an address only",
        ),
        ({"storageAccount": "a", "useAAD": "si"}, "", "config.useAAD 'si'"),
        (
            {"storageAccount": "a", "useAAD": "true"},
            "AZURE_CLIENT_SECRET=hush\nAZURE_CLIENT_ID=i",
            "AZURE_TENANT_ID is required",
        ),
        (
            {"storageAccount": "a", "useAAD": "true"},
            "AZURE_CLIENT_CERTIFICATE=hush",
            "AZURE_CLIENT_CERTIFICATE of the Azure credentials can not be used",
        ),
    ],
)
def test_settings_of_azure_that_can_not_be_used_are_told(
    config: dict[str, str], credentials: str, text: str
) -> None:
    with pytest.raises(PlaceError, match=text) as caught:
        azure(config, credentials)
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize(
    ("credentials", "environment"),
    [
        ("AZURE_TENANT_ID=t\nAZURE_CLIENT_ID=c\nAZURE_CLIENT_SECRET=s", {}),
        ("", {"AZURE_FEDERATED_TOKEN_FILE": "/t", "AZURE_TENANT_ID": "t", "AZURE_CLIENT_ID": "c"}),
        ("AZURE_CLIENT_ID=c", {}),
    ],
    ids=["client secret", "workload identity", "managed identity"],
)
def test_azures_active_directory_is_taken(credentials: str, environment: dict[str, str]) -> None:
    config = {
        "storageAccount": "acc",
        "useAAD": "true",
        "activeDirectoryAuthorityURI": "https://login.microsoftonline.us/",
        "resourceGroup": "g",
        "subscriptionId": "s",
        "blockSizeInBytes": "1",
    }
    azure(config, credentials, environment)


@pytest.mark.asyncio
async def test_a_service_account_signs_urls_itself(service_account: str) -> None:
    signed = await gcs({"serviceAccount": "any"}, service_account).sign("a b", MINUTES, NOW)
    assert signed.partition("?")[0] == "https://storage.googleapis.com/backups/pre/a%20b"
    query = parse_qs(urlsplit(signed).query)
    assert query["X-Goog-Credential"][0].startswith("kedge@p.iam.gserviceaccount.com/")
    assert query["X-Goog-Expires"] == ["600"]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("config", "host"),
    [
        ({"storeEndpoint": "storage-x.p.googleapis.com"}, "storage-x.p.googleapis.com"),
        ({"universeDomain": "googleapis.com"}, "storage.googleapis.com"),
        ({"universeDomain": "cloud.example"}, "storage.cloud.example"),
    ],
)
async def test_another_endpoint_of_google_is_used(
    config: dict[str, str], host: str, service_account: str
) -> None:
    assert urlsplit(await gcs(config, service_account).sign("k", MINUTES, NOW)).netloc == host


@pytest.mark.parametrize(
    ("config", "credentials", "text"),
    [
        ({"kmsKeyName": "k"}, "{}", "config.kmsKeyName can not be used here: .*default key"),
        ({"x": "y"}, "{}", "unknown key 'x'; gcp takes: credentialsFile"),
        ({"storeEndpoint": "http://u:hush@h"}, "{}", "must be an address only"),
        ({}, "hush", "not the JSON"),
        ({}, "[]", "not the JSON"),
        ({}, '{"type": "external_account"}', "of type 'external_account', which can not"),
        ({}, '{"client_email": "e"}', "no private_key"),
        ({}, '{"client_email": "e", "private_key": "hush"}', "no key of a service account"),
    ],
)
def test_settings_of_gcp_that_can_not_be_used_are_told(
    config: dict[str, str], credentials: str, text: str
) -> None:
    with pytest.raises(PlaceError, match=text) as caught:
        gcs(config, credentials)
    assert "hush" not in str(caught.value)
    assert caught.value.__cause__ is None or "hush" not in str(caught.value.__cause__)
