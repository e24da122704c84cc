"""Objects of an archive, which anybody may have written: each is as its place says, or refused."""

from typing import Any

import msgspec

from kedge.archive.item import Place
from kedge.kube.foreign import cut
from kedge.kube.kind import Object

_decoder = msgspec.json.Decoder(dict[str, Any])


class ItemError(Exception):
    """An object that can not come back; says why."""


def decode(data: bytes) -> Object:
    """Read an object, whichever it is; raises ItemError."""
    try:
        return _decoder.decode(data)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as exc:
        raise ItemError(f"it is no JSON object: {cut(str(exc))}") from None


def read(place: Place, data: bytes) -> Object:
    """Read an object, and insist that it is the one of its place; raises ItemError."""
    obj = decode(data)
    metadata = obj.get("metadata")
    if not isinstance(metadata, dict):
        raise ItemError("it has no metadata")
    _insist("metadata.name", metadata.get("name"), place.name)
    _insist("metadata.namespace", metadata.get("namespace") or "", place.namespace)
    for field in ("labels", "annotations"):
        _check_texts(metadata, field)
    _insist("the group of apiVersion", _group(obj), place.resource.partition(".")[2])
    if not isinstance(obj.get("kind"), str) or not obj["kind"]:
        raise ItemError("it has no kind")
    return obj


def _group(obj: Object) -> str:
    version = obj.get("apiVersion")
    if not isinstance(version, str) or not version:
        raise ItemError("it has no apiVersion")
    return version.rpartition("/")[0]


def _insist(what: str, found: object, wanted: str) -> None:
    if found != wanted:
        raise ItemError(f"{what} is {cut(repr(found))}, but its place says {cut(repr(wanted))}")


def _check_texts(metadata: Object, field: str) -> None:
    found = metadata.get(field)
    if found is None:
        metadata.pop(field, None)
    elif not isinstance(found, dict) or not all(isinstance(each, str) for each in found.values()):
        raise ItemError(f"metadata.{field} is not a table of texts")
