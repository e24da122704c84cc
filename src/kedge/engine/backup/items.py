"""Objects as bytes: what must be known of each, and how it is written. Pure."""

from typing import Final

import msgspec

from kedge.client import apart
from kedge.client.decoders import UNREADABLE
from kedge.kube.kind import Kind, Object

Raw = msgspec.Raw | bytes


class Meta(msgspec.Struct, rename="camel"):
    """The metadata that decides whether an object is saved."""

    name: str = ""
    namespace: str = ""
    labels: dict[str, str] | None = None
    deletion_timestamp: str | None = None


class Head(msgspec.Struct, rename="camel"):
    """What is read of every object; the rest stays bytes."""

    metadata: Meta
    api_version: str = ""
    kind: str = ""


class Unreadable(ValueError):
    """Bytes that are no object of Kubernetes."""


_HEAD: Final = msgspec.json.Decoder(Head)


def head_of(raw: Raw) -> Head:
    """Read the head of an object, however deep the rest of it is; raises Unreadable."""
    try:
        return _HEAD.decode(raw)
    except RecursionError:
        return _deep_head(bytes(raw))
    except UNREADABLE as exc:
        raise Unreadable(str(exc)) from exc


def _deep_head(raw: bytes) -> Head:
    try:
        parts = apart.fields(raw)
        meta = msgspec.json.decode(parts["metadata"], type=Meta)
        texts = [msgspec.json.decode(parts.get(name, b'""'), type=str) for name in _TYPE]
    except UNREADABLE as exc:
        raise Unreadable(str(exc)) from exc
    return Head(meta, *texts)


_TYPE: Final = ("apiVersion", "kind")
_BRACE: Final = ord("{")


class Typing:
    """Gives the objects of a list the type that a server leaves out there."""

    def __init__(self, kind: Kind[Object]) -> None:
        """Prepare what stands before the rest of an object."""
        fields = {"apiVersion": kind.api_version, "kind": kind.name}
        self._start = msgspec.json.encode(fields)[:-1] + b","

    def whole(self, raw: Raw, head: Head) -> bytes:
        """Give the bytes of an object with its type."""
        if head.kind and head.api_version:
            return bytes(raw)
        data = memoryview(raw)
        if head.kind or head.api_version or data[0] != _BRACE:
            plain = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
            known = msgspec.json.decode(self._start[:-1] + b"}", type=dict[str, msgspec.Raw])
            return msgspec.json.encode({**plain, **known})
        return self._start + data[1:]
