"""Rules for label selectors, and whether one picks a set of labels."""

from collections.abc import Mapping

from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.resource import Object
from kedge.kube import names
from kedge.kube.selectors import validate_label_selector


def check_selector(
    errors: Errors, path: str, selector: Object | None, loose_values: bool = False
) -> None:
    """Check a label selector; with `loose_values` values need not be those of labels."""
    if selector:
        errors += validate_label_selector(selector, path, any_values=loose_values)


def has_bad_value(selector: Object | None) -> bool:
    """Tell whether an expression of a selector has a value that no label can have."""
    rules = (selector or {}).get("matchExpressions") or ()
    return any(
        not names.is_label_value(value) for rule in rules for value in rule.get("values") or ()
    )


def is_valid_selector(selector: Object | None) -> bool:
    """Tell whether there is nothing wrong with a selector."""
    return not validate_label_selector(selector, "")


def is_empty(selector: Object | None) -> bool:
    """Tell whether a selector is there and picks everything."""
    return selector is not None and not (
        selector.get("matchLabels") or selector.get("matchExpressions")
    )


def picks(selector: Object | None, values: Mapping[str, str] | None) -> bool:
    """Tell whether a valid selector picks these labels; none picks nothing, an empty one all."""
    if selector is None:
        return False
    values = values or {}
    for key, value in (selector.get("matchLabels") or {}).items():
        if values.get(key) != value:
            return False
    return all(_holds(rule, values) for rule in selector.get("matchExpressions") or ())


def _holds(rule: Object, values: Mapping[str, str]) -> bool:
    key, operator = rule.get("key", ""), rule.get("operator")
    if operator == "In":
        return key in values and values[key] in (rule.get("values") or ())
    if operator == "NotIn":
        return key not in values or values[key] not in (rule.get("values") or ())
    return (key in values) == (operator == "Exists")
