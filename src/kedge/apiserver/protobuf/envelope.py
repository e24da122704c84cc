"""Whole objects on the wire: the mark of Kubernetes, then their kind, then their message."""

from functools import cache
from typing import Any, Final, NamedTuple

from kedge.apiserver.protobuf.encode import write_message
from kedge.apiserver.protobuf.message import component_of, is_message
from kedge.apiserver.protobuf.wire import DELIMITED, delimited, parts, tag_of, varint
from kedge.kube.goerror import GoError

MARK: Final = b"k8s\x00"
_RAW: Final = tag_of(2, DELIMITED)
_END: Final = delimited(3, b"") + delimited(4, b"")
"""Encoding and type of the content, which are the usual ones."""
_NAMES: Final = {1: ("APIVersion", DELIMITED), 2: ("Kind", DELIMITED)}
_FIELDS: Final = {
    1: ("TypeMeta", DELIMITED),
    2: ("Raw", DELIMITED),
    3: ("ContentEncoding", DELIMITED),
    4: ("ContentType", DELIMITED),
}


class Unencodable(Exception):
    """An answer has no form in protobuf."""


class Envelope(NamedTuple):
    """An object whose message is not yet read."""

    api_version: str
    kind: str
    message: bytes


def open_envelope(data: bytes) -> Envelope:
    """Take an object out of the bytes of a body; raises GoError."""
    if not data:
        raise GoError("empty data")
    if not data.startswith(MARK):
        numbers = " ".join(map(str, MARK))
        raise GoError(
            f"provided data does not appear to be a protobuf message, expected prefix [{numbers}]"
        )
    if len(data) == len(MARK):
        raise GoError("empty body")
    names, message = {1: "", 2: ""}, b""
    for part in parts(data, len(MARK), len(data), "Unknown", _FIELDS):
        if part.number == 1:
            for name in parts(data, part.start, part.stop, "TypeMeta", _NAMES):
                names[name.number] = data[name.start : name.stop].decode(errors="replace")
        elif part.number == 2:
            message = data[part.start : part.stop]
    return Envelope(names[1], names[2], message)


def seal(obj: dict[str, Any]) -> bytes:
    """Write an object with its kind; raises Unencodable."""
    component, head = _head(obj.get("apiVersion", ""), obj.get("kind", ""))
    try:
        message = write_message(component, obj)
    except (TypeError, ValueError, AttributeError, RecursionError) as exc:
        kind = component.rpartition(".")[2]
        raise Unencodable(f"{kind} can not be written as protobuf: {exc}") from exc
    return b"".join((head, varint(len(message)), message, _END))


@cache
def _head(api_version: str, kind: str) -> tuple[str, bytes]:
    """Give the type of a kind, and all that precedes the length of its message."""
    # Lists of resources are the one answer that does not tell its version.
    component = component_of(api_version or "v1", kind)
    if component is None or not is_message(component):
        raise Unencodable(f"{kind or 'an object without kind'} has no form in protobuf")
    names = delimited(1, api_version.encode()) + delimited(2, kind.encode())
    return component, b"".join((MARK, delimited(1, names), _RAW))
