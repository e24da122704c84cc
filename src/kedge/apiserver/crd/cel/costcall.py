"""What functions cost: Kubernetes' own estimates, and those of the standard library."""

from collections.abc import Callable

from kedge.apiserver.crd.cel.estimate import LARGEST, ONE, UNKNOWN, ZERO, Estimate, Operand
from kedge.apiserver.crd.cel.node import Literal

Result = tuple[Estimate, Estimate | None]
SizeAt = Callable[[tuple[str, ...]], Estimate | None]

TRAVERSAL = 0.1
"""Cost of looking at one character."""
REGEX = 0.25
"""Cost of one character of a pattern."""
_FORMAT_REGEX, _FORMAT_SIZE = 128, 64

_NOMINAL = frozenset(
    [
        "format.named",
        "masked",
        "prefixLength",
        "family",
        "isUnspecified",
        "isLoopback",
        "isLinkLocalMulticast",
        "isLinkLocalUnicast",
        "isGlobalUnicast",
        "sign",
        "asInteger",
        "isInteger",
        "asApproximateFloat",
        "isGreaterThan",
        "isLessThan",
        "compareTo",
        "add",
        "sub",
        "major",
        "minor",
        "patch",
        "getScheme",
        "getHostname",
        "getHost",
        "getPort",
        "getEscapedPath",
        "getQuery",
    ]
)
_BY_ARGUMENT = frozenset(["cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver"])
_BY_TARGET = frozenset({"lowerAscii", "upperAscii", "substring", "trim"})
_OVER_LIST = frozenset({"isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"})
_ADDRESS = Estimate(4, 16)


def estimate(
    function: str, overload: str, target: Operand | None, args: list[Operand], size_at: SizeAt
) -> Result | None:
    """Give Kubernetes' estimate of a call without its arguments; None where it has none."""
    if function in _NOMINAL or (function == "ip" and target is not None):
        return ONE, None
    if function in _BY_ARGUMENT or function == "ip":
        return args[0].known.times(TRAVERSAL), None
    if function == "url":
        return args[0].known.times(TRAVERSAL), args[0].known
    if function in ("ip.isCanonical", "validate"):
        return _parsed(function, args[0].known), None
    if function in ("containsIP", "containsCIDR"):
        return _contained(function, overload, args[0]), None
    if function == "_==_":
        return _equality(args)
    return None if target is None else _method(function, target, args, size_at)


def _parsed(function: str, size: Estimate) -> Estimate:
    if function == "validate":
        return size.times(TRAVERSAL).times(_FORMAT_REGEX * REGEX)
    return size.times(2 * TRAVERSAL)


def _contained(function: str, overload: str, arg: Operand) -> Estimate:
    cost = _ADDRESS.add(_ADDRESS).times(TRAVERSAL)
    if function == "containsCIDR":
        cost = cost.add(_ADDRESS.times(TRAVERSAL)).add(ONE)
    return cost.add(arg.known.times(TRAVERSAL)) if "(string)" in overload else cost


def _equality(args: list[Operand]) -> Result | None:
    kind = args[0].type
    if kind != args[1].type or kind.kind != "opaque":
        return None
    if kind.name == "kubernetes.NamedFormat":
        return Estimate(1, _FORMAT_SIZE).times(TRAVERSAL), None
    if kind.name == "kubernetes.URL":
        return Estimate(1, (args[1].size or ONE).most).times(TRAVERSAL), None
    return (ONE, None) if kind.name != "optional_type" else None


def _method(function: str, target: Operand, args: list[Operand], size_at: SizeAt) -> Result | None:
    size = target.known
    if function in _OVER_LIST:
        return _over_list(target, size_at), None
    if function in _BY_TARGET:
        return size.times(TRAVERSAL), size
    if function == "replace":
        return size.times(2 * TRAVERSAL), _replaced(size, args[0].known, args[1].known)
    if function == "split":
        return size.times(2 * TRAVERSAL), Estimate(0, _limit(size, args))
    if function == "join":
        joined = _joined(target, args, size_at)
        return joined.times(TRAVERSAL), joined
    if function in ("find", "findAll"):
        text = size.add(ONE).times(TRAVERSAL)
        cost = text.multiply(args[0].known.times(REGEX))
        return cost, Estimate(0, size.most)
    return None


def _item_size(target: Operand, size_at: SizeAt) -> Estimate:
    path = (*target.path, "@items") if target.path else ()
    return size_at(path) or UNKNOWN


def _over_list(target: Operand, size_at: SizeAt) -> Estimate:
    if target.type.kind != "list":
        return target.known.times(TRAVERSAL)
    each = ONE
    if target.type.params[0].kind in ("string", "bytes"):
        each = each.add(_item_size(target, size_at).times(TRAVERSAL))
    return target.known.multiply(each)


def _replaced(size: Estimate, old: Estimate, new: Estimate) -> Estimate:
    """Give the size of a text after a replacement."""
    if old.least == 0:
        longest = min(size.most + 1, LARGEST) * new.most + size.most
    elif new.most <= old.least:
        longest = size.most
    else:
        longest = -(-size.most // old.least) * new.most
    if old.most == 0:
        shortest = min(size.least + 1, LARGEST) * new.least + size.least
    elif old.most <= new.least:
        shortest = size.least
    else:
        shortest = -(-size.least // old.most) * new.least
    return Estimate(min(shortest, LARGEST), min(longest, LARGEST))


def _limit(size: Estimate, args: list[Operand]) -> int:
    last = args[1].node if len(args) > 1 else None
    if isinstance(last, Literal) and isinstance(last.value, int):
        return last.value & LARGEST
    return size.most


def _joined(target: Operand, args: list[Operand], size_at: SizeAt) -> Estimate:
    count = target.known
    size = count.multiply(_item_size(target, size_at)) if target.type.params else ZERO
    if args:
        marks = Estimate(max(count.least - 1, 0), max(count.most - 1, 0))
        size = size.add(args[0].known.multiply(marks))
    return size


def standard(function: str, overload: str, target: Operand | None, args: list[Operand]) -> Result:
    """Give the estimate of a call of the standard library, without its arguments."""
    if function == "format" and target is not None:
        return target.known.times(TRAVERSAL), None
    if function in ("bytes", "string", "strings.quote"):
        return _rewritten(function, overload, args[0].known)
    if function in ("startsWith", "endsWith"):
        return args[0].known.times(TRAVERSAL), None
    if function == "@in" and "list" in overload:
        return args[1].known, None
    if function in ("matches", "contains") and target is not None:
        return _searched(function, target.known, args[0].known), None
    if function in ("_==_", "_!=_") or (
        function in ("_<_", "_<=_", "_>_", "_>=_") and overload.startswith(("(string", "(bytes"))
    ):
        most = min(args[0].known.most, args[1].known.most)
        return Estimate(1 if most > 0 else 0, most).times(TRAVERSAL), None
    return ONE, None


def _rewritten(function: str, overload: str, size: Estimate) -> Result:
    cost = size.times(TRAVERSAL)
    if function == "strings.quote":
        return cost, Estimate(size.least + 2, min(size.most * 2 + 2, LARGEST))
    if function == "bytes" and overload.startswith("(string"):
        return cost, Estimate(size.least, size.most * 4 & LARGEST)
    if function == "string" and overload.startswith("(bytes"):
        return cost, Estimate(size.least // 4, size.most)
    return ONE, None


def _searched(function: str, text: Estimate, part: Estimate) -> Estimate:
    if function == "matches":
        return text.add(ONE).times(TRAVERSAL).multiply(part.times(REGEX))
    return text.times(TRAVERSAL).multiply(part.times(TRAVERSAL))
