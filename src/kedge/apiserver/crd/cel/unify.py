"""Which type may stand where another is asked for, and what that says of types yet to be found."""

from kedge.apiserver.crd.cel.types import DYN, Type

Mapping = dict[Type, Type]

_NULLABLE = frozenset({"opaque", "struct", "duration", "timestamp"})
_WILD = frozenset({"dyn", "error"})
_COMPOUND = frozenset({"opaque", "list", "map"})


def is_less_specific(one: Type, other: Type) -> bool:
    """Say whether the first type is the same or more general."""
    if one.is_dyn or one.kind == "param":
        return True
    if other.is_dyn or other.kind == "param" or one.kind != other.kind:
        return False
    if one.kind in _COMPOUND:
        return (
            one.name == other.name
            and len(one.params) == len(other.params)
            and all(map(is_less_specific, one.params, other.params))
        )
    return one.kind == "type" or one == other


def most_general(one: Type, other: Type) -> Type:
    """Give the more general of two types that fit."""
    return one if is_less_specific(one, other) else other


def assign(mapping: Mapping, one: Type, other: Type) -> bool:
    """Say whether a type may stand for another; note in place what that tells of parameters."""
    if other.kind == "param":
        valid, known = _substitute_for(mapping, one, other)
        if valid or known:
            return valid
    if one.kind == "param":
        return _substitute_for(mapping, other, one)[0]
    if one.kind in _WILD or other.kind in _WILD:
        return True
    if one.kind == "null" or other.kind == "null":
        rest = other if one.kind == "null" else one
        return rest.kind == "null" or rest.kind in _NULLABLE
    if one.kind == "type":
        return other.kind == "type"
    if one.kind in _COMPOUND:
        same = one.kind == other.kind and one.name == other.name
        return same and assign_all(mapping, one.params, other.params)
    return one == other


def assign_all(mapping: Mapping, ones: tuple[Type, ...], others: tuple[Type, ...]) -> bool:
    """Say the same of types in a row."""
    return len(ones) == len(others) and all(
        assign(mapping, one, other) for one, other in zip(ones, others, strict=True)
    )


def _substitute_for(mapping: Mapping, one: Type, variable: Type) -> tuple[bool, bool]:
    """Say whether a type fits a parameter, and whether that stood for something already."""
    if one == variable:
        return True, True
    known = mapping.get(variable)
    if known is not None:
        if one == known:
            return True, True
        if not assign(mapping, one, known):
            return False, True
        general = most_general(one, known)
        if _is_apart(mapping, variable, general):
            mapping[variable] = general
        return True, True
    if _is_apart(mapping, variable, one):
        mapping[variable] = one
        return True, False
    return False, False


def _is_apart(mapping: Mapping, variable: Type, within: Type) -> bool:
    """Say whether a parameter does not occur in a type."""
    if variable == within:
        return False
    if within.kind == "param":
        known = mapping.get(within)
        return known is None or _is_apart(mapping, variable, known)
    return all(_is_apart(mapping, variable, part) for part in within.params)


def substitute(mapping: Mapping, kind: Type, free_to_dyn: bool) -> Type:
    """Put what is known in the place of parameters; the others stay, or become dyn."""
    known = mapping.get(kind)
    if known is not None:
        return substitute(mapping, known, free_to_dyn)
    if kind.kind == "param":
        return DYN if free_to_dyn else kind
    if not kind.params:
        return kind
    params = tuple(substitute(mapping, part, free_to_dyn) for part in kind.params)
    return kind if params == kind.params else Type(kind.kind, kind.name, params, kind.declaration)
