"""Choose by what a client accepts. Pure; a header that makes no sense counts as none."""

from collections.abc import Iterator
from typing import NamedTuple


class Choice(NamedTuple):
    """One of the things that a client accepts."""

    name: str
    """In small letters."""
    parameters: dict[str, str]
    weight: float
    """From 0, not at all, to 1."""


def choices(header: str) -> Iterator[Choice]:
    """Read an Accept or Accept-Encoding header; what can not be read is left out."""
    for part in header.split(","):
        name, *rest = (piece.strip() for piece in part.split(";"))
        parameters = {}
        for piece in rest:
            key, _, value = piece.partition("=")
            parameters[key.strip().lower()] = value.strip().strip('"')
        weight = _weight(parameters.pop("q", "1"))
        if name and weight is not None:
            yield Choice(name.lower(), parameters, weight)


def wants_openmetrics(header: str) -> bool:
    """Tell whether a client would rather have OpenMetrics 1.0.0 than the older text."""
    openmetrics, text = 0.0, 0.0
    for name, parameters, weight in choices(header):
        if name == "application/openmetrics-text":
            if parameters.get("version", "1.0.0") == "1.0.0":
                openmetrics = max(openmetrics, weight)
        elif name == "text/plain":
            text = max(text, weight)
    return openmetrics > 0 and openmetrics >= text


def takes_gzip(header: str) -> bool:
    """Tell whether a client reads what is compressed with gzip."""
    weights = {choice.name: choice.weight for choice in choices(header)}
    return weights.get("gzip", weights.get("*", 0.0)) > 0


def _weight(text: str) -> float | None:
    try:
        weight = float(text)
    except ValueError:
        return None
    return weight if 0 <= weight <= 1 else None
