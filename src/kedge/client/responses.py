"""Answers as objects or errors. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

import msgspec

from kedge.client.decoders import ListOf, list_decoder, object_decoder
from kedge.client.errors import BadAnswer, cut
from kedge.kube.errors import ApiError
from kedge.kube.kind import Kind
from kedge.kube.meta import Partial

T = TypeVar("T")

FAILURES: Final = 400
"""Status codes from here on tell of a failure."""


@dataclass(frozen=True, slots=True)
class Response:
    """An answer that has come in whole."""

    code: int
    body: bytes = field(repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    """Names in lower case."""

    @property
    def retry_after(self) -> float | None:
        """Seconds after which the server wants to be asked again, if it says so."""
        text = self.headers.get("retry-after", "")
        return float(text) if text.isascii() and text.isdigit() else None


@dataclass(frozen=True, slots=True)
class Misfit:
    """An object that can not be read into its type: its metadata, and why."""

    object: Partial
    why: str


@dataclass(frozen=True, slots=True)
class Page(Generic[T]):
    """A part of a list, and where it goes on."""

    items: list[T]
    version: str
    """The resourceVersion of the list: a watch may go on from there."""
    token: str = ""
    """What to ask for the next page with; empty on the last."""
    remaining: int | None = None
    """How many more there are, where the server tells."""
    misfits: tuple[Misfit, ...] = ()
    """Those that do not fit the type."""


def check(response: Response) -> Response:
    """Raise the error that an answer tells of; give back any other answer."""
    if response.code >= FAILURES:
        raise error_of(response)
    return response


def error_of(response: Response) -> ApiError:
    """Make the error that an answer tells of; what has no Status gets one by its code."""
    try:
        status = msgspec.json.decode(response.body, type=dict[str, Any])
    except msgspec.DecodeError:
        status = {}
    if status.get("kind") == "Status":
        return ApiError.from_status({"code": response.code, **status})
    text = cut(response.body.decode(errors="replace").strip())
    return ApiError.from_status({"code": response.code, "message": text})


def read(response: Response, into: type[T]) -> T:
    """Read the object of an answer."""
    try:
        return object_decoder(into).decode(check(response).body)
    except msgspec.DecodeError as exc:
        raise _bad(response, into.__name__, exc) from exc


def read_page(response: Response, kind: Kind[T]) -> Page[T]:
    """Read a page of a list; its items may stay bytes."""
    body = check(response).body
    misfits: tuple[Misfit, ...] = ()
    try:
        found = list_decoder(kind.model).decode(body)
    except msgspec.ValidationError:
        found, misfits = _read_one_by_one(response, kind)
    except msgspec.DecodeError as exc:
        raise _bad(response, f"a list of {kind}", exc) from exc
    meta = found.metadata
    items, remaining = found.items or [], meta.remaining_item_count
    return Page(items, meta.resource_version, meta.token, remaining, misfits)


def _read_one_by_one(response: Response, kind: Kind[T]) -> tuple[ListOf[T], tuple[Misfit, ...]]:
    """Part the items that fit their type from those that do not."""
    try:
        found = list_decoder(msgspec.Raw).decode(response.body)
        decoder = object_decoder(kind.model)
        items, misfits = [], []
        for raw in found.items or ():
            try:
                items.append(decoder.decode(raw))
            except msgspec.ValidationError as exc:
                misfits.append(misfit(raw, exc))
    except msgspec.DecodeError as exc:
        raise _bad(response, f"a list of {kind}", exc) from exc
    return ListOf(items, found.metadata), tuple(misfits)


def misfit(raw: msgspec.Raw, why: Exception) -> Misfit:
    """Keep what is known of an object that does not fit; raises msgspec.DecodeError."""
    return Misfit(msgspec.json.decode(raw, type=Partial), cut(str(why)))


def _bad(response: Response, what: str, exc: Exception) -> BadAnswer:
    return BadAnswer(f"the answer ({response.code}) can not be read as {what}: {cut(str(exc))}")
