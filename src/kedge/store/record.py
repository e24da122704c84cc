"""What the log is made of: records, and pages of them."""

from dataclasses import dataclass

from msgspec import Struct


class Record(Struct, frozen=True, gc=False):
    """One row: the state of a key after a write.

    A struct that the garbage collector does not visit, because a list holds thousands of them.
    """

    revision: int
    key: str
    value: bytes
    """For a deletion: the last value, as it was given."""
    created: int
    """The revision at which this life of the key began."""
    previous: int
    """The revision of the row before this one of the same key; 0 if there was none."""
    deleted: bool = False


@dataclass(frozen=True, slots=True)
class Page:
    """A part of a list, sorted by key, all as of one revision."""

    records: list[Record]
    revision: int
    more: bool
    """Whether keys follow; the next page begins after the last key of this one."""
    remaining: int
    """How many keys follow."""
