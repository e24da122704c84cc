"""Events of a watch as protobuf: the length of each, then the event."""

from functools import lru_cache
from typing import Final

import msgspec

from kedge.apiserver.protobuf.envelope import seal
from kedge.apiserver.protobuf.wire import delimited

KEPT_BYTES: Final = 16 * 1024
"""Larger objects are not kept, so that what is kept is a few megabytes at most."""
_LENGTH: Final = 4
_decode = msgspec.json.Decoder().decode


def frame(kind: str, raw: bytes) -> bytes:
    """Give the event of the object whose JSON this is; raises Unencodable."""
    return _kept(kind, raw) if len(raw) <= KEPT_BYTES else _frame(kind, raw)


def _frame(kind: str, raw: bytes) -> bytes:
    event = delimited(1, kind.encode()) + delimited(2, delimited(1, seal(_decode(raw))))
    return len(event).to_bytes(_LENGTH, "big") + event


# All who watch get the same event at the same time.
_kept = lru_cache(maxsize=128)(_frame)
