r"""The bytes of a watch as events, in batches. Pure.

Lines end at `\n` and nowhere else: U+0085 and U+2028, where `splitlines` breaks, are legal inside
a JSON string. An event may have any size, and come in any pieces.
"""

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from kedge.client import apart
from kedge.client.decoders import UNREADABLE, Event, event_decoder
from kedge.client.errors import BadAnswer
from kedge.client.responses import Misfit, misfit
from kedge.kube.foreign import cut
from kedge.kube.kind import Kind
from kedge.kube.watch import ERROR, WatchEvent, decode_event

T = TypeVar("T")


class Failed(msgspec.Struct, frozen=True):
    """The server ends the watch with a Status."""

    status: dict[str, object]


class Unreadable(msgspec.Struct, frozen=True):
    """An event whose object does not fit its type."""

    type: str
    misfit: Misfit


class Lines:
    """Puts pieces of bytes together to whole lines."""

    __slots__ = ("_rest",)

    def __init__(self) -> None:
        """Begin with nothing."""
        self._rest: list[bytes] = []

    def feed(self, piece: bytes) -> bytes:
        """Take a piece; give all that ends with a line, which may be nothing."""
        end = piece.rfind(b"\n") + 1
        if not end:
            self._rest.append(piece)
            return b""
        # One copy for a large event that came in many pieces.
        whole = b"".join((*self._rest, piece[:end])) if self._rest else piece[:end]
        self._rest = [piece[end:]] if end < len(piece) else []
        return whole

    def rest(self) -> bytes:
        """Take what came after the last line."""
        rest, self._rest = b"".join(self._rest), []
        return rest


Item = Event[T] | Failed | Unreadable


def read_events(kind: Kind[T], lines: bytes) -> Sequence[Item[T]]:
    """Read whole lines into events of a kind."""
    decoder = event_decoder(kind.model)
    try:
        events = decoder.decode_lines(lines)
    except UNREADABLE:
        # One of them is no event of this kind: the last words of the server, or a misfit.
        return _one_by_one(kind, lines)
    if any(event.type == ERROR for event in events):
        return _one_by_one(kind, lines)
    return events


def _one_by_one(kind: Kind[T], lines: bytes) -> "list[Item[T]]":
    return [_read_one(kind, line) for line in lines.split(b"\n") if line.strip()]


def _read_one(kind: Kind[T], line: bytes) -> "Item[T]":
    try:
        event = _event(line)
    except UNREADABLE as exc:
        raise BadAnswer(f"a line of the watch of {kind} is no event: {cut(str(exc))}") from exc
    if event.type == ERROR:
        return _failed(line)
    try:
        return event_decoder(kind.model).decode(line)
    except UNREADABLE as exc:
        return _unreadable(kind, event, exc)


def _event(line: bytes) -> WatchEvent:
    """Read a line but for its object."""
    try:
        return decode_event(line)
    except RecursionError:
        parts = apart.fields(line)
        kind = msgspec.json.decode(parts["type"], type=str)
        return WatchEvent(kind, msgspec.Raw(parts["object"]))


def _failed(line: bytes) -> Failed:
    try:
        status = decode_event(line).read()
    except UNREADABLE:
        status = None
    return Failed(status if isinstance(status, dict) else {})


def _unreadable(kind: Kind[T], event: WatchEvent, why: Exception) -> Unreadable:
    try:
        return Unreadable(event.type, misfit(event.object, why))
    except UNREADABLE as exc:
        raise BadAnswer(f"an event of {kind} has no object: {cut(str(exc))}") from exc
