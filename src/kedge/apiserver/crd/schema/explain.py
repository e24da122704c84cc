"""What is wrong with a value, in the order and the words of kube-openapi's validator.

It is slow and exact; `check` is fast and says only yes or no, and asks here for the reasons.
"""

from typing import Any

from kedge.apiserver.crd.schema import number
from kedge.apiserver.crd.schema.check import is_listed
from kedge.apiserver.crd.schema.place import child, shown
from kedge.apiserver.crd.schema.rule import Rule
from kedge.apiserver.crd.schema.same import same
from kedge.apiserver.crd.schema.twin import Twin
from kedge.apiserver.crd.text import format as formats
from kedge.kube.fielderror import (
    FieldError,
    invalid,
    not_supported,
    required,
    too_long,
    too_many,
    type_invalid,
)
from kedge.kube.gotext import quote, to_json, to_text

_TYPES = {str: "string", bool: "boolean", list: "array", dict: "object"}
_GO_FORMATS = {"integer": "int64", "number": "float64"}


class Result:
    """Errors by their text, and how many checks were made, which tells the nearest alternative."""

    __slots__ = ("count", "faults")

    def __init__(self) -> None:
        """Begin with no error."""
        self.faults: dict[str, FieldError] = {}
        self.count = 0

    def merge(self, other: "Result") -> None:
        """Take over what another part has found; a text is told once."""
        self.count += other.count
        for text, found in other.faults.items():
            self.faults.setdefault(text, found)


class Explainer:
    """Walks a rule and a value. `base` is where the value stands, for the fields of the errors."""

    def __init__(self, base: str = "") -> None:
        """Name the place of the value."""
        self.base = base

    def run(self, rule: Rule, value: Any, path: str, twin: Twin | None) -> Result:
        """Find all that is wrong with a value; what has not changed is passed over."""
        result = self.judge(rule, value, path, twin)
        if result.faults and twin is not None and twin.is_equal:
            result.faults = {}
        return result

    def judge(self, rule: Rule, value: Any, path: str, twin: Twin | None) -> Result:
        """Find all that is wrong with a value."""
        result = Result()
        if value.__class__ is int and not number.is_integer(value):
            value = float(value)
        if value is None:
            result.count += self._type(rule, value, path, result)
            self._enum(rule, value, path, result)
            return result
        if rule.types or rule.format:
            result.count += self._type(rule, value, path, result) + 1
        self._junctors(rule, value, path, result)
        if isinstance(value, str):
            self._string(rule, value, path, result)
        elif number.is_number(value):
            self._number(rule, value, path, result)
        elif isinstance(value, list):
            self._list(rule, value, path, result, twin)
        self._enum(rule, value, path, result)
        if isinstance(value, dict):
            self._object(rule, value, path, result, twin)
            result.count += 1
        result.count += 2  # the check of the enum, and the node itself
        return result

    def _field(self, path: str) -> str:
        name = path.removeprefix(".")
        return shown(child(self.base, name) if name else self.base)

    def _invalid(self, result: Result, path: str, value: Any, rest: str) -> None:
        text = f"{path} in body {rest}"
        result.faults.setdefault(text, invalid(self._field(path), value, text))

    def _wrong_type(self, result: Result, path: str, wanted: str, value: str) -> None:
        text = f"{path} in body must be of type {wanted}: {quote(value)}"
        result.faults.setdefault(text, type_invalid(self._field(path), value, text))

    def _composite(self, result: Result, path: str, rest: str) -> None:
        text = f"{quote(path)} {rest}"
        result.faults.setdefault(text, invalid(shown(self.base), "", text))

    def _type(self, rule: Rule, value: Any, path: str, result: Result) -> int:
        """Check the type; give 1 if it is right, else 0."""
        wanted = rule.types
        if value is None:
            if wanted and not rule.nullable:
                self._wrong_type(result, path, ",".join(wanted), "null")
                return 0
            return 1
        found = type_name(value)
        fits = found in wanted or passes_as(value, found, wanted)
        textual = found in ("string", "array")
        if not textual and rule.format and not fits:
            self._wrong_type(result, path, rule.format, _GO_FORMATS.get(found, ""))
            return 0
        if textual and rule.format and "number" not in wanted and "integer" not in wanted:
            return 1  # the format is checked for itself, and says nothing of lists
        if not fits:
            self._wrong_type(result, path, ",".join(wanted), found)
            return 0
        return 1

    def _junctors(self, rule: Rule, value: Any, path: str, result: Result) -> None:
        result.count += 2
        if rule.any_of:
            self._any_of(rule, value, path, result)
        if rule.one_of:
            self._one_of(rule, value, path, result)
        if rule.all_of:
            self._all_of(rule, value, path, result)
        if rule.never is not None and not self.judge(rule.never, value, path, None).faults:
            self._composite(result, path, "must not validate the schema (not)")

    def _any_of(self, rule: Rule, value: Any, path: str, result: Result) -> None:
        nearest: Result | None = None
        for one in rule.any_of:
            found = self.judge(one, value, path, None)
            if not found.faults:
                result.merge(found)
                return
            if nearest is None or found.count > nearest.count:
                nearest = found
        self._composite(result, path, "must validate at least one schema (anyOf)")
        if nearest is not None:
            result.merge(nearest)

    def _one_of(self, rule: Rule, value: Any, path: str, result: Result) -> None:
        nearest: Result | None = None
        valid: list[Result] = []
        for one in rule.one_of:
            found = self.judge(one, value, path, None)
            if not found.faults:
                valid.append(found)
                nearest = None
            elif not valid and (nearest is None or found.count > nearest.count):
                nearest = found
        if len(valid) == 1:
            result.merge(valid[0])
            return
        told = f"Found {len(valid)} valid alternatives" if valid else "Found none valid"
        self._composite(result, path, f"must validate one and only one schema (oneOf). {told}")
        if nearest is not None:
            result.merge(nearest)

    def _all_of(self, rule: Rule, value: Any, path: str, result: Result) -> None:
        valid = 0
        for one in rule.all_of:
            found = self.judge(one, value, path, None)
            valid += not found.faults
            result.merge(found)
        if valid != len(rule.all_of):
            told = "" if valid else ". None validated"
            self._composite(result, path, f"must validate all the schemas (allOf){told}")

    def _string(self, rule: Rule, value: str, path: str, result: Result) -> None:
        result.count += 1
        if rule.max_length is not None and len(value) > rule.max_length:
            text = f"{path} in body should be at most {rule.max_length} chars long"
            result.faults.setdefault(text, too_long(self._field(path), rule.max_length))
        elif rule.min_length is not None and len(value) < rule.min_length:
            rest = f"should be at least {rule.min_length} chars long"
            self._invalid(result, path, value, rest)
        elif rule.matches is not None and not rule.matches(value):
            self._invalid(result, path, value, f"should match '{rule.pattern}'")
        fits = formats.find(rule.format)
        if fits is not None:
            result.count += 1
            if not fits(value):
                self._wrong_type(result, path, rule.format, value)

    def _number(self, rule: Rule, value: int | float, path: str, result: Result) -> None:
        result.count += 2
        if rule.multiple_of is not None:
            self._multiple_of(rule.multiple_of, value, path, result)
        if rule.minimum is not None:
            bound = number.bound_for(value, rule.minimum)
            if value < bound or (rule.exclusive_minimum and value == bound):
                than = "greater than" if rule.exclusive_minimum else "greater than or equal to"
                self._invalid(result, path, value, f"should be {than} {to_text(bound)}")
        if rule.maximum is not None:
            bound = number.bound_for(value, rule.maximum)
            if value > bound or (rule.exclusive_maximum and value == bound):
                than = "less than" if rule.exclusive_maximum else "less than or equal to"
                self._invalid(result, path, value, f"should be {than} {to_text(bound)}")

    def _multiple_of(self, factor: float, value: int | float, path: str, result: Result) -> None:
        factor = number.bound_for(value, factor)
        if factor <= 0:
            name = to_text(factor)
            text = f"factor MultipleOf declared for {path} must be positive: {name}"
            result.faults.setdefault(text, invalid(self._field(path), factor, text))
        elif not number.is_multiple(value, factor):
            rest = f"should be a multiple of {to_text(factor)}"
            self._invalid(result, path, value, rest)

    def _list(
        self, rule: Rule, value: list[Any], path: str, result: Result, twin: Twin | None
    ) -> None:
        result.count += 2
        if rule.items is not None:
            for position, item in enumerate(value):
                pair = None if twin is None else twin.index(position)
                result.merge(self.run(rule.items, item, f"{path}[{position}]", pair))
        size = len(value)
        if rule.min_items is not None and size < rule.min_items:
            self._invalid(result, path, size, f"should have at least {rule.min_items} items")
        if rule.max_items is not None and size > rule.max_items:
            text = f"{path} in body should have at most {rule.max_items} items"
            found = too_many(self._field(path), size, rule.max_items)
            result.faults.setdefault(text, found)
        if rule.unique_items and has_repeats(value):
            self._invalid(result, path, "", "shouldn't contain duplicates")

    def _enum(self, rule: Rule, value: Any, path: str, result: Result) -> None:
        if rule.enum and not is_listed(value, rule.enum):
            known = [one if isinstance(one, str) else to_json(one) for one in rule.enum]
            text = f"{path} in body should be one of {to_text(list(rule.enum))}"
            found = not_supported(self._field(path), value, known)
            result.faults.setdefault(text, found)

    def _object(
        self, rule: Rule, value: dict[str, Any], path: str, result: Result, twin: Twin | None
    ) -> None:
        size = len(value)
        if rule.min_properties is not None and size < rule.min_properties:
            rest = f"should have at least {rule.min_properties} properties"
            self._invalid(result, path, size, rest)
        if rule.max_properties is not None and size > rule.max_properties:
            text = f"{path} in body should have at most {rule.max_properties} properties"
            found = too_many(self._field(path), size, rule.max_properties)
            result.faults.setdefault(text, found)
        self._additional(rule, value, path, result, twin)
        for name, part in rule.properties.items():
            if name in value:
                place = f"{path}.{name}" if path else name
                result.merge(self.run(part, value[name], place, _below(twin, name, path)))
        for name in rule.required:
            if name not in value:
                text = f"{path}.{name} in body is required"
                found = required(self._field(f"{path}.{name}"))
                result.faults.setdefault(text, found)

    def _additional(
        self, rule: Rule, value: dict[str, Any], path: str, result: Result, twin: Twin | None
    ) -> None:
        if rule.allows_more and rule.additional is None:
            return
        for name in sorted(value.keys() - rule.properties.keys()):
            if rule.additional is not None:
                pair = _below(twin, name, path)
                result.merge(self.run(rule.additional, value[name], f"{path}.{name}", pair))
            else:
                text = f"{path}.{name} in body is a forbidden property"
                found = invalid(self._field(path), name, text)
                result.faults.setdefault(text, found)


def _below(twin: Twin | None, name: str, path: str) -> Twin | None:
    # At the root, kind and apiVersion are those of the request on both sides: no sign of a change.
    if twin is None or (path == "" and name in ("kind", "apiVersion")):
        return None
    return twin.key(name)


def type_name(value: Any) -> str:
    """Give the JSON schema type of a value."""
    if number.is_number(value):
        return "integer" if number.is_integer(value) else "number"
    return _TYPES[value.__class__]


def passes_as(value: Any, found: str, wanted: tuple[str, ...]) -> bool:
    """Say whether a number of one type is taken for the other."""
    if found == "integer":
        return "number" in wanted
    return found == "number" and "integer" in wanted and number.is_whole(value)


def has_repeats(items: list[Any]) -> bool:
    """Say whether two items are equal."""
    return any(same(one, other) for i, one in enumerate(items) for other in items[:i])
