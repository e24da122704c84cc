"""Which functions there are, and with which arguments: the environment of rules in Kubernetes 1.34.

A signature is written `(int, string) bool`, or `.string(int) bool` for a method; a single capital
is any type.
"""

import re
from dataclasses import dataclass
from functools import cache

from kedge.apiserver.crd.cel import types
from kedge.apiserver.crd.cel.types import Type

_COMPARABLE = ["bool", "int", "uint", "double", "string", "bytes", "timestamp", "duration"]
_MIXED = ("int, double", "int, uint", "uint, double", "uint, int", "double, int", "double, uint")
_ORDER = "; ".join(
    [f"({kind}, {kind}) bool" for kind in _COMPARABLE] + [f"({pair}) bool" for pair in _MIXED]
)
_CLOCK = ".timestamp() int; .timestamp(string) int"
_LAPSE = f"{_CLOCK}; .duration() int"
_FORMATS = (
    "dns1123Label dns1123Subdomain dns1035Label qualifiedName dns1123LabelPrefix "
    "dns1123SubdomainPrefix dns1035LabelPrefix labelValue uri uuid byte date datetime"
)

_TABLE = {
    "_?_:_": "(bool, A, A) A",
    "_&&_": "(bool, bool) bool",
    "_||_": "(bool, bool) bool",
    "!_": "(bool) bool",
    "@not_strictly_false": "(bool) bool",
    "_==_": "(A, A) bool",
    "_!=_": "(A, A) bool",
    "_<_": _ORDER,
    "_<=_": _ORDER,
    "_>_": _ORDER,
    "_>=_": _ORDER,
    "_+_": (
        "(bytes, bytes) bytes; (double, double) double; (duration, duration) duration; "
        "(duration, timestamp) timestamp; (timestamp, duration) timestamp; (int, int) int; "
        "(list(A), list(A)) list(A); (string, string) string; (uint, uint) uint"
    ),
    "_-_": (
        "(double, double) double; (duration, duration) duration; (int, int) int; "
        "(timestamp, duration) timestamp; (timestamp, timestamp) duration; (uint, uint) uint"
    ),
    "_*_": "(double, double) double; (int, int) int; (uint, uint) uint",
    "_/_": "(double, double) double; (int, int) int; (uint, uint) uint",
    "_%_": "(int, int) int; (uint, uint) uint",
    "-_": "(double) double; (int) int",
    "_[_]": (
        "(list(A), int) A; (map(A, B), A) B; (optional(list(A)), int) optional(A); "
        "(optional(map(A, B)), A) optional(B)"
    ),
    "_[?_]": (
        "(list(A), int) optional(A); (optional(list(A)), int) optional(A); "
        "(map(A, B), A) optional(B); (optional(map(A, B)), A) optional(B)"
    ),
    "@in": "(A, list(A)) bool; (A, map(A, B)) bool",
    "size": (
        "(bytes) int; .bytes() int; (list(A)) int; .list(A)() int; (map(A, B)) int; "
        ".map(A, B)() int; (string) int; .string() int"
    ),
    "bool": "(bool) bool; (string) bool",
    "bytes": "(bytes) bytes; (string) bytes",
    "double": "(double) double; (int) double; (string) double; (uint) double",
    "duration": "(duration) duration; (int) duration; (string) duration",
    "dyn": "(A) dyn",
    "int": "(int) int; (double) int; (duration) int; (string) int; (timestamp) int; (uint) int",
    "string": (
        "(string) string; (bool) string; (bytes) string; (double) string; (duration) string; "
        "(int) string; (timestamp) string; (uint) string; (IP) string; (CIDR) string"
    ),
    "timestamp": "(timestamp) timestamp; (int) timestamp; (string) timestamp",
    "type": "(A) type(A)",
    "uint": "(uint) uint; (double) uint; (int) uint; (string) uint",
    "contains": ".string(string) bool",
    "startsWith": ".string(string) bool",
    "endsWith": ".string(string) bool",
    "matches": "(string, string) bool; .string(string) bool",
    "getFullYear": _CLOCK,
    "getMonth": _CLOCK,
    "getDayOfYear": _CLOCK,
    "getDayOfMonth": _CLOCK,
    "getDate": _CLOCK,
    "getDayOfWeek": _CLOCK,
    "getHours": _LAPSE,
    "getMinutes": _LAPSE,
    "getSeconds": _LAPSE,
    "getMilliseconds": _LAPSE,
    "charAt": ".string(int) string",
    "indexOf": ".string(string) int; .string(string, int) int; .list(A)(A) int",
    "lastIndexOf": ".string(string) int; .string(string, int) int; .list(A)(A) int",
    "lowerAscii": ".string() string",
    "upperAscii": ".string() string",
    "replace": ".string(string, string) string; .string(string, string, int) string",
    "split": ".string(string) list(string); .string(string, int) list(string)",
    "substring": ".string(int) string; .string(int, int) string",
    "trim": ".string() string",
    "join": ".list(string)() string; .list(string)(string) string",
    "format": ".string(list(dyn)) string",
    "strings.quote": "(string) string",
    "sets.contains": "(list(A), list(A)) bool",
    "sets.equivalent": "(list(A), list(A)) bool",
    "sets.intersects": "(list(A), list(A)) bool",
    "isSorted": "; ".join(f".list({kind})() bool" for kind in _COMPARABLE),
    "sum": "; ".join(f".list({kind})() {kind}" for kind in ("int", "uint", "double", "duration")),
    "min": "; ".join(f".list({kind})() {kind}" for kind in _COMPARABLE),
    "max": "; ".join(f".list({kind})() {kind}" for kind in _COMPARABLE),
    "find": ".string(string) string",
    "findAll": ".string(string) list(string); .string(string, int) list(string)",
    "url": "(string) URL",
    "isURL": "(string) bool",
    "getScheme": ".URL() string",
    "getHost": ".URL() string",
    "getHostname": ".URL() string",
    "getPort": ".URL() string",
    "getEscapedPath": ".URL() string",
    "getQuery": ".URL() map(string, list(string))",
    "quantity": "(string) Quantity",
    "isQuantity": "(string) bool",
    "sign": "(Quantity) int",
    "add": ".Quantity(Quantity) Quantity; .Quantity(int) Quantity",
    "sub": ".Quantity(Quantity) Quantity; .Quantity(int) Quantity",
    "isLessThan": ".Quantity(Quantity) bool; .Semver(Semver) bool",
    "isGreaterThan": ".Quantity(Quantity) bool; .Semver(Semver) bool",
    "compareTo": ".Quantity(Quantity) int; .Semver(Semver) int",
    "asApproximateFloat": ".Quantity() double",
    "asInteger": ".Quantity() int",
    "isInteger": ".Quantity() bool",
    "ip": "(string) IP; .CIDR() IP",
    "isIP": "(string) bool",
    "ip.isCanonical": "(string) bool",
    "family": ".IP() int",
    "isUnspecified": ".IP() bool",
    "isLoopback": ".IP() bool",
    "isLinkLocalMulticast": ".IP() bool",
    "isLinkLocalUnicast": ".IP() bool",
    "isGlobalUnicast": ".IP() bool",
    "cidr": "(string) CIDR",
    "isCIDR": "(string) bool",
    "containsIP": ".CIDR(string) bool; .CIDR(IP) bool",
    "containsCIDR": ".CIDR(string) bool; .CIDR(CIDR) bool",
    "masked": ".CIDR() CIDR",
    "prefixLength": ".CIDR() int",
    "format.named": "(string) optional(Format)",
    "validate": ".Format(string) optional(list(string))",
    "semver": "(string) Semver; (string, bool) Semver",
    "isSemver": "(string) bool; (string, bool) bool",
    "major": ".Semver() int",
    "minor": ".Semver() int",
    "patch": ".Semver() int",
    "optional.of": "(A) optional(A)",
    "optional.ofNonZeroValue": "(A) optional(A)",
    "optional.none": "() optional(A)",
    "optional.unwrap": "(list(optional(A))) list(A)",
    "unwrapOpt": ".list(optional(A))() list(A)",
    "hasValue": ".optional(A)() bool",
    "value": ".optional(A)() A",
    "or": ".optional(A)(optional(A)) optional(A)",
    "orValue": ".optional(A)(A) A",
    "cel.@mapInsert": "(map(A, B), A, B) map(A, B); (map(A, B), map(A, B)) map(A, B)",
    **{f"format.{name}": "() Format" for name in _FORMATS.split()},
}

_NAMES = {
    "bool": types.BOOL,
    "int": types.INT,
    "uint": types.UINT,
    "double": types.DOUBLE,
    "string": types.STRING,
    "bytes": types.BYTES,
    "duration": types.DURATION,
    "timestamp": types.TIMESTAMP,
    "dyn": types.DYN,
    "Quantity": types.QUANTITY,
    "URL": types.URL,
    "IP": types.IP,
    "CIDR": types.CIDR,
    "Semver": types.SEMVER,
    "Format": types.FORMAT,
}
TYPE_NAMES: dict[str, Type] = {
    "bool": types.BOOL,
    "bytes": types.BYTES,
    "double": types.DOUBLE,
    "google.protobuf.Duration": types.DURATION,
    "int": types.INT,
    "list": types.list_of(types.DYN),
    "map": types.map_of(types.DYN, types.DYN),
    "null_type": types.NULL,
    "string": types.STRING,
    "google.protobuf.Timestamp": types.TIMESTAMP,
    "type": types.TYPE,
    "uint": types.UINT,
    "optional_type": types.optional_of(types.DYN),
    "kubernetes.Quantity": types.QUANTITY,
    "kubernetes.URL": types.URL,
    "net.IP": types.IP,
    "net.CIDR": types.CIDR,
    "kubernetes.Semver": types.SEMVER,
    "kubernetes.NamedFormat": types.FORMAT,
}
_WORD = re.compile(r"[A-Za-z]+|[(),]")


@dataclass(frozen=True, slots=True)
class Overload:
    """One signature of a function. The first argument of a method is what it is called on."""

    name: str
    is_method: bool
    args: tuple[Type, ...]
    result: Type
    params: tuple[str, ...]


@cache
def overloads_of(function: str) -> tuple[Overload, ...] | None:
    """Give the signatures of a function, or None if there is no such function."""
    text = _TABLE.get(function)
    if text is None:
        return None
    return tuple(_Reader(function, part.strip()).overload() for part in text.split(";"))


class _Reader:
    """Reads one signature."""

    def __init__(self, function: str, text: str) -> None:
        self.function = function
        self.text = text
        self.is_method = text.startswith(".")
        self.words = _WORD.findall(text)
        self.params: set[str] = set()

    def overload(self) -> Overload:
        """Read all of it."""
        args = [self.kind()] if self.is_method else []
        args += self.group()
        result = self.kind()
        params = tuple(sorted(self.params))
        return Overload(self.text, self.is_method, tuple(args), result, params)

    def group(self) -> list[Type]:
        """Read types in parentheses."""
        assert self.words.pop(0) == "("
        found = []
        while self.words[0] != ")":
            found.append(self.kind())
            if self.words[0] == ",":
                self.words.pop(0)
        self.words.pop(0)
        return found

    def kind(self) -> Type:
        """Read a type."""
        word = self.words.pop(0)
        if word == "list":
            return types.list_of(*self.group())
        if word == "map":
            return types.map_of(*self.group())
        if word == "optional":
            return types.optional_of(*self.group())
        if word == "type":
            return types.type_of(*self.group())
        if len(word) == 1:
            self.params.add(word)
            return types.parameter(word)
        return _NAMES[word]
