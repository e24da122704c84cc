"""Parts of typed objects, and the marks on their fields from which schemas are made."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

import msgspec

from kedge.kube.meta import ObjectMeta

DURATION_PATTERN: Final = r"^[-+]?(0|(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|μs|ms|s|m|h))+)$"
"""Durations that Go takes, which reads a whole list in vain if one object has another text."""


class Part(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    """A part of an object: read tolerantly, written without what is not set."""


class Typed(Part, frozen=True, rename="camel", omit_defaults=True):
    """What the objects of every kind begin with."""

    api_version: str = ""
    kind: str = ""
    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule in CEL that a field must keep to."""

    text: str
    """`self` is the value; where it says `oldSelf`, the rule is for changes."""
    message: str
    """What is wrong where it does not hold."""


@dataclass(frozen=True, slots=True)
class Doc:
    """What a field means, and what it takes beyond its type; put into `Annotated`."""

    text: str
    required: bool = False
    values: tuple[str, ...] = ()
    """The only ones that are taken; empty: any."""
    format: str = ""
    pattern: str = ""
    shortest: int = 0
    """Characters that a text has at least."""
    bounds: tuple[int, int] | None = None
    """Between which numbers a number is, both included."""
    least: int = 0
    """Items that a list has at least."""
    keys: tuple[str, ...] = ()
    """The fields by which the items of a list are told apart."""
    atomic: bool = False
    """The object is replaced as a whole, not field by field."""
    preserve: bool = False
    """Fields that the schema does not know are kept, in the items of a list as well."""
    shape: type[Part] | None = None
    """Tells of objects that are read into plain dicts."""
    rules: tuple[Rule, ...] = ()


def time(text: str) -> Doc:
    """Mark a field as a time."""
    return Doc(text, format="date-time")


def duration(text: str, *, required: bool = False) -> Doc:
    """Mark a field as a duration, as Go writes it."""
    return Doc(text, pattern=DURATION_PATTERN, required=required)


def choice(text: str, values: type[StrEnum], *, required: bool = False) -> Doc:
    """Mark a field as one of the values of an enum; it is read as text, whatever it says."""
    return Doc(text, values=tuple(each.value for each in values), required=required)
