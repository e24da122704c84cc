"""Google Cloud Storage: the provider `gcp`, with the settings of velero-plugin-for-gcp."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

import msgspec
from obstore.exceptions import BaseError
from obstore.store import GCSStore

from kedge.kube.foreign import cut
from kedge.objects.config import Config
from kedge.objects.credentials import read_credentials
from kedge.objects.errors import PlaceError
from kedge.objects.keys import folder_of
from kedge.objects.place import Place
from kedge.objects.remote import RemoteBucket, Uploading
from kedge.objects.web import Trust, check_url, retrying, speaking

if TYPE_CHECKING:
    from obstore.store import GCSConfig

SETTINGS: Final = (
    "kmsKeyName",
    "serviceAccount",
    "credentialsFile",
    "storeEndpoint",
    "universeDomain",
)
DOMAIN: Final = "googleapis.com"


def open_gcs(place: Place, environment: Mapping[str, str]) -> RemoteBucket:
    """Open a bucket of Google's; raises PlaceError."""
    config = Config(place.config, "gcp", SETTINGS)
    config.refuse(
        "kmsKeyName", "it can not be sent with an object; make it the default key of the bucket"
    )
    # serviceAccount is the one that a pod's identity stands for; who asks Google for that
    # identity is told the account as well, so that the setting is not needed, and no mistake.
    url = _url(config)
    options: GCSConfig = {}
    if url:
        options["base_url"] = url
    key = _key(place, config, environment)
    if key:
        options["service_account_key"] = key
    try:
        store = GCSStore(
            place.bucket,
            config=options,
            client_options=speaking(url, Trust(place.ca)),
            retry_config=retrying(),
        )
    except (BaseError, ValueError, OSError):
        # What obstore says may quote the key.
        raise PlaceError(
            "the settings of gcp can not be used: the credentials are no key of a service "
            "account, or objectStorage.caCert holds no certificates in PEM"
        ) from None
    name = f'bucket "{place.bucket}"' + (f" at {url}" if url else "")
    return RemoteBucket(store, name, folder_of(place.prefix), Uploading(), store)


def _url(config: Config) -> str:
    endpoint, domain = config.text("storeEndpoint"), config.text("universeDomain")
    if not endpoint and domain and domain != DOMAIN:
        endpoint = f"storage.{domain}"
    if endpoint and "://" not in endpoint:
        endpoint = f"https://{endpoint}"
    address = check_url("storeEndpoint", endpoint)
    return "" if address is None else f"{address.scheme}://{address.netloc}"


def _key(place: Place, config: Config, environment: Mapping[str, str]) -> str | None:
    usual = environment.get("GOOGLE_APPLICATION_CREDENTIALS", "")
    file = config.text("credentialsFile")
    text = read_credentials(place.credentials, file, usual, "the GCP credentials")
    if text is None:
        return None
    try:
        value: Any = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise PlaceError("the GCP credentials are not the JSON of a service account's key")
    kind = value.get("type", "service_account")
    if kind != "service_account":
        raise PlaceError(
            f"the GCP credentials are of type {cut(str(kind))!r}, which can not be used here; "
            "give the key of a service account, or none, for the identity of the pod"
        )
    for name in ("client_email", "private_key"):
        if not isinstance(value.get(name), str):
            raise PlaceError(f"the GCP credentials have no {name}")
    return text
