"""From the settings of velero-plugin-for-aws to a store, and which of them are refused."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from kedge.objects.bucket import Bucket
from kedge.objects.errors import PlaceError, Refused
from kedge.objects.open import Surroundings, open_bucket
from kedge.objects.place import Place

NOW = datetime(2030, 1, 1, tzinfo=UTC)
KEYS = b"[default]\naws_access_key_id=AK\naws_secret_access_key=hush\naws_session_token=tok\n"


def opened(config: dict[str, str], bucket: str = "backups", **kwargs: object) -> Bucket:
    place = Place("velero.io/aws", bucket, "pre", config, KEYS)
    for name, value in kwargs.items():
        object.__setattr__(place, name, value)
    return open_bucket(place, Surroundings())


async def url(bucket: Bucket) -> str:
    return await bucket.sign("key", timedelta(minutes=10), NOW)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("config", "bucket", "address"),
    [
        ({}, "backups", "https://backups.s3.us-east-1.amazonaws.com/pre/key"),
        (
            {"region": "eu-west-1"},
            "backups",
            "https://backups.s3.eu-west-1.amazonaws.com/pre/key",
        ),
        (
            {"region": "eu-west-1", "s3ForcePathStyle": "true"},
            "backups",
            "https://s3.eu-west-1.amazonaws.com/backups/pre/key",
        ),
        (
            {"region": "eu-west-1"},
            "with.dots",
            "https://s3.eu-west-1.amazonaws.com/with.dots/pre/key",
        ),
        (
            {"s3Url": "http://minio:9000/", "s3ForcePathStyle": "true"},
            "backups",
            "http://minio:9000/backups/pre/key",
        ),
        ({"s3Url": "https://minio.example"}, "backups", "https://backups.minio.example/pre/key"),
        ({"s3Url": "http://10.0.0.1:9000"}, "backups", "http://10.0.0.1:9000/backups/pre/key"),
        ({"s3Url": "http://[::1]:9000"}, "backups", "http://[::1]:9000/backups/pre/key"),
        ({"s3Url": "http://localhost:9000"}, "backups", "http://localhost:9000/backups/pre/key"),
        (
            {
                "s3Url": "http://10.0.0.1",
                "publicUrl": "https://s3.example/",
                "s3ForcePathStyle": "1",
            },
            "backups",
            "https://s3.example/backups/pre/key",
        ),
    ],
)
async def test_a_bucket_is_addressed_as_the_settings_say(
    config: dict[str, str], bucket: str, address: str
) -> None:
    signed = await url(opened(config, bucket))
    assert signed.partition("?")[0] == address
    query = parse_qs(urlsplit(signed).query)
    assert query["X-Amz-Expires"] == ["600"]
    assert query["X-Amz-Security-Token"] == ["tok"]
    assert query["X-Amz-Credential"][0].startswith("AK/")
    assert f"/{config.get('region', 'us-east-1')}/s3/" in query["X-Amz-Credential"][0]
    assert "hush" not in signed


@pytest.mark.asyncio
async def test_an_address_among_the_credentials_is_not_followed() -> None:
    signed = await url(opened({}, credentials=KEYS + b"endpoint_url=http://10.0.0.1\n"))
    assert urlsplit(signed).netloc == "backups.s3.us-east-1.amazonaws.com"


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ({"zone": "x"}, "unknown key 'zone'; aws takes: .*region.*s3Url"),
        ({"s3Url": "minio:9000"}, "config.s3Url 'minio:9000' must start with http"),
        ({"s3Url": "ftp://minio"}, "must start with http"),
        ({"s3Url": "http://"}, "must start with http"),
        ({"s3Url": "http://[x"}, "no URL"),
        ({"s3Url": "http://a:99999999"}, "no URL"),
        ({"publicUrl": "http://u:hush@h"}, "config.publicUrl must be an address only"),
        ({"s3Url": "http://h?sig=hush"}, "config.s3Url must be an address only"),
        ({"s3ForcePathStyle": "yes"}, "config.s3ForcePathStyle 'yes' must be true or false"),
        ({"insecureSkipTLSVerify": "maybe"}, "must be true or false"),
        ({"serverSideEncryption": "rot13"}, "'rot13' is not known; it can be AES256, aws:kms"),
        ({"checksumAlgorithm": "MD5"}, "'MD5' is not known"),
        ({"signatureVersion": "1"}, "only version 4"),
        ({"tagging": "novalue"}, "Key1=Value1"),
        ({"tagging": "a=1&a=2"}, "each once"),
        ({"tagging": "&".join(f"k{number}=v" for number in range(11))}, "10 tags"),
        ({"tagging": f"k={'v' * 257}"}, "up to 256"),
        ({"kmsKeyId": "k", "customerKeyEncryptionFile": "/f"}, "you can only use one of"),
        ({"customerKeyEncryptionFile": "/no/such/file"}, "No such file"),
        ({"customerKeyEncryptionSecret": "s/k"}, "exactly 32 bytes"),
        ({"profile": "other"}, "no profile 'other'; there are: 'default'"),
    ],
)
def test_settings_that_can_not_be_used_are_told(config: dict[str, str], text: str) -> None:
    with pytest.raises(PlaceError, match=text) as caught:
        opened(config)
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize(
    ("credentials", "text"),
    [
        (b"[default]\naws_access_key_id=AK\n", "has no aws_secret_access_key"),
        (b"[default]\naws_secret_access_key=hush\n", "has no aws_access_key_id"),
        (b"[default]\nrole_arn=r\nsource_profile=x\n", "source_profile, which can not be used"),
        (b"[default]\ncredential_process=x\n", "credential_process, which can not"),
        (b"", "no profile 'default'; there are: none"),
        (b"\xff\xff", "no text"),
    ],
)
def test_credentials_that_can_not_be_used_are_told(credentials: bytes, text: str) -> None:
    with pytest.raises(PlaceError, match=text) as caught:
        opened({}, credentials=credentials)
    assert "hush" not in str(caught.value)


@pytest.mark.parametrize(
    "config",
    [
        {"kmsKeyId": "alias/backups"},
        {"kmsKeyId": "k", "serverSideEncryption": "aws:kms:dsse"},
        {"serverSideEncryption": "AES256"},
        {"tagging": "team=a&empty="},
        {"checksumAlgorithm": "CRC32"},
        {"checksumAlgorithm": ""},
        {"enableSharedConfig": "true"},
        {"signatureVersion": "4"},
        {"insecureSkipTLSVerify": "T", "s3Url": "https://minio"},
    ],
)
def test_settings_that_velero_takes_are_taken(config: dict[str, str]) -> None:
    opened(config)


@pytest.mark.asyncio
async def test_what_is_encrypted_with_a_customers_key_has_no_url(tmp_path: Path) -> None:
    file = tmp_path / "key"
    file.write_bytes(b"k" * 32)
    for bucket in (
        opened({"customerKeyEncryptionFile": str(file)}),
        opened({"customerKeyEncryptionSecret": "s/k"}, customer_key=b"k" * 32),
    ):
        with pytest.raises(Refused, match="customer's key"):
            await url(bucket)


def test_certificates_that_are_none_are_told() -> None:
    with pytest.raises(PlaceError, match="no certificates in PEM"):
        opened({}, ca=b"nonsense")


def test_access_points_are_refused_by_name() -> None:
    with pytest.raises(PlaceError, match="access point"):
        opened({}, "arn:aws:s3::123:accesspoint/x.mrap")


@pytest.mark.asyncio
async def test_the_environment_gives_credentials_if_there_are_none(tmp_path: Path) -> None:
    file = tmp_path / "cloud"
    file.write_bytes(KEYS.replace(b"AK", b"FILE"))
    token = tmp_path / "token"
    place = Place("aws", "b", "", {"region": "r"})
    for environment, key in (
        ({"AWS_ACCESS_KEY_ID": "ENV", "AWS_SECRET_ACCESS_KEY": "s"}, "ENV"),
        (
            {
                "AWS_ACCESS_KEY_ID": "ENV",
                "AWS_SECRET_ACCESS_KEY": "s",
                "AWS_SHARED_CREDENTIALS_FILE": str(file),
            },
            "FILE",
        ),
    ):
        bucket = open_bucket(place, Surroundings(environment=environment))
        query = parse_qs(urlsplit(await url(bucket)).query)
        assert query["X-Amz-Credential"][0].startswith(f"{key}/")
    open_bucket(
        place,
        Surroundings(environment={"AWS_WEB_IDENTITY_TOKEN_FILE": str(token), "AWS_ROLE_ARN": "r"}),
    )
    named = Place("aws", "b", "", {"region": "r", "credentialsFile": str(file)})
    query = parse_qs(urlsplit(await url(open_bucket(named, Surroundings()))).query)
    assert query["X-Amz-Credential"][0].startswith("FILE/")


def test_secrets_are_not_shown_by_a_place() -> None:
    place = Place("aws", "b", "", {}, b"hush", None, b"hush")
    assert "hush" not in repr(place)
    assert "hush" not in repr(Surroundings(environment={"AWS_SECRET_ACCESS_KEY": "hush"}))
