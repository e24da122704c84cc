"""Credentials as files have them: AWS profiles, Azure's lines. No text of theirs is ever shown."""

import configparser
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from kedge.kube.foreign import cut
from kedge.objects.errors import PlaceError

LARGEST: Final = 256 * 1024
"""Bytes of a file with credentials; real ones are a hundredth of that."""


def read_credentials(given: bytes | None, file: str, usual: str, what: str) -> str | None:
    """Give the text of a Secret, or else of a file that is named, or of the usual one.

    None if there are no credentials at all: the usual file need not be there.
    """
    if given is None:
        file = file or (usual if usual and Path(usual).is_file() else "")
        if not file:
            return None
        given = _read(file, what)
    try:
        return given.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        raise PlaceError(f"{what}: the credentials are no text") from exc


def _read(file: str, what: str) -> bytes:
    try:
        with Path(file).open("rb") as source:
            text = source.read(LARGEST + 1)
    except (OSError, ValueError) as exc:
        reason = exc.strerror if isinstance(exc, OSError) else "no path of a file"
        raise PlaceError(f"{what}: reading {cut(file)!r}: {reason}") from exc
    if len(text) > LARGEST:
        raise PlaceError(f"{what}: {cut(file)!r} is too large for credentials")
    return text


def read_profile(text: str, profile: str, shared: bool) -> Mapping[str, str]:
    """Give the settings of one profile of an AWS file; `shared` is the form of its config file."""
    parser = configparser.RawConfigParser(strict=False, default_section="", delimiters=("=", ":"))
    try:
        parser.read_string(text)
    except configparser.Error as exc:
        # The text of the error quotes the line, which may be the one with the secret.
        line = getattr(exc, "lineno", None) or next(
            (number for number, _ in getattr(exc, "errors", ())), None
        )
        where = f" (line {line})" if line else ""
        raise PlaceError(
            f"the AWS credentials are no profiles{where}; expected is [default], "
            "aws_access_key_id=… and aws_secret_access_key=…"
        ) from None
    names = (f"profile {profile}", profile) if shared else (profile,)
    for name in names:
        if parser.has_section(name):
            return {key: value.strip() for key, value in parser.items(name)}
    known = ", ".join(repr(cut(name)) for name in parser.sections()) or "none"
    raise PlaceError(f"the AWS credentials have no profile {cut(profile)!r}; there are: {known}")


def read_lines(text: str) -> Mapping[str, str]:
    """Read lines NAME=value, with or without quotes and `export`; # begins a comment."""
    found = {}
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip().removeprefix("export ").strip()
        if not line or line.startswith("#"):
            continue
        name, equals, value = line.partition("=")
        if not equals or not name.strip():
            raise PlaceError(f"the Azure credentials are not NAME=value in line {number}")
        found[name.strip()] = _unquoted(value.strip())
    return found


def _unquoted(value: str) -> str:
    quote = value[:1]
    if quote and quote in "\"'":
        end = value.find(quote, 1)
        if end > 0:
            return value[1:end]
    return value.split(" #", 1)[0].rstrip()
