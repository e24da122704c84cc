"""The lines of a watch: one event each, made from and read into raw JSON."""

from typing import Any, Final

import msgspec

ADDED: Final = "ADDED"
MODIFIED: Final = "MODIFIED"
DELETED: Final = "DELETED"
BOOKMARK: Final = "BOOKMARK"
ERROR: Final = "ERROR"

INITIAL_EVENTS_END: Final = "k8s.io/initial-events-end"
"""The annotation on the bookmark that ends the initial events."""

_HEADS: Final = {
    kind: b'{"type":"%b","object":' % kind.encode()
    for kind in (ADDED, MODIFIED, DELETED, BOOKMARK, ERROR)
}


class WatchEvent(msgspec.Struct):
    """One event; the object is not read until somebody asks for it."""

    type: str
    object: msgspec.Raw = msgspec.Raw()

    def read(self) -> Any:
        """Read the object."""
        return msgspec.json.decode(self.object)


_decoder: Final = msgspec.json.Decoder(WatchEvent)


def encode_event(kind: str, raw: bytes) -> bytes:
    """Make the line of an event from the JSON of its object."""
    return _HEADS[kind] + raw + b"}\n"


def decode_event(line: bytes) -> WatchEvent:
    """Read a line; raises msgspec.DecodeError (a ValueError) if it is no event."""
    return _decoder.decode(line)


def bookmark(
    api_version: str, kind: str, resource_version: str, *, initial_events_end: bool = False
) -> dict[str, Any]:
    """Make the object of a bookmark, which tells how far the watch has come."""
    metadata: dict[str, Any] = {"resourceVersion": resource_version}
    if initial_events_end:
        metadata["annotations"] = {INITIAL_EVENTS_END: "true"}
    return {"kind": kind, "apiVersion": api_version, "metadata": metadata}
