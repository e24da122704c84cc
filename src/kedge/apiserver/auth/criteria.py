"""The selectors that an access review may name, and what becomes of those that can not be read."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kedge.kube.fielderror import FieldError, forbidden, invalid, required
from kedge.kube.fieldselectors import parse_fields
from kedge.kube.names import label_value, qualified_name
from kedge.kube.requirements import SelectorError
from kedge.kube.selectors import parse_labels

NEEDS_VALUES = "must be specified when `operator` is 'In' or 'NotIn'"
TAKES_NO_VALUES = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
WITH_VALUES = frozenset({"In", "NotIn"})
WITHOUT_VALUES = frozenset({"Exists", "DoesNotExist"})
TOGETHER = "may not specified at the same time as requirements"

Wish = Mapping[str, Any]


def validate_criteria(wish: Wish, path: str) -> list[FieldError]:
    """Check the selectors of a wish; what their texts say is not looked at."""
    errors = []
    for name, check in (("fieldSelector", _check_field), ("labelSelector", _check_label)):
        selector = wish.get(name)
        if selector is not None:
            errors += _check(selector, f"{path}.{name}", check)
    return errors


def evaluation_errors(wish: Wish, path: str) -> str:
    """Say which selectors were left aside because they can not be read."""
    found = []
    for name, unreadable in (
        ("fieldSelector", _unreadable_fields),
        ("labelSelector", _unreadable_labels),
    ):
        selector = wish.get(name)
        if selector is None:
            continue
        bad, good = unreadable(selector)
        if bad:
            partially = "partially " if good else ""
            found.append(f"{path}.{name} {partially}ignored due to parse error")
    return "; ".join(found)


def _check(
    selector: Wish, path: str, check: Callable[[Wish, str], list[FieldError]]
) -> list[FieldError]:
    errors = []
    raw, requirements = selector.get("rawSelector"), selector.get("requirements")
    if raw and requirements:
        errors.append(invalid(f"{path}.rawSelector", raw, TOGETHER))
    if not raw and not requirements:
        why = f"when {path} is specified, requirements or rawSelector is required"
        errors.append(required(f"{path}.requirements", why))
    for index, requirement in enumerate(requirements or ()):
        errors += check(requirement, f"{path}.requirements[{index}]")
    return errors


def _check_field(requirement: Wish, path: str) -> list[FieldError]:
    errors = [] if requirement.get("key") else [required(f"{path}.key", "must be specified")]
    return errors + _check_values(requirement, path)


def _check_label(requirement: Wish, path: str) -> list[FieldError]:
    errors = _check_values(requirement, path)
    key = requirement.get("key") or ""
    errors += [invalid(f"{path}.key", key, problem) for problem in qualified_name(key)]
    for index, value in enumerate(requirement.get("values") or ()):
        field = f"{path}.values[{index}]"
        errors += [invalid(field, value, problem) for problem in label_value(value)]
    return errors


def _check_values(requirement: Wish, path: str) -> list[FieldError]:
    operator, values = requirement.get("operator"), requirement.get("values")
    if operator in WITH_VALUES and not values:
        return [required(f"{path}.values", NEEDS_VALUES)]
    if operator in WITHOUT_VALUES and values:
        return [forbidden(f"{path}.values", TAKES_NO_VALUES)]
    return []


def _unreadable_fields(selector: Wish) -> tuple[bool, bool]:
    if selector.get("requirements"):
        return _counted(
            requirement.get("operator") in WITH_VALUES and len(requirement.get("values") or ()) == 1
            for requirement in selector["requirements"]
        )
    return _is_unreadable(parse_fields, selector["rawSelector"]), False


def _unreadable_labels(selector: Wish) -> tuple[bool, bool]:
    if selector.get("requirements"):
        known = WITH_VALUES | WITHOUT_VALUES
        return _counted(one.get("operator") in known for one in selector["requirements"])
    return _is_unreadable(parse_labels, selector["rawSelector"]), False


def _counted(readable: Iterable[bool]) -> tuple[bool, bool]:
    """Whether any can not be read, and whether any can."""
    found = list(readable)
    return not all(found), any(found)


def _is_unreadable(parse: Callable[[str], object], text: str) -> bool:
    try:
        parse(text)
    except SelectorError:
        return True
    return False
