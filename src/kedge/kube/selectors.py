"""Label selectors: from text or from an object with matchLabels and matchExpressions."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from kedge.kube.fielderror import FieldError, forbidden, invalid, required, typed
from kedge.kube.gotext import quote
from kedge.kube.metadata import validate_labels
from kedge.kube.names import label_value, qualified_name
from kedge.kube.requirements import (
    DOES_NOT_EXIST,
    EQUALS,
    EXISTS,
    IN,
    NOT_IN,
    Labels,
    Requirement,
    SelectorError,
    requirement,
)
from kedge.kube.selectortext import parse_requirements


@dataclass(frozen=True, slots=True)
class Selector:
    """All of the requirements must hold; without any, all labels match."""

    requirements: tuple[Requirement, ...] = ()
    nothing: bool = False
    """No labels match, whatever they are: the selector of an object that has none."""
    _tests: tuple[Callable[[Labels], bool], ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Prepare the tests once."""
        object.__setattr__(self, "_tests", tuple(each.test() for each in self.requirements))

    def matches(self, labels: Labels | None) -> bool:
        """Tell whether these labels are selected."""
        if self.nothing:
            return False
        found = labels or {}
        for test in self._tests:  # noqa: SIM110 - faster than a generator, and lists are long
            if not test(found):
                return False
        return True

    @property
    def empty(self) -> bool:
        """Whether all labels match."""
        return not self.requirements and not self.nothing

    def __str__(self) -> str:
        """Write it in canonical form: `a=b,c in (d,e),!f`, sorted by key."""
        return ",".join(map(str, self.requirements))


EVERYTHING: Final = Selector()
NOTHING: Final = Selector(nothing=True)


def of(requirements: Sequence[Requirement]) -> Selector:
    """Make a selector, its requirements sorted by key."""
    return Selector(tuple(sorted(requirements, key=lambda each: each.key)))


def parse_labels(text: str) -> Selector:
    """Read a label selector, or raise SelectorError."""
    return of(parse_requirements(text)) if text else EVERYTHING


_OBJECT_OPERATORS: Final = {
    "In": IN,
    "NotIn": NOT_IN,
    "Exists": EXISTS,
    "DoesNotExist": DOES_NOT_EXIST,
}


def from_object(selector: Mapping[str, Any] | None) -> Selector:
    """Make a selector from a LabelSelector; none selects nothing, an empty one everything."""
    if selector is None:
        return NOTHING
    found = [
        requirement(key, EQUALS, [value])
        for key, value in (selector.get("matchLabels") or {}).items()
    ]
    for expression in selector.get("matchExpressions") or ():
        named = expression.get("operator") or ""
        operator = _OBJECT_OPERATORS.get(named)
        if operator is None:
            raise SelectorError(f"{quote(named)} is not a valid label selector operator")
        values = expression.get("values") or None
        found.append(requirement(expression.get("key") or "", operator, values))
    return of(found)


def validate_label_selector(
    selector: Mapping[str, Any] | None, path: str, *, any_values: bool = False
) -> list[FieldError]:
    """Check a LabelSelector; `any_values` lets values pass that no label can have."""
    if selector is None:
        return []
    errors = validate_labels(selector.get("matchLabels") or {}, f"{path}.matchLabels")
    for index, expression in enumerate(selector.get("matchExpressions") or ()):
        errors += _expression(expression, f"{path}.matchExpressions[{index}]", any_values)
    return errors


def _expression(expression: Mapping[str, Any], path: str, any_values: bool) -> list[FieldError]:
    errors = []
    operator, values = expression.get("operator") or "", expression.get("values") or ()
    if operator in ("In", "NotIn"):
        if not values:
            rule = "must be specified when `operator` is 'In' or 'NotIn'"
            errors.append(required(f"{path}.values", rule))
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            rule = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            errors.append(forbidden(f"{path}.values", rule))
    else:
        rule = "not a valid selector operator"
        errors.append(invalid(f"{path}.operator", typed(operator), rule))
    key = expression.get("key") or ""
    errors += [invalid(f"{path}.key", key, problem) for problem in qualified_name(key)]
    if not any_values:
        for index, value in enumerate(values):
            field = f"{path}.values[{index}]"
            errors += [invalid(field, value, problem) for problem in label_value(value)]
    return errors
