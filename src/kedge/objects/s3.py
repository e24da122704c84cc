"""Any S3: the provider `aws`, with the settings of velero-plugin-for-aws."""

import base64
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import SplitResult, parse_qsl

from obstore.exceptions import BaseError
from obstore.store import S3Store

from kedge.kube.foreign import cut
from kedge.objects.config import Config
from kedge.objects.credentials import read_credentials, read_profile
from kedge.objects.errors import PlaceError
from kedge.objects.keys import folder_of
from kedge.objects.place import Place
from kedge.objects.remote import RemoteBucket, Uploading
from kedge.objects.web import Trust, check_url, is_number, retrying, speaking

if TYPE_CHECKING:
    from obstore.store import S3Config, S3Credential

SETTINGS: Final = (
    "region",
    "s3Url",
    "publicUrl",
    "s3ForcePathStyle",
    "insecureSkipTLSVerify",
    "kmsKeyId",
    "serverSideEncryption",
    "customerKeyEncryptionFile",
    "customerKeyEncryptionSecret",
    "tagging",
    "checksumAlgorithm",
    "profile",
    "enableSharedConfig",
    "credentialsFile",
    "signatureVersion",
)
DEFAULT_REGION: Final = "us-east-1"
"""What a store that has no regions takes; AWS tells the right one in its answer."""
ENCRYPTIONS: Final = ("AES256", "aws:kms", "aws:kms:dsse")
CHECKSUMS: Final[Mapping[str, str]] = {
    "SHA256": "SHA256",
    "CRC64NVME": "CRC64NVME",
    # obstore can not compute these; the same purpose is served by one that it can.
    "CRC32": "SHA256",
    "CRC32C": "SHA256",
    "SHA1": "SHA256",
}
MOST_TAGS: Final = 10
CUSTOMER_KEY_BYTES: Final = 32

_HOST: Final = re.compile(r"[a-z0-9][a-z0-9-]{1,61}[a-z0-9]")
"""A bucket that can be part of a host's name; one with dots would fit no certificate."""
_UNSUPPORTED: Final = ("source_profile", "credential_source", "credential_process", "sso_session")


def open_s3(place: Place, environment: Mapping[str, str]) -> RemoteBucket:
    """Open a bucket of an S3; raises PlaceError."""
    config = Config(place.config, "aws", SETTINGS)
    if place.bucket.startswith("arn:"):
        raise PlaceError("a bucket that is an access point (arn:…) can not be used")
    if config.text("signatureVersion") not in ("", "4"):
        raise PlaceError("config.signatureVersion can not be used here: only version 4 is spoken")
    url = config.text("s3Url") or _environment_url(environment)
    options = _options(config, place)
    uploading = Uploading(tags=_tags(config.text("tagging")))
    store = _store(place, config, url, "s3Url", options, environment)
    signer: S3Store | str = store
    if "sse_customer_key_base64" in options:
        signer = "what is encrypted with a customer's key can be read by nobody without it"
    elif config.text("publicUrl"):
        public = config.text("publicUrl")
        signer = _store(place, config, public, "publicUrl", options, environment)
    name = f'bucket "{place.bucket}"' + (f" at {url}" if url else "")
    return RemoteBucket(store, name, folder_of(place.prefix), uploading, signer)


def _environment_url(environment: Mapping[str, str]) -> str:
    return environment.get("AWS_ENDPOINT_URL_S3") or environment.get("AWS_ENDPOINT_URL") or ""


def _store(
    place: Place,
    config: Config,
    url: str,
    setting: str,
    options: "S3Config",
    environment: Mapping[str, str],
) -> S3Store:
    trust = Trust(place.ca, config.flag("insecureSkipTLSVerify"))
    address = check_url(setting, url)
    virtual = _is_virtual(place.bucket, config.flag("s3ForcePathStyle"), address)
    own: S3Config = {
        **options,
        "virtual_hosted_style_request": virtual,
        # Whoever could change what is sent could also change what is stored. TLS is what hinders
        # them, so that the payload need not be hashed for the signature.
        "unsigned_payload": not url.startswith("http://") and not trust.anybody,
    }
    if address is not None:
        endpoint = _endpoint(address, place.bucket if virtual else "")
        own["endpoint"] = own["aws_endpoint_url_s3"] = endpoint
    provider, identity = _credentials(place, config, environment)
    try:
        return S3Store(
            place.bucket,
            config={**own, **identity},
            client_options=speaking(url, trust),
            retry_config=retrying(),
            credential_provider=provider,
        )
    except (BaseError, ValueError, OSError) as exc:
        raise PlaceError(_misfit(place, exc)) from None


def _misfit(place: Place, exc: Exception) -> str:
    if place.ca and "ertificate" in str(exc):
        return "objectStorage.caCert holds no certificates in PEM"
    return f"the settings of aws can not be used: {cut(str(exc).partition(chr(10))[0])}"


def _is_virtual(bucket: str, path_style: bool, address: SplitResult | None) -> bool:
    if path_style or not _HOST.fullmatch(bucket):
        return False
    return address is None or not is_number(address.hostname or "")


def _endpoint(address: SplitResult, bucket: str) -> str:
    host = f"{bucket}.{address.netloc}" if bucket else address.netloc
    return f"{address.scheme}://{host}{address.path.rstrip('/')}"


def _options(config: Config, place: Place) -> "S3Config":
    options: S3Config = {
        "region": config.text("region") or DEFAULT_REGION,
        # Not every store has the request that deletes many at once.
        "disable_bulk_delete": True,
    }
    _encrypt(options, config, place)
    checksum = config.text("checksumAlgorithm")
    if checksum:
        if checksum not in CHECKSUMS:
            raise PlaceError(
                f"config.checksumAlgorithm {cut(checksum)!r} is not known; it can be "
                + ", ".join(CHECKSUMS)
            )
        options["checksum_algorithm"] = CHECKSUMS[checksum]
    return options


def _encrypt(options: "S3Config", config: Config, place: Place) -> None:
    kms, encryption = config.text("kmsKeyId"), config.text("serverSideEncryption")
    file, secret = "customerKeyEncryptionFile", "customerKeyEncryptionSecret"
    if sum(bool(text) for text in (kms, config.text(file), config.text(secret))) > 1:
        raise PlaceError(f"you can only use one of: kmsKeyId, {file}, or {secret}")
    if encryption and encryption not in ENCRYPTIONS:
        raise PlaceError(
            f"config.serverSideEncryption {cut(encryption)!r} is not known; it can be "
            + ", ".join(ENCRYPTIONS)
        )
    if config.text(file) or config.text(secret):
        options["server_side_encryption"] = "sse-c"
        options["sse_customer_key_base64"] = _customer_key(config.text(file), place)
    elif kms:
        options["sse_kms_key_id"] = kms
        dsse = encryption == "aws:kms:dsse"
        options["server_side_encryption"] = encryption if dsse else "aws:kms"
    elif encryption:
        options["server_side_encryption"] = encryption


def _customer_key(file: str, place: Place) -> str:
    key = place.customer_key
    if file:
        try:
            with Path(file).open("rb") as source:
                key = source.read(CUSTOMER_KEY_BYTES + 1)
        except (OSError, ValueError) as exc:
            reason = exc.strerror if isinstance(exc, OSError) else "no path of a file"
            raise PlaceError(
                f"config.customerKeyEncryptionFile: reading {cut(file)!r}: {reason}"
            ) from exc
    if key is None or len(key) != CUSTOMER_KEY_BYTES:
        raise PlaceError(f"a customer's key must have exactly {CUSTOMER_KEY_BYTES} bytes")
    return base64.b64encode(key).decode()


def _tags(text: str) -> dict[str, str]:
    if not text:
        return {}
    try:
        pairs = parse_qsl(text, keep_blank_values=True, strict_parsing=True)
    except ValueError as exc:
        raise PlaceError(f"config.tagging {cut(text)!r} must be Key1=Value1&Key2=Value2") from exc
    tags = dict(pairs)
    if len(tags) != len(pairs) or len(tags) > MOST_TAGS:
        raise PlaceError(f"config.tagging can have {MOST_TAGS} tags, each once")
    for key, value in tags.items():
        if not 1 <= len(key) <= 128 or len(value) > 256:
            raise PlaceError("config.tagging: a key has 1 to 128 letters, a value up to 256")
    return tags


def _credentials(
    place: Place, config: Config, environment: Mapping[str, str]
) -> tuple[Callable[[], Any] | None, "S3Config"]:
    usual = environment.get("AWS_SHARED_CREDENTIALS_FILE", "")
    file = config.text("credentialsFile")
    text = read_credentials(place.credentials, file, usual, "the AWS credentials")
    if text is None:
        return None, _from_environment(environment)
    profile = config.text("profile") or "default"
    values = read_profile(text, profile, config.flag("enableSharedConfig"))
    for name in _UNSUPPORTED:
        if name in values:
            raise PlaceError(
                f"profile {cut(profile)!r} of the AWS credentials has {name}, which can not be "
                "used here; give aws_access_key_id and aws_secret_access_key"
            )
    if "web_identity_token_file" in values and "role_arn" in values:
        return None, {
            "role_arn": values["role_arn"],
            "web_identity_token_file": values["web_identity_token_file"],
        }
    return _static(values, profile), {}


def _static(values: Mapping[str, str], profile: str) -> "Callable[[], S3Credential]":
    for name in ("aws_access_key_id", "aws_secret_access_key"):
        if not values.get(name):
            raise PlaceError(f"profile {cut(profile)!r} of the AWS credentials has no {name}")
    credential: S3Credential = {
        "access_key_id": values["aws_access_key_id"],
        "secret_access_key": values["aws_secret_access_key"],
        "token": values.get("aws_session_token") or None,
        "expires_at": None,
    }
    return lambda: credential


def _from_environment(environment: Mapping[str, str]) -> "S3Config":
    found: S3Config = {}
    if environment.get("AWS_ACCESS_KEY_ID") and environment.get("AWS_SECRET_ACCESS_KEY"):
        found["access_key_id"] = environment["AWS_ACCESS_KEY_ID"]
        found["secret_access_key"] = environment["AWS_SECRET_ACCESS_KEY"]
        if environment.get("AWS_SESSION_TOKEN"):
            found["session_token"] = environment["AWS_SESSION_TOKEN"]
    elif environment.get("AWS_WEB_IDENTITY_TOKEN_FILE") and environment.get("AWS_ROLE_ARN"):
        found["web_identity_token_file"] = environment["AWS_WEB_IDENTITY_TOKEN_FILE"]
        found["role_arn"] = environment["AWS_ROLE_ARN"]
    return found
