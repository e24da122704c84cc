"""What is known of the shape of an object: one tree for built-in kinds and for custom ones.

Decoding, pruning, defaulting, strategic merge patch and server-side apply all walk this tree.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

UNSET: Final[Any] = type("Unset", (), {"__repr__": lambda self: "UNSET"})()

Fields = dict[str, "Schema"]


@dataclass(slots=True, eq=False, repr=False)
class Schema:
    """One place in an object: a node is per place, as it says what holds for the field as well."""

    type: str = ""
    """object, array, string, integer, number, boolean; empty: anything."""
    format: str = ""
    """int32, int64, double, byte, date-time, micro-time, quantity, int-or-string, duration, …"""
    name: str = ""
    """Go's name of a struct type (`PodSpec`), for messages; empty for custom resources."""
    load: Callable[[], Fields] | None = None
    """Gives the fields on first use: built-in types are many, and some hold themselves."""
    declared: Fields | None = None
    additional: "Schema | None" = None
    """The values of a map (an object without declared fields)."""
    items: "Schema | None" = None
    preserve: bool = False
    """Unknown fields are kept here."""
    embedded: bool = False
    """A whole object with apiVersion, kind and metadata lives here."""
    nullable: bool = False
    default: Any = UNSET
    list_type: str = "atomic"
    """atomic, set or map."""
    list_keys: tuple[str, ...] = ()
    map_type: str = "granular"
    """granular or atomic; for objects too."""
    patch_strategy: str = ""
    """merge, replace, retainKeys, or two of them joined by a comma: strategic merge patch."""
    merge_key: str = ""
    pointer: bool = False
    """Go holds a pointer: a zero value that was set is kept."""
    omit_empty: bool = True
    """Go leaves out an empty value."""
    omit_zero: bool = False
    """Go leaves out a struct that is all zero."""
    go_type: str = ""
    """Go's name of the type of the value, for messages: int32, v1.Protocol."""
    required: tuple[str, ...] = ()
    rules: Any = None
    """What a custom resource's schema demands beyond the shape; the validator knows its meaning."""
    cache: dict[str, Any] = field(default_factory=dict)
    """A place for what walkers compile from this node."""

    @property
    def fields(self) -> Fields:
        """The declared fields of an object, by name, in the server's order."""
        if self.declared is None:
            self.declared = self.load() if self.load else {}
        return self.declared

    @property
    def is_map(self) -> bool:
        """Whether this is an object with free keys."""
        return self.type == "object" and self.additional is not None
