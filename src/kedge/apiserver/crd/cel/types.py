"""The types of expressions."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Type:
    """A type: its kind, its name if it is an object or opaque, and its parameters."""

    kind: str
    name: str = ""
    params: tuple["Type", ...] = ()
    declaration: Any = field(default=None, compare=False, repr=False)
    """What the schema says of a value of this type, if it comes from one."""

    def __str__(self) -> str:
        """Write the type as error messages do."""
        if self.kind in ("list", "map"):
            return f"{self.kind}({', '.join(map(str, self.params))})"
        if self.kind == "opaque":
            inside = ", ".join(map(str, self.params))
            return f"{self.name}({inside})" if self.params else self.name
        if self.kind == "type":
            return f"type({self.params[0]})" if self.params else "type"
        return {"error": "!error!", "struct": self.name, "param": self.name}.get(
            self.kind, self.kind
        )

    @property
    def is_dyn(self) -> bool:
        """Whether anything may be here."""
        return self.kind == "dyn"


BOOL = Type("bool")
INT = Type("int")
UINT = Type("uint")
DOUBLE = Type("double")
STRING = Type("string")
BYTES = Type("bytes")
NULL = Type("null")
DURATION = Type("duration")
TIMESTAMP = Type("timestamp")
DYN = Type("dyn")
ERROR = Type("error")
TYPE = Type("type")

QUANTITY = Type("opaque", "kubernetes.Quantity")
URL = Type("opaque", "kubernetes.URL")
IP = Type("opaque", "net.IP")
CIDR = Type("opaque", "net.CIDR")
SEMVER = Type("opaque", "kubernetes.Semver")
FORMAT = Type("opaque", "kubernetes.NamedFormat")


def list_of(item: Type, declaration: Any = None) -> Type:
    """Give the type of a list."""
    return Type("list", "list", (item,), declaration)


def map_of(key: Type, value: Type, declaration: Any = None) -> Type:
    """Give the type of a map."""
    return Type("map", "map", (key, value), declaration)


def optional_of(value: Type) -> Type:
    """Give the type of a value that may not be there."""
    return Type("opaque", "optional_type", (value,))


def type_of(value: Type) -> Type:
    """Give the type of a type."""
    return Type("type", "type", (value,))


def parameter(name: str) -> Type:
    """Give a type that is yet to be found."""
    return Type("param", name)


def unwrapped(value: Type) -> tuple[Type, bool]:
    """Give the type of what an optional holds, and whether it was an optional."""
    if value.kind == "opaque" and value.name == "optional_type":
        return value.params[0], True
    return value, False
