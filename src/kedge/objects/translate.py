"""Errors of obstore, made ours in this one place; what they say is shortened and cleaned.

obstore tells apart little by class, so that the status and the code of the answer are looked for
in its text.
"""

import html
import re
from typing import Final

from obstore.exceptions import PermissionDeniedError, UnauthenticatedError

from kedge.kube.foreign import cut
from kedge.objects.errors import (
    BucketNotFound,
    ObjectsError,
    PlaceError,
    Refused,
    StorageFull,
    Unreachable,
)

_BUCKET: Final = frozenset(
    {"NoSuchBucket", "ContainerNotFound", "ContainerBeingDeleted", "FilesystemNotFound"}
)
_DENIED: Final = frozenset(
    {
        "AccessDenied",
        "AccountIsDisabled",
        "AllAccessDisabled",
        "AuthenticationFailed",
        "AuthorizationFailure",
        "AuthorizationPermissionMismatch",
        "ExpiredToken",
        "InvalidAccessKeyId",
        "InvalidAuthenticationInfo",
        "InvalidToken",
        "RequestTimeTooSkewed",
        "SignatureDoesNotMatch",
    }
)
_FULL: Final = frozenset(
    {
        "EntityTooLarge",
        "InsufficientStorage",
        "QuotaExceeded",
        "XMinioAdminBucketQuotaExceeded",
        "XMinioStorageFull",
    }
)
_REGION: Final = frozenset(
    {"AuthorizationHeaderMalformed", "IllegalLocationConstraintException", "PermanentRedirect"}
)
_METADATA: Final = ("169.254.169.254", "169.254.170.", "metadata.google.internal", "fd00:ec2::254")
"""Where a machine in a cloud gets credentials, if it was given none."""

_CAUSES: Final = (
    # What was answered instead stays unsaid: the address may be one that only the server reaches.
    ("Got invalid ", "it does not answer as an object store does; is the URL right?"),
    ("ConnectionRefused", "connection refused"),
    ("dns error", "there is no such host"),
    ("InvalidContentType", "it does not speak TLS; should the URL start with http://?"),
    (
        "CaUsedAsEndEntity",
        "its certificate is one of an authority (CA:TRUE), and none of a server; make one that "
        "is not, or set insecureSkipTLSVerify",
    ),
    ("InvalidCertificate", "its certificate is not trusted; see objectStorage.caCertRef"),
    ("HandshakeFailure", "it does not agree to a TLS connection"),
    ("TimedOut", "no answer in time"),
    ("kind: Timeout", "no answer in time"),
    ("kind: Connect", "no connection"),
    ("HTTP error", "no connection, or no answer in time"),
)

_STATUS: Final = re.compile(r"status code: (\d{3})")
_CODE: Final = re.compile(r"<Code>(\w{1,64})</Code>|\(code: (\w{1,64})\)")
_MESSAGE: Final = re.compile(r"<Message>(.*?)(?:</Message>|\n|$)", re.DOTALL)
_QUERY: Final = re.compile(r"\?[^\s<>\"']*")
_SECRET: Final = re.compile(r"\b(sig|signature|token|key|secret)=[^&\s<>\"']+", re.IGNORECASE)


def translate(
    exc: Exception, doing: str, missing: type[ObjectsError] = BucketNotFound
) -> ObjectsError:
    """Make an error of obstore ours; `missing` is what a 404 means that says no more."""
    text, _, debug = str(exc).partition("\n\nDebug source:")
    status, code = _status(text), _code(text)
    kind = _kind(exc, status, code, missing)
    if kind is Unreachable and any(place in text for place in _METADATA):
        return Refused(
            f"{doing}: there are no credentials: none in the location, none in the environment, "
            "and no metadata service of a cloud that gives some"
        )
    return kind(f"{doing}: {_reason(text, debug, code, status)}")


def _status(text: str) -> int:
    found = _STATUS.search(text)
    return int(found[1]) if found else 0


def _code(text: str) -> str:
    found = _CODE.search(text)
    if found:
        return found[1] or found[2]
    return "NoSuchBucket" if "specified bucket does not exist" in text else ""


def _kind(
    exc: Exception, status: int, code: str, missing: type[ObjectsError]
) -> type[ObjectsError]:
    by_code = _by_code(code)
    if by_code is not None:
        return by_code
    if isinstance(exc, FileNotFoundError) or status == 404:
        return missing if code != "NoSuchUpload" else ObjectsError
    if isinstance(exc, PermissionDeniedError | UnauthenticatedError | PermissionError):
        return Refused
    if status in (401, 403):
        return Refused
    if status == 507:
        return StorageFull
    if status >= 500 or status in (0, 408, 429):
        return Unreachable
    return ObjectsError


def _by_code(code: str) -> type[ObjectsError] | None:
    if code in _BUCKET:
        return BucketNotFound
    if code in _FULL:
        return StorageFull
    if code in _REGION:
        return PlaceError
    return Refused if code in _DENIED else None


def _reason(text: str, debug: str, code: str, status: int) -> str:
    message = _MESSAGE.search(text)
    if code:
        said = f"{code}: {_clean(html.unescape(message[1]))}" if message else code
        return f"{said}; is config.region right?" if code in _REGION else said
    if status:
        return f"the store answered with status {status}"
    for mark, cause in _CAUSES:
        if mark in debug or mark in text:
            return cause
    return _clean(text)


def _clean(text: str) -> str:
    """Take out of somebody else's text what could be a secret: queries, signatures, tokens."""
    shown = _SECRET.sub(r"\1=***", _QUERY.sub("", " ".join(text.split())))
    return cut(shown.strip()).rstrip(".")
