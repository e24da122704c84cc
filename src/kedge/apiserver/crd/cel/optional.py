"""Functions on values that may not be there."""

from collections.abc import Callable
from typing import Any

from kedge.apiserver.crd.cel.value import NOTHING, CelError, Duration, Optional


def value_of(optional: Optional) -> Any:
    """Give what an optional holds."""
    if not optional.is_there:
        raise CelError("optional.none() dereference")
    return optional.value


def _is_zero(value: Any) -> bool:
    return value is None or value == Duration(0) or (not value and value.__class__ is not Optional)


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "optional.of": lambda value: Optional(value, True),
    "optional.ofNonZeroValue": lambda value: NOTHING if _is_zero(value) else Optional(value, True),
    "optional.none": lambda: NOTHING,
    "optional.unwrap": lambda items: [one.value for one in items if one.is_there],
    "unwrapOpt": lambda items: [one.value for one in items if one.is_there],
    "hasValue": lambda optional: optional.is_there,
    "value": value_of,
}
