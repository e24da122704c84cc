"""Whether a value keeps a rule: yes or no, as fast as Python goes.

A rule becomes a table from the class of a value to True (any value of it will do) or to a test; a
class that is not in the table is the wrong type. `explain` gives the reasons, and agrees.
"""

from collections.abc import Callable, Iterable
from types import NoneType
from typing import Any

from kedge.apiserver.crd.schema import number
from kedge.apiserver.crd.schema.rule import Rule
from kedge.apiserver.crd.schema.same import same
from kedge.apiserver.crd.text import format as formats

Test = Callable[[Any], bool]
Table = dict[type, "Test | bool"]

_CLASSES = {
    "string": (str,),
    "boolean": (bool,),
    "integer": (int, float),
    "number": (int, float),
    "array": (list,),
    "object": (dict,),
}
_ALL = (str, bool, int, float, list, dict)


def compile_rule(rule: Rule) -> Test:
    """Make a function that says whether a value keeps the rule."""
    table = table_of(rule)

    def check(value: Any) -> bool:
        test = table.get(value.__class__)
        return test is True or (test is not None and test is not False and test(value))

    return check


def table_of(rule: Rule) -> Table:
    """Give the tests of a rule by the class of the value."""
    table: Table = {}
    common = list(_common(rule))
    for kind in _accepted(rule):
        tests = [*_special(rule, kind), *common]
        table[kind] = _all(tests)
    if (rule.nullable or not rule.types) and not rule.enum:
        table[NoneType] = True
    return table


def _accepted(rule: Rule) -> list[type]:
    """Give the classes of values whose type is right, or may be."""
    if not rule.types and not rule.format:
        return list(_ALL)
    found = [kind for name in rule.types for kind in _CLASSES[name]]
    textual = rule.format and "number" not in rule.types and "integer" not in rule.types
    if textual:  # with a format, only the format is asked of strings, and nothing of lists
        found += [str, list]
    return list(dict.fromkeys(found))


def _all(tests: list[Test]) -> Test | bool:
    if not tests:
        return True
    first, *rest = tests
    following = _all(rest)
    if following is True or following is False:
        return first
    return lambda value: first(value) and following(value)


def _special(rule: Rule, kind: type) -> Iterable[Test]:
    """Give the tests that only values of one class undergo."""
    if kind is str:
        return _of_string(rule)
    if kind is int or kind is float:
        return _of_number(rule, kind)
    if kind is list:
        return _of_list(rule)
    return _of_object(rule) if kind is dict else ()


def _of_string(rule: Rule) -> Iterable[Test]:
    low, high = rule.min_length, rule.max_length
    if low is not None or high is not None:
        least, most = low or 0, float("inf") if high is None else high
        yield lambda value: least <= len(value) <= most
    if rule.matches is not None:
        yield rule.matches
    validator = formats.find(rule.format)
    if validator is not None:
        yield validator


def _of_number(rule: Rule, kind: type) -> Iterable[Test]:
    only_integers = "integer" in rule.types and "number" not in rule.types
    if only_integers:
        yield number.is_integer if kind is int else number.is_whole
    if rule.minimum is not None:
        yield _lower_bound(rule.minimum, rule.exclusive_minimum)
    if rule.maximum is not None:
        yield _upper_bound(rule.maximum, rule.exclusive_maximum)
    if rule.multiple_of is not None:
        yield _multiple(rule.multiple_of)


def _lower_bound(bound: float, exclusive: bool) -> Test:
    whole = int(bound)
    if exclusive:
        return lambda value: value > (whole if value.__class__ is int else bound)
    return lambda value: value >= (whole if value.__class__ is int else bound)


def _upper_bound(bound: float, exclusive: bool) -> Test:
    whole = int(bound)
    if exclusive:
        return lambda value: value < (whole if value.__class__ is int else bound)
    return lambda value: value <= (whole if value.__class__ is int else bound)


def _multiple(factor: float) -> Test:
    def check(value: Any) -> bool:
        bound = number.bound_for(value, factor)
        return bound > 0 and number.is_multiple(value, bound)

    return check


def _of_list(rule: Rule) -> Iterable[Test]:
    low, high = rule.min_items, rule.max_items
    if low is not None or high is not None:
        least, most = low or 0, float("inf") if high is None else high
        yield lambda value: least <= len(value) <= most
    if rule.items is not None:
        yield _each(table_of(rule.items))
    if rule.unique_items:
        yield (
            lambda value: (
                not any(same(one, other) for i, one in enumerate(value) for other in value[:i])
            )
        )


def _each(table: Table) -> Test:
    get = table.get

    def check(items: Any) -> bool:
        for item in items:
            test = get(item.__class__)
            if test is not True and (not test or not test(item)):
                return False
        return True

    return check


def _of_object(rule: Rule) -> Iterable[Test]:
    low, high = rule.min_properties, rule.max_properties
    if low is not None or high is not None:
        least, most = low or 0, float("inf") if high is None else high
        yield lambda value: least <= len(value) <= most
    if rule.required:
        needed = frozenset(rule.required)
        yield lambda value: needed <= value.keys()
    if rule.additional is not None and not rule.properties:
        each = _each(table_of(rule.additional))
        yield lambda value: each(value.values())
    elif rule.properties or not rule.allows_more:
        yield _fields(rule)


def _fields(rule: Rule) -> Test:
    tables = {name: table_of(part) for name, part in rule.properties.items()}
    more = None if rule.additional is None else table_of(rule.additional)
    rest: Table | None = more if rule.allows_more else {}

    def check(value: Any) -> bool:
        for name, item in value.items():
            table = tables.get(name, rest)
            if table is not None:
                test = table.get(item.__class__)
                if test is not True and (not test or not test(item)):
                    return False
        return True

    return check


def _common(rule: Rule) -> Iterable[Test]:
    """Give the tests that every value undergoes."""
    if rule.enum:
        yield _listed(rule.enum)
    if rule.any_of:
        alternatives = [compile_rule(one) for one in rule.any_of]
        yield lambda value: any(test(value) for test in alternatives)
    if rule.one_of:
        choices = [compile_rule(one) for one in rule.one_of]
        yield lambda value: sum(test(value) for test in choices) == 1
    for one in rule.all_of:
        yield compile_rule(one)
    if rule.never is not None:
        never = compile_rule(rule.never)
        yield lambda value: not never(value)


def _listed(known: tuple[Any, ...]) -> Test:
    if all(one.__class__ is str for one in known):
        names = frozenset(known)

        def check(value: Any) -> bool:
            if value.__class__ is str:
                return value in names
            return is_listed(value, known)

        return check
    return lambda value: is_listed(value, known)


def is_listed(value: Any, known: tuple[Any, ...]) -> bool:
    """Say whether a value is one of an enum, after the conversions of Go's reflection."""
    return value is not None and any(one is not None and _converts(value, one) for one in known)


def _converts(value: Any, one: Any) -> bool:
    if value.__class__ is one.__class__:
        return same(value, one)
    if one.__class__ is int and value.__class__ is float:
        return int(value) == one
    if one.__class__ is float and value.__class__ is int:
        return float(value) == one
    # Go turns an integer into the character with that number.
    return one.__class__ is str and value.__class__ is int and one == _character(value)


def _character(code: int) -> str:
    is_valid = 0 <= code <= 0x10FFFF and not 0xD800 <= code <= 0xDFFF
    return chr(code) if is_valid else "\ufffd"
