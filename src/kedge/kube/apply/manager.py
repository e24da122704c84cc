"""Who makes a request, as managedFields name them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from kedge.kube.apply.sets import FieldSet
from kedge.kube.schema import Schema

MAX_NAME_BYTES: Final = 128
"""The longest name of a manager; a longer user agent is cut."""
UNKNOWN: Final = "unknown"


@dataclass(frozen=True, slots=True)
class Version:
    """A version of the kind that a request is about."""

    schema: Schema
    convert: Callable[[dict[str, Any]], dict[str, Any]]
    """Gives an object of another version in this one; it may lack any of its parts."""
    reset: FieldSet | None = None


@dataclass(frozen=True, slots=True)
class Manager:
    """Who makes a request, and what the endpoint it goes to lets them own."""

    name: str
    api_version: str
    subresource: str = ""
    kind: str = ""
    """The kind that an applied configuration must have; empty: not checked."""
    reset: FieldSet | None = None
    """What the endpoint sets back, with all below it: nobody comes to own that here."""
    keep: FieldSet | None = None
    """A pattern (`*` is any element) of the only fields that the endpoint lets through."""
    versions: Mapping[str, Version] | None = None
    """The versions of the kind by apiVersion, this one too; None: all have the same schema."""


def manager_name(field_manager: str, user_agent: str) -> str:
    """Name the manager: as the request says, or the user agent up to the first slash."""
    if field_manager:
        return field_manager
    name = ""
    size = 0
    for char in user_agent.split("/", 1)[0]:
        if not char.isprintable():
            continue
        size += len(char.encode("utf-8", "surrogatepass"))
        if size > MAX_NAME_BYTES:
            break
        name += char
    return name or UNKNOWN
