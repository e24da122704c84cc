"""One condition on a label: `a=b`, `a in (b, c)`, `!a`; and what is wrong with one."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from kedge.kube.fielderror import FieldError, aggregate, invalid
from kedge.kube.names import is_label_value, label_value, qualified_name

Labels = Mapping[str, str]

IN: Final = "in"
NOT_IN: Final = "notin"
EQUALS: Final = "="
DOUBLE_EQUALS: Final = "=="
NOT_EQUALS: Final = "!="
EXISTS: Final = "exists"
DOES_NOT_EXIST: Final = "!"
GREATER: Final = "gt"
LESS: Final = "lt"

_SIGNS: Final = {
    IN: " in ",
    NOT_IN: " notin ",
    EQUALS: "=",
    DOUBLE_EQUALS: "==",
    NOT_EQUALS: "!=",
    GREATER: ">",
    LESS: "<",
}


class SelectorError(ValueError):
    """A selector that makes no sense, in Kubernetes' words."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """One condition on the label `key`."""

    key: str
    operator: str
    values: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Write it as a selector does, values in order."""
        if self.operator == DOES_NOT_EXIST:
            return f"!{self.key}"
        if self.operator == EXISTS:
            return self.key
        values = ",".join(sorted(self.values))
        if self.operator in (IN, NOT_IN):
            values = f"({values})"
        return f"{self.key}{_SIGNS[self.operator]}{values}"

    def test(self) -> Callable[[Labels], bool]:
        """Make the function that tells whether labels fulfil this."""
        key, values = self.key, frozenset(self.values)
        match self.operator:
            case "=" | "==" | "in":
                if len(values) == 1:
                    (wanted,) = values
                    return lambda labels: labels.get(key) == wanted
                return lambda labels: labels.get(key) in values
            case "!=" | "notin":
                return lambda labels: labels.get(key) not in values
            case "exists":
                return lambda labels: key in labels
            case "!":
                return lambda labels: key not in labels
            case _:
                return _comparison(key, int(self.values[0]), self.operator == GREATER)


def _comparison(key: str, bound: int, greater: bool) -> Callable[[Labels], bool]:
    def test(labels: Labels) -> bool:
        value = integer(labels.get(key, ""))
        return value is not None and (value > bound if greater else value < bound)

    return test


_INTEGER: Final = re.compile("[+-]?[0-9]+")


def integer(text: str) -> int | None:
    """Read a decimal number of 64 bits as Go does; None if it is none."""
    if not _INTEGER.fullmatch(text) or len(text.lstrip("+-").lstrip("0")) > 19:
        return None
    value = int(text)
    return value if -(2**63) <= value < 2**63 else None


def requirement(key: str, operator: str, values: Sequence[str] | None) -> Requirement:
    """Check a requirement and make it, or raise SelectorError."""
    errors = _key_errors(key) + _count_errors(operator, values) + _value_errors(key, values or ())
    if errors:
        raise SelectorError(aggregate(errors))
    return Requirement(key, operator, tuple(values or ()))


def _key_errors(key: str) -> list[FieldError]:
    problems = qualified_name(key)
    return [invalid("key", key, "; ".join(problems))] if problems else []


def _count_errors(operator: str, values: Sequence[str] | None) -> list[FieldError]:
    rule = ""
    count = len(values or ())
    if operator in (IN, NOT_IN) and not count:
        rule = "for 'in', 'notin' operators, values set can't be empty"
    elif operator in (EXISTS, DOES_NOT_EXIST) and count:
        rule = "values set must be empty for exists and does not exist"
    if rule:
        return [invalid("values", values if values is None else list(values), rule)]
    if operator in (GREATER, LESS) and integer((values or ("",))[0]) is None:
        rule = "for 'Gt', 'Lt' operators, the value must be an integer"
        return [invalid("values[0]", (values or ("",))[0], rule)]
    return []


def _value_errors(key: str, values: Sequence[str]) -> list[FieldError]:
    return [
        invalid(f"values[{index}][{key}]", value, "; ".join(label_value(value)))
        for index, value in enumerate(values)
        if not is_label_value(value)
    ]
