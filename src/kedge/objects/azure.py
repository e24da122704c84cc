"""Azure's blobs: the provider `azure`, with the settings of velero-plugin-for-microsoft-azure."""

import base64
import binascii
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from obstore.exceptions import BaseError
from obstore.store import AzureStore

from kedge.kube.foreign import cut
from kedge.objects.config import Config
from kedge.objects.credentials import read_credentials, read_lines
from kedge.objects.errors import PlaceError
from kedge.objects.keys import folder_of
from kedge.objects.place import Place
from kedge.objects.remote import PART, RemoteBucket, Uploading
from kedge.objects.web import Trust, check_url, retrying, speaking

if TYPE_CHECKING:
    from obstore.store import AzureConfig

SETTINGS: Final = (
    "storageAccount",
    "storageAccountKeyEnvVar",
    "storageAccountURI",
    "useAAD",
    "activeDirectoryAuthorityURI",
    "blockSizeInBytes",
    "resourceGroup",
    "subscriptionId",
    "credentialsFile",
)
LARGEST_BLOCK: Final = 100 * 1024 * 1024
SMALLEST_BLOCK: Final = 64 * 1024
"""Less is taken, and not used: Azure takes 50,000 blocks a blob."""

_PUBLIC: Final = ("blob.core.windows.net", "https://login.microsoftonline.com")
_CHINA: Final = ("blob.core.chinacloudapi.cn", "https://login.chinacloudapi.cn")
_GOVERNMENT: Final = ("blob.core.usgovcloudapi.net", "https://login.microsoftonline.us")
CLOUDS: Final[Mapping[str, tuple[str, str]]] = {
    "": _PUBLIC,
    "AZURECLOUD": _PUBLIC,
    "AZUREPUBLICCLOUD": _PUBLIC,
    "AZURECHINACLOUD": _CHINA,
    "AZUREUSGOVERNMENT": _GOVERNMENT,
    "AZUREUSGOVERNMENTCLOUD": _GOVERNMENT,
}
_UNSUPPORTED: Final = (
    "AZURE_CLIENT_CERTIFICATE",
    "AZURE_CLIENT_CERTIFICATE_PATH",
    "AZURE_USERNAME",
)


def open_azure(place: Place, environment: Mapping[str, str]) -> RemoteBucket:
    """Open a container of Azure's; raises PlaceError."""
    config = Config(place.config, "azure", SETTINGS)
    account = config.text("storageAccount")
    if not account:
        raise PlaceError("config.storageAccount is required")
    usual = environment.get("AZURE_CREDENTIALS_FILE", "")
    file = config.text("credentialsFile")
    text = read_credentials(place.credentials, file, usual, "the Azure credentials")
    values = read_lines(text) if text is not None else {}
    host, authority = _cloud(values)
    url = config.text("storageAccountURI") or f"https://{account}.{host}"
    check_url("storageAccountURI", url)
    check_url("activeDirectoryAuthorityURI", config.text("activeDirectoryAuthorityURI"))
    options: AzureConfig = {
        "account_name": account,
        "endpoint": url.rstrip("/"),
        "authority_host": config.text("activeDirectoryAuthorityURI") or authority,
        **_identity(config, values, environment),
    }
    block = config.number("blockSizeInBytes", PART, LARGEST_BLOCK)
    try:
        store = AzureStore(
            place.bucket,
            config=options,
            client_options=speaking(url, Trust(place.ca)),
            retry_config=retrying(),
        )
    except (BaseError, ValueError, OSError):
        # What obstore says may quote the key.
        raise PlaceError(
            "the settings of azure can not be used: the URL or the credentials are wrong, or "
            "objectStorage.caCert holds no certificates in PEM"
        ) from None
    name = f'container "{place.bucket}" at {url}'
    uploading = Uploading(part_bytes=max(block, SMALLEST_BLOCK))
    return RemoteBucket(store, name, folder_of(place.prefix), uploading, store)


def _cloud(values: Mapping[str, str]) -> tuple[str, str]:
    name = values.get("AZURE_CLOUD_NAME", "")
    try:
        return CLOUDS[name.upper()]
    except KeyError:
        known = "AzurePublicCloud, AzureChinaCloud, AzureUSGovernmentCloud"
        raise PlaceError(
            f"AZURE_CLOUD_NAME {cut(name)!r} of the Azure credentials is not known; it can be "
            + known
        ) from None


def _identity(
    config: Config, values: Mapping[str, str], environment: Mapping[str, str]
) -> "AzureConfig":
    name = config.text("storageAccountKeyEnvVar")
    if name or (not config.flag("useAAD") and values.get("AZURE_STORAGE_KEY")):
        return {"account_key": _account_key(values, name or "AZURE_STORAGE_KEY")}
    if not config.flag("useAAD"):
        raise PlaceError(
            'config needs storageAccountKeyEnvVar, or useAAD: "true"; the key of the account can '
            "not be asked from Azure's resource manager here"
        )
    for unsupported in _UNSUPPORTED:
        if values.get(unsupported):
            raise PlaceError(
                f"{unsupported} of the Azure credentials can not be used here; give "
                "AZURE_CLIENT_SECRET"
            )
    return _active_directory(values, environment)


def _account_key(values: Mapping[str, str], name: str) -> str:
    key = values.get(name)
    if not key:
        raise PlaceError(f"no storage account access key with key {cut(name)} found in credential")
    try:
        base64.b64decode(key, validate=True)
    except (binascii.Error, ValueError):
        raise PlaceError(f"{cut(name)} of the Azure credentials is not base64") from None
    return key


def _active_directory(values: Mapping[str, str], environment: Mapping[str, str]) -> "AzureConfig":
    found: AzureConfig = {}
    tenant = values.get("AZURE_TENANT_ID") or environment.get("AZURE_TENANT_ID")
    client = values.get("AZURE_CLIENT_ID") or environment.get("AZURE_CLIENT_ID")
    if tenant:
        found["tenant_id"] = tenant
    if client:
        found["client_id"] = client
    if values.get("AZURE_CLIENT_SECRET"):
        for name, value in (("AZURE_TENANT_ID", tenant), ("AZURE_CLIENT_ID", client)):
            if not value:
                raise PlaceError(f"{name} is required in the Azure credentials")
        found["client_secret"] = values["AZURE_CLIENT_SECRET"]
    elif environment.get("AZURE_FEDERATED_TOKEN_FILE"):
        found["federated_token_file"] = environment["AZURE_FEDERATED_TOKEN_FILE"]
    return found
