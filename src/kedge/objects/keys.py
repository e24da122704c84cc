"""Keys of objects: plain paths, so that they mean the same in a bucket and in a folder."""

from typing import Final

from kedge.kube.foreign import cut
from kedge.objects.errors import PlaceError

LONGEST: Final = 1024
"""Bytes of a whole key: what S3, GCS and Azure take."""


def check_key(key: str) -> str:
    """Give a key back; raise PlaceError unless it is a plain path, with no way up."""
    _check(key, "key")
    return key


def folder_of(text: str) -> str:
    """Read a prefix or a folder: slashes at its ends go, and what is left is a key, or empty."""
    trimmed = text.strip("/")
    if trimmed:
        _check(trimmed, "prefix")
    return trimmed


def join(folder: str, key: str) -> str:
    """Put a key below a folder, which may be empty."""
    return f"{folder}/{key}" if folder and key else folder or key


def _check(path: str, what: str) -> None:
    problem = _problem(path)
    if problem:
        raise PlaceError(f"{what} {cut(path)!r} {problem}")


def _problem(path: str) -> str:
    try:
        size = len(path.encode())
    except UnicodeEncodeError:
        return "is no Unicode text"
    if size > LONGEST:
        return f"is longer than {LONGEST} bytes"
    if any(letter < " " or letter == "\x7f" for letter in path):
        return "has a control character"
    if "\\" in path:
        return "has a backslash, which some stores take for a slash"
    parts = path.split("/")
    if "" in parts:
        return "has an empty part; parts are separated by one slash"
    if "." in parts or ".." in parts:
        return "has a part '.' or '..', which names no object"
    return ""
