"""Answers as objects or errors. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

import msgspec

from kedge.client import apart
from kedge.client.decoders import (
    UNREADABLE,
    ListMeta,
    ListOf,
    list_decoder,
    object_decoder,
)
from kedge.client.errors import BadAnswer
from kedge.kube.errors import ApiError
from kedge.kube.foreign import cut
from kedge.kube.kind import Kind
from kedge.kube.meta import ObjectMeta, Partial

T = TypeVar("T")

OK: Final = 200
REDIRECTS: Final = 300
FAILURES: Final = 400
"""Status codes from here on tell of a failure."""


class Response(msgspec.Struct, frozen=True):
    """An answer that has come in whole."""

    code: int
    body: bytes
    headers: Mapping[str, str] = msgspec.field(default_factory=dict)
    """Names in lower case."""
    warnings: tuple[str, ...] = ()
    """What the server warns of."""

    @property
    def retry_after(self) -> float | None:
        """Seconds after which the server wants to be asked again, if it says so."""
        text = self.headers.get("retry-after", "")
        return float(text) if text.isascii() and text.isdigit() else None

    def __repr__(self) -> str:
        """Leave out body and head: they may be secret, or long."""
        return f"Response({self.code!r}, warnings={self.warnings!r})"


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
    if not is_success(response.code):
        raise failure_of(response)
    return response


def is_success(code: int) -> bool:
    """Tell whether an answer with this code has what was asked for."""
    return OK <= code < REDIRECTS


def failure_of(response: Response) -> ApiError | BadAnswer:
    """Make the error for an answer that is no success."""
    if response.code >= FAILURES:
        return error_of(response)
    # The credentials are for this server; where it points to is nobody we know.
    where = cut(response.headers.get("location", "nowhere"))
    return BadAnswer(f"the answer ({response.code}) points to {where}, which is not followed")


def error_of(response: Response) -> ApiError:
    """Make the error that an answer tells of; what has no Status gets one by its code."""
    try:
        status = msgspec.json.decode(response.body, type=dict[str, Any])
    except UNREADABLE:
        status = {}
    if status.get("kind") != "Status":
        text = cut(response.body.decode(errors="replace").strip())
        return ApiError.from_status({"code": response.code, "message": text})
    return error_from(status, response.code)


_FIELDS: Final = {"reason": str, "message": str, "code": int, "details": dict, "metadata": dict}


def error_from(status: Mapping[str, Any], code: int = 0) -> ApiError:
    """Make the error of a Status; fields that are not what they should be count as left out."""
    known = {name: status[name] for name, type_ in _FIELDS.items() if _is(status.get(name), type_)}
    return ApiError.from_status({**known, "code": known.get("code") or code})


def _is(value: object, type_: type) -> bool:
    return isinstance(value, type_) and not isinstance(value, bool)


def read(response: Response, into: type[T]) -> T:
    """Read the object of an answer."""
    try:
        return object_decoder(into).decode(check(response).body)
    except UNREADABLE as exc:
        raise _bad(response, into.__name__, exc) from exc


def read_page(response: Response, kind: Kind[T]) -> Page[T]:
    """Read a page of a list; its items may stay bytes."""
    body = check(response).body
    misfits: tuple[Misfit, ...] = ()
    try:
        found = list_decoder(kind.model).decode(body)
    except UNREADABLE:
        found, misfits = _read_one_by_one(response, kind)
    meta = found.metadata
    items, remaining = found.items or [], meta.remaining_item_count
    return Page(items, meta.resource_version, meta.token, remaining, misfits)


def _read_one_by_one(response: Response, kind: Kind[T]) -> tuple[ListOf[T], tuple[Misfit, ...]]:
    """Part the items that fit their type from those that do not."""
    try:
        found = _unread(response.body)
        decoder = object_decoder(kind.model)
        items, misfits = [], []
        for raw in found.items or ():
            try:
                items.append(decoder.decode(raw))
            except UNREADABLE as exc:
                misfits.append(misfit(raw, exc))
    except UNREADABLE as exc:
        raise _bad(response, f"a list of {kind}", exc) from exc
    return ListOf(items, found.metadata), tuple(misfits)


def _unread(body: bytes) -> ListOf[msgspec.Raw]:
    """Part the items of a list from one another, without reading them."""
    try:
        return list_decoder(msgspec.Raw).decode(body)
    except RecursionError:
        parts = apart.fields(body)
        meta = msgspec.json.decode(parts.get("metadata", b"{}"), type=ListMeta)
        return ListOf([msgspec.Raw(item) for item in apart.elements(parts["items"])], meta)


def misfit(raw: msgspec.Raw, why: Exception) -> Misfit:
    """Keep what is known of an object that does not fit; raises what is UNREADABLE."""
    text = "it is nested too deeply" if isinstance(why, RecursionError) else cut(str(why))
    try:
        return Misfit(msgspec.json.decode(raw, type=Partial), text)
    except RecursionError:
        meta = apart.fields(bytes(raw)).get("metadata", b"{}")
        return Misfit(Partial(metadata=msgspec.json.decode(meta, type=ObjectMeta)), text)


def _bad(response: Response, what: str, exc: Exception) -> BadAnswer:
    return BadAnswer(f"the answer ({response.code}) can not be read as {what}: {cut(str(exc))}")
