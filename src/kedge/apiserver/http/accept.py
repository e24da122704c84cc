"""Which form of an answer a client takes: JSON or YAML; an object, its metadata, a Table."""

from dataclasses import dataclass
from functools import lru_cache

from kedge.kube.refusals import not_acceptable

JSON = "application/json"
YAML = "application/yaml"
SERVED = (JSON, YAML)
KINDS = {"Table", "PartialObjectMetadata", "PartialObjectMetadataList"}


@dataclass(frozen=True, slots=True)
class Accept:
    """The chosen form."""

    media: str = JSON
    kind: str = ""
    """Table, PartialObjectMetadata or PartialObjectMetadataList; empty: the object itself."""
    version: str = "v1"
    stream: bool = False


@dataclass(frozen=True, slots=True)
class Clause:
    """One media range of an Accept header."""

    media: str
    parameters: dict[str, str]
    quality: float


@lru_cache(maxsize=512)
def accept_of(header: str) -> Accept:
    """Choose the first form in the client's order that the server has."""
    for clause in clauses(header):
        media = _media(clause.media)
        if media is None:
            continue
        kind = clause.parameters.get("as", "")
        if not kind:
            return Accept(media, stream=clause.parameters.get("stream") == "watch")
        if _serves(kind, clause.parameters):
            return Accept(media, kind, clause.parameters.get("v", "v1"))
    raise not_acceptable(SERVED)


def clauses(header: str) -> list[Clause]:
    """Give the ranges of an Accept header, best first; none given means anything."""
    if not header.strip():
        return [Clause("*/*", {}, 1.0)]
    parsed = [_clause(text) for text in header.split(",") if text.strip()]
    return sorted(parsed, key=lambda clause: -clause.quality)


def _clause(text: str) -> Clause:
    media, *parameters = (part.strip() for part in text.split(";"))
    pairs = dict(parameter.partition("=")[::2] for parameter in parameters)
    try:
        quality = float(pairs.pop("q", "1"))
    except ValueError:
        quality = 1.0
    return Clause(media.lower(), pairs, quality)


def _media(text: str) -> str | None:
    if text in {"*/*", "application/*", JSON}:
        return JSON
    if text == YAML:
        return YAML
    return None


def _serves(kind: str, parameters: dict[str, str]) -> bool:
    if kind not in KINDS or parameters.get("g", "meta.k8s.io") != "meta.k8s.io":
        return False
    return parameters.get("v", "v1") in {"v1", "v1beta1"}
