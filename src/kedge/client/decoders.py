"""Decoders, made once for each type."""

from typing import Any, Final, Generic, TypeVar, cast

import msgspec

T = TypeVar("T")

UNREADABLE: Final = (ValueError, KeyError, RecursionError)
"""What a decoder raises: at what is no JSON, no UTF-8 or does not fit; at what is too deep."""


class ListMeta(msgspec.Struct, rename="camel"):
    """The metadata of a list."""

    resource_version: str = ""
    token: str = msgspec.field(default="", name="continue")
    remaining_item_count: int | None = None


class ListOf(msgspec.Struct, Generic[T]):
    """A list as it is sent."""

    items: list[T] | None
    """Without this it is something else, and no empty list."""
    metadata: ListMeta = msgspec.field(default_factory=ListMeta)


class Event(msgspec.Struct, Generic[T], frozen=True):
    """One event of a watch: ADDED, MODIFIED, DELETED or BOOKMARK, and its object."""

    type: str
    object: T


_made: dict[Any, Any] = {}


def object_decoder(model: type[T]) -> msgspec.json.Decoder[T]:
    """Give the decoder of one object."""
    return cast("msgspec.json.Decoder[T]", _decoder(model))


def list_decoder(model: type[T]) -> msgspec.json.Decoder[ListOf[T]]:
    """Give the decoder of a list of objects."""
    what = ListOf[model]  # type: ignore[valid-type]
    return cast("msgspec.json.Decoder[ListOf[T]]", _decoder(what))


def event_decoder(model: type[T]) -> msgspec.json.Decoder[Event[T]]:
    """Give the decoder of an event."""
    what = Event[model]  # type: ignore[valid-type]
    return cast("msgspec.json.Decoder[Event[T]]", _decoder(what))


def _decoder(what: Any) -> Any:
    decoder = _made.get(what)
    if decoder is None:
        decoder = _made[what] = msgspec.json.Decoder(what)
    return decoder
