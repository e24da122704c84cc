"""Whether credentials are a user's own, and lead nowhere but to the bucket. Pure.

Who agrees to a bucket sees its spec, and not what is in the Secret, which may change at any time.
So of the files that providers read only what is known is let through: keys. All of them can say
more: other addresses, files and programs of the server, the identity of its pod or its machine;
and what does not say enough is often completed with that identity.

No text of theirs is ever shown, but for words that are known.
"""

import re
from collections.abc import Mapping
from typing import Any, Final, NoReturn

import msgspec

Spec = Mapping[str, Any]

_KEYS: Final = ("aws_access_key_id", "aws_secret_access_key")
_AWS: Final = (*_KEYS, "aws_session_token", "region", "output")
_AZURE: Final = (
    "AZURE_SUBSCRIPTION_ID",
    "AZURE_TENANT_ID",
    "AZURE_CLIENT_ID",
    "AZURE_CLIENT_SECRET",
    "AZURE_RESOURCE_GROUP",
    "AZURE_CLOUD_NAME",
    "AZURE_ADDITIONALLY_ALLOWED_TENANTS",
    "AZURE_STORAGE_KEY",
    "AZURE_STORAGE_ACCOUNT_ACCESS_KEY",
)
_GOOGLE: Final = (
    "type",
    "project_id",
    "private_key_id",
    "private_key",
    "client_email",
    "client_id",
    "auth_uri",
    "token_uri",
    "auth_provider_x509_cert_url",
    "client_x509_cert_url",
    "universe_domain",
)
_BORROWING: Final = (
    "web_identity_token_file",
    "credential_process",
    "credential_source",
    "source_profile",
    "role_arn",
    "sso_session",
    "sso_start_url",
    "ca_bundle",
    "azure_client_certificate_path",
    "azure_federated_token_file",
)
"""Words that stand for files, programs or identities of the server."""
_LEADING: Final = (
    "endpoint_url",
    "services",
    "ec2_metadata_service_endpoint",
    "gcs_base_url",
    "service_account_impersonation_url",
)
"""Words that stand for other addresses than that of the bucket."""
_DOMAIN: Final = "googleapis.com"
_SECTION: Final = re.compile(r"\[([^\[\]]+)\]")
_ENTRY: Final = re.compile(r"([^=:\s]+)[ \t]*[=:][ \t]*(.*)")
_LINE: Final = re.compile(r"(?:export[ \t]+)?([A-Za-z_][A-Za-z0-9_]*)[ \t]*=[ \t]*(.*)")
_QUOTES: Final = "\"'"


class _Refused(Exception):
    """Says why; never with what is not known."""


def credential_problem(data: bytes, location: Spec) -> str:
    """Say why the credentials of a BackupStorageLocation can not be used; empty: they can."""
    provider = str(location.get("provider") or "").strip().lower().rpartition("/")[2]
    config: Spec = location.get("config") or {}
    try:
        text = _text(data)
        if provider == "aws":
            _check_aws(text, str(config.get("profile") or "default"))
        elif provider == "azure":
            _check_azure(text, str(config.get("storageAccountKeyEnvVar") or ""))
        elif provider == "gcp" or text.startswith("{"):
            _check_google(text, str(config.get("universeDomain") or _DOMAIN))
        else:
            _check_unknown(text)
    except _Refused as exc:
        return str(exc)
    return ""


def _text(data: bytes) -> str:
    try:
        text = data.decode("utf-8-sig").replace("\r\n", "\n").strip()
    except UnicodeDecodeError:
        raise _Refused("it is no text") from None
    if not text:
        raise _Refused("it is empty")
    # Where a line ends is for each reader to say, unless there is just one way.
    if any(letter < " " and letter not in "\n\t" for letter in text):
        raise _Refused("it has a control character")
    return text


def _check_aws(text: str, profile: str) -> None:
    """Insist on profiles with keys: without them the server's machine is asked for some."""
    found: dict[str, dict[str, str]] = {}
    entries: dict[str, str] | None = None
    for number, line in _lines(text, comments="#;"):
        if section := _SECTION.fullmatch(line):
            name = " ".join(section[1].split())
            if name in found:
                raise _Refused(f"line {number} begins a profile again")
            entries = found[name] = {}
            continue
        entry = _ENTRY.fullmatch(line)
        name = entry[1].lower() if entry else ""
        if entry is None or name not in _AWS:
            _refuse(name, number, f"a profile in brackets, or one of {', '.join(_AWS)}")
        if entries is None:
            raise _Refused(f"line {number} is in no profile; begin with [default]")
        entries[name] = _value(entry[2], number, comments="#;")
    if not found.keys() & {profile, f"profile {profile}"}:
        raise _Refused("it does not have the profile that is used, which is [default] or config's")
    for entries in found.values():
        if missing := [name for name in _KEYS if not entries.get(name)]:
            raise _Refused(f"a profile has no {missing[0]}")


def _check_azure(text: str, key: str) -> None:
    """Insist on a key or a secret: without them the identity of the server's pod is used."""
    found: dict[str, str] = {}
    for number, line in _lines(text, comments="#"):
        entry = _LINE.fullmatch(line)
        name = entry[1] if entry else ""
        if entry is None or name.lower() in _BORROWING or name not in (*_AZURE, key):
            _refuse(name.lower(), number, f"NAME=value with one of {', '.join(_AZURE)}")
        if name in found:
            raise _Refused(f"line {number} says again what is said before it")
        found[name] = _value(entry[2], number, comments="#")
    if key and not found.get(key):
        raise _Refused("it does not have what config.storageAccountKeyEnvVar names")
    if not key and not found.get("AZURE_CLIENT_SECRET"):
        raise _Refused(
            "it has no AZURE_CLIENT_SECRET, and config.storageAccountKeyEnvVar names no key: the "
            "server's own identity would be used"
        )


def _check_google(text: str, domain: str) -> None:
    """Look at a key of Google's: other types name files, programs and addresses."""
    try:
        found = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        raise _Refused("it can not be read as JSON") from None
    if not isinstance(found, dict) or found.get("type") != "service_account":
        raise _Refused("it is not the key of a service account")
    for name in found:
        if name not in _GOOGLE:
            _refuse(name.lower(), 0, f"one of {', '.join(_GOOGLE)}")
    if found.get("universe_domain", domain) not in (domain, _DOMAIN):
        raise _Refused("its universe_domain is not that of config.universeDomain")
    hosts = "|".join(rf"(?:[a-z0-9-]+\.)*{re.escape(each)}" for each in (domain, _DOMAIN))
    tokens = rf"https://(?:accounts\.google\.com|{hosts})/[\w./-]*"
    if not re.fullmatch(tokens, str(found.get("token_uri", f"https://{_DOMAIN}/"))):
        raise _Refused(f"its token_uri is not an address of {_DOMAIN}")


def _check_unknown(text: str) -> None:
    """Look for words that are known, where it is not known what a provider reads."""
    lowered = text.lower()
    for word in (*_BORROWING, *_LEADING):
        if re.search(rf"(?<![a-z0-9_]){word}(?![a-z0-9_])", lowered):
            _refuse(word, 0, "keys")


def _refuse(name: str, number: int, wanted: str) -> NoReturn:
    """Raise _Refused for an entry; its name is told where it is known."""
    if name in _LEADING:
        raise _Refused(
            f"it has {name}, which leads to another address than that of the bucket's spec; write "
            "the address into config"
        )
    if name in _BORROWING:
        raise _Refused(
            f"it has {name}, which would use what is the server's own; give keys instead"
        )
    where = f"line {number}" if number else "an entry"
    raise _Refused(f"{where} is not what it can be: {wanted}")


def _lines(text: str, comments: str) -> list[tuple[int, str]]:
    lines = [(number, line.strip()) for number, line in enumerate(text.split("\n"), start=1)]
    return [(number, line) for number, line in lines if line and line[0] not in comments]


def _value(text: str, number: int, comments: str) -> str:
    """Give a value without its quotes; one that begins as a comment is none."""
    text = text.strip()
    if text[:1] in tuple(comments):
        return ""
    if len(text) > 1 and text[0] in _QUOTES and text[0] == text[-1]:
        text = text[1:-1].strip()
    # Some readers take these for more than letters, and what they make of it may be nothing.
    if any(letter in "$\\`\"'" for letter in text):
        raise _Refused(f"line {number} has no plain value")
    return text
