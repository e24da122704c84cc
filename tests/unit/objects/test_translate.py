"""What obstore says, made ours: the right kind, the reason, and no secret."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from obstore.exceptions import GenericError, PermissionDeniedError

from kedge.objects.errors import (
    BucketNotFound,
    ObjectNotFound,
    ObjectsError,
    PlaceError,
    Refused,
    StorageFull,
    Unreachable,
)
from kedge.objects.translate import translate

STATUS = "Error performing PUT http://s3/b/k in 1ms - Server returned non-2xx status code: "


def xml(code: str, message: str = "why") -> str:
    return f'<?xml version="1.0"?>\n<Error><Code>{code}</Code><Message>{message}</Message></Error>'


@pytest.mark.parametrize(
    ("error", "kind", "reason"),
    [
        (FileNotFoundError(f"{STATUS}404 Not Found: "), ObjectNotFound, "status 404"),
        (FileNotFoundError(f"{STATUS}404: {xml('NoSuchBucket')}"), BucketNotFound, "why"),
        (GenericError(f"{STATUS}404: {xml('ContainerNotFound')}"), BucketNotFound, "why"),
        (GenericError(f"{STATUS}404: {xml('NoSuchUpload')}"), ObjectsError, "NoSuchUpload: why"),
        (PermissionDeniedError(f"{STATUS}403: {xml('AccessDenied')}"), Refused, "AccessDenied"),
        (PermissionDeniedError(f"{STATUS}403 Forbidden: "), Refused, "status 403"),
        (GenericError("key x: Access Denied. (code: AccessDenied)"), Refused, "AccessDenied"),
        (GenericError(f"{STATUS}403: {xml('QuotaExceeded')}"), StorageFull, "QuotaExceeded: why"),
        (GenericError(f"{STATUS}507 x: y"), StorageFull, "status 507"),
        (GenericError(f"{STATUS}503: {xml('SlowDown')}"), Unreachable, "SlowDown: why"),
        (GenericError(f"{STATUS}429 x: "), Unreachable, "status 429"),
        (GenericError(f"{STATUS}301: {xml('PermanentRedirect')}"), PlaceError, "config.region"),
        (GenericError(f"{STATUS}400: {xml('Odd', 'a &lt;b&gt;')}"), ObjectsError, "Odd: a <b>"),
        (GenericError("x\n\nDebug source:\n kind: ConnectionRefused"), Unreachable, "refused"),
        (GenericError("x\n\nDebug source:\n InvalidCertificate(X)"), Unreachable, "not trusted"),
        (GenericError("x\n\nDebug source:\n CaUsedAsEndEntity"), Unreachable, "CA:TRUE"),
        (OSError("Generic S3 error: x - HTTP error: error sending"), Unreachable, "no connection"),
        (
            GenericError("Error performing PUT http://169.254.169.254/latest/api/token in 1s"),
            Refused,
            "there are no credentials",
        ),
        (
            GenericError('Generic S3 error: Got invalid list response: invalid type: string "x"'),
            Unreachable,
            "does not answer as an object store",
        ),
        (ValueError("something odd"), Unreachable, "something odd"),
    ],
)
def test_an_error_of_obstore_becomes_one_of_ours(
    error: Exception, kind: type[ObjectsError], reason: str
) -> None:
    ours = translate(error, "reading 'k' in bucket \"b\"", ObjectNotFound)
    assert type(ours) is kind
    assert str(ours).startswith("reading 'k' in bucket \"b\": ")
    assert reason in str(ours)


@pytest.mark.parametrize(
    "text",
    [
        "error at https://a.blob.core.windows.net/c/k?sv=2023&sig=hush&se=x",
        f"{STATUS}400: {xml('Odd', 'see https://h/k?X-Amz-Signature=hush')}",
        f"{STATUS}400: {xml('Odd', 'signature=hush and token=hush')}",
        "no answer\n\nDebug source:\n hush",
        f"{STATUS}400: {xml('Odd')}<StringToSign>hush</StringToSign>",
    ],
)
def test_secrets_are_taken_out(text: str) -> None:
    assert "hush" not in str(translate(GenericError(text), "reading"))


@given(st.text())
def test_any_text_gives_a_short_line(text: str) -> None:
    ours = str(translate(GenericError(text), "reading"))
    assert len(ours) < 400
    assert "\n" not in ours


def test_what_a_stranger_answers_is_not_passed_on() -> None:
    error = GenericError('Got invalid list response: invalid type: string "inner secret", expected')
    assert "inner secret" not in str(translate(error, "listing '/'"))
