"""Which form of an answer a client takes: the media type; an object, its metadata, a Table."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from kedge.kube.errors import NotAcceptable
from kedge.kube.refusals import not_acceptable

JSON: Final = "application/json"
YAML: Final = "application/yaml"
PROTOBUF: Final = "application/vnd.kubernetes.protobuf"
REPRESENTATIONS: Final = (JSON, YAML, PROTOBUF)
"""What objects are answered in; the first one is the usual one."""
STREAMS: Final = (f"{JSON};stream=watch", f"{PROTOBUF};stream=watch")
KINDS: Final = frozenset({"Table", "PartialObjectMetadata", "PartialObjectMetadataList"})
_CONVERSION: Final = ("as", "g", "v")

OBJECT: Final = REPRESENTATIONS
COLLECTION: Final = (*REPRESENTATIONS, *STREAMS)
LOG: Final = ("text/plain", *REPRESENTATIONS)
CONNECTION: Final = ("*/*",)
CUSTOM: Final[tuple[str, ...]] = ()
"""What the route of a request offers. A real server has no routes for custom resources, and can
not write them as protobuf."""


@dataclass(frozen=True, slots=True)
class Accept:
    """The chosen form."""

    media: str = JSON
    kind: str = ""
    """Table, PartialObjectMetadata or PartialObjectMetadataList; empty: the object itself."""
    version: str = "v1"
    pretty: bool = False


@dataclass(frozen=True, slots=True)
class Clause:
    """One media range of an Accept header."""

    media: str
    parameters: dict[str, str]
    quality: float

    def takes(self, media: str) -> bool:
        """Whether a media type is within the range."""
        return self.media in {media, "*/*", f"{media.partition('/')[0]}/*"}


@lru_cache(maxsize=512)
def accept_of(header: str, route: tuple[str, ...] = OBJECT) -> Accept:
    """Choose the first form in the client's order that a resource has; raises NotAcceptable."""
    if route == CONNECTION:
        return Accept()
    if route:
        accept_route(header, route)
    for clause, media in _choices(header):
        if _sends(clause.parameters, media, custom=not route):
            wish = clause.parameters
            return Accept(media, wish.get("as", ""), wish.get("v", "v1"), _is_pretty(wish))
    raise not_acceptable(REPRESENTATIONS)


def accept_route(header: str, route: tuple[str, ...]) -> None:
    """Refuse a client that takes nothing of what a route offers; raises NotAcceptable."""
    if not _is_routed(header, route):
        listed = ", ".join(route)
        raise NotAcceptable(f"406: Not Acceptable\n\nAvailable representations: {listed}", {})


@lru_cache(maxsize=512)
def error_form(header: str) -> Accept:
    """Choose the form of an error: what the client takes, or JSON for a person to read."""
    for clause, media in _choices(header):
        wish = clause.parameters
        if not wish.get("sv") and not converts(wish) and _streams(wish, media):
            return Accept(media, pretty=_is_pretty(wish))
    return Accept(pretty=True)


def offers(header: str) -> Iterator[tuple[str, dict[str, str]]]:
    """Give the media types that the client takes, best first, with what it says beside them."""
    for clause, media in _choices(header):
        if _streams(clause.parameters, media):
            yield media, clause.parameters


def converts(wish: dict[str, str]) -> bool:
    """Whether a client wants something else than the object itself."""
    return any(name in wish for name in _CONVERSION)


def clauses(header: str) -> list[Clause]:
    """Give the ranges of an Accept header, best first; none given means anything."""
    if not header.strip():
        return [Clause("*/*", {}, 1.0)]
    found: list[Clause] = []
    for text in header.split(","):
        clause = _clause(text)
        if clause is None:
            continue
        # The order is not a total one: it matters that Go sorts so few by insertion.
        place = len(found)
        while place and _precedes(clause, found[place - 1]):
            place -= 1
        found.insert(place, clause)
    return found


def _precedes(one: Clause, other: Clause) -> bool:
    if one.quality > other.quality:
        return True
    (kind, subkind), (other_kind, other_subkind) = (
        clause.media.split("/") for clause in (one, other)
    )
    return (kind != "*" and other_kind == "*") or (subkind != "*" and other_subkind == "*")


def _clause(text: str) -> Clause | None:
    first, *rest = text.strip(" ").split(";")
    media = "/".join(part.strip(" ") for part in first.split("/"))
    if media == "*":
        media = "*/*"
    if media.count("/") != 1 or media.endswith("/"):
        return None
    parameters: dict[str, str] = {}
    quality = 1.0
    for parameter in rest:
        name, _, value = parameter.partition("=")
        if not value or "=" in value:
            continue
        if name.strip(" ") == "q":
            quality = _quality(value)
        else:
            parameters[name.strip(" ")] = value.strip(" ")
    return Clause(media, parameters, quality)


def _quality(text: str) -> float:
    try:
        return float(text) if text == text.strip() and "_" not in text else 0.0
    except ValueError:
        return 0.0


def _is_routed(header: str, route: tuple[str, ...]) -> bool:
    """Whether a route has something that the client takes. It knows no `application/*`."""
    named = (text.partition(";")[0].strip(" ") for text in (header or "*/*").split(","))
    return any(media == "*/*" or media in route for media in named)


def _choices(header: str) -> Iterator[tuple[Clause, str]]:
    for clause in clauses(header):
        for media in REPRESENTATIONS:
            if clause.takes(media):
                yield clause, media


def _sends(wish: dict[str, str], media: str, custom: bool) -> bool:
    """Whether a resource can be sent as a clause wishes."""
    if not _streams(wish, media) or wish.get("sv", "v1") not in {"", "v1"}:
        return False
    if not converts(wish):
        return not (custom and media == PROTOBUF)
    if wish.get("g") != "meta.k8s.io" or wish.get("v") not in {"v1", "v1beta1"}:
        return False
    kind = wish.get("as")
    return kind in KINDS and not (kind == "Table" and media == PROTOBUF)


def _streams(wish: dict[str, str], media: str) -> bool:
    stream = wish.get("stream", "")
    return not stream or (stream == "watch" and media != YAML)


def _is_pretty(wish: dict[str, str]) -> bool:
    return wish.get("pretty") == "1"
