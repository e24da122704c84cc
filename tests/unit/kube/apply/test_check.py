"""What is wrong with a configuration, in the words of Kubernetes."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.kube.apply.atoms import atom_of
from kedge.kube.apply.check import Checker, fits, problem
from kedge.kube.schema import Schema
from tests.unit.kube.apply.shapes import WIDGET, list_of, struct, text, thing


def wrong(spec: Any) -> str:
    return problem(atom_of(WIDGET), thing(spec))


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"size": "x"}, ".spec.size: expected numeric (int or float), got string"),
        ({"size": True}, ".spec.size: expected numeric (int or float), got bool"),
        ({"size": {}}, ".spec.size: expected numeric (int or float), got map[string]interface {}"),
        ({"color": 1}, ".spec.color: expected string, got &value.valueUnstructured{Value:1}"),
        (
            {"color": [{"b": "x<\n", "a": 1234567, "c": None, "d": True}]},
            ".spec.color: expected string, got &value.valueUnstructured{Value:[]interface {}"
            '{map[string]interface {}{"a":1.234567e+06, "b":"x<\\n", "c":interface {}(nil),'
            ' "d":true}}}',
        ),
        ({"nested": "x"}, ".spec.nested: expected map, got &{x}"),
        ({"nested": [1, "a", None]}, ".spec.nested: expected map, got &{[1 a <nil>]}"),
        ({"args": {"a": 1}}, ".spec.args: expected list, got &{map[a:1]}"),
        (
            {"args": ["a", 2]},
            ".spec.args[1]: expected string, got &value.valueUnstructured{Value:2}",
        ),
        ({"what": 1}, ".spec.what: field not declared in schema"),
        ({"tags": ["a", "a"]}, '.spec.tags: duplicate entries for key [="a"]'),
        (
            {"ports": [{"port": 80}, {"port": 80, "protocol": "TCP"}]},
            '.spec.ports: duplicate entries for key [port=80,protocol="TCP"]',
        ),
        (
            {"parts": [{"size": 1}]},
            ".spec.parts: element 0: associative list with keys has an element that omits all "
            'key fields ["name"] (and doesn\'t have default values for any key fields)',
        ),
        (
            {"parts": [None]},
            ".spec.parts: element 0: associative list with keys may not have a null element",
        ),
        (
            {"parts": [{"name": "a"}, 1]},
            ".spec.parts: element 1: associative list with keys may not have non-map elements",
        ),
        (
            {"tags": [{}]},
            ".spec.tags: element 0: associative list without keys has an element that's a map type",
        ),
        (
            {"tags": [[]]},
            ".spec.tags: element 0: not supported: associative list with lists as elements",
        ),
        (
            {"tags": [None]},
            ".spec.tags: element 0: associative list without keys has an element that's an"
            " explicit null",
        ),
        (
            {"size": "x", "nested": 1.5},
            "errors:\n"
            "  .spec.size: expected numeric (int or float), got string\n"
            "  .spec.nested: expected map, got &{1.5}",
        ),
    ],
)
def test_a_problem_is_named_as_kubernetes_names_it(spec: Any, message: str) -> None:
    assert wrong(spec) == message


@pytest.mark.parametrize(
    "spec",
    [
        {"size": 1, "color": "a", "anything": {"a": [1, {"b": None}]}},
        {"size": None, "nested": None, "parts": None, "args": [None]},
        {"ports": [{"name": "a"}]},
    ],
)
def test_what_fits_has_no_problem(spec: Any) -> None:
    assert wrong(spec) == ""


def test_an_object_that_is_no_map_has_no_path() -> None:
    assert problem(atom_of(WIDGET), "x") == "expected map, got &{x}"


@pytest.mark.parametrize(
    ("schema", "value", "message"),
    [
        (Schema(type="boolean"), "yes", ".a: expected boolean, got &{yes}"),
        (Schema(type="string", format="quantity"), {"x": 1}, ".a: expected any scalar, got"),
        (Schema(format="int-or-string"), {"x": [1]}, ""),
        (Schema(type="object", format="raw"), [1], ""),
        (list_of(struct(k=text(), l=text()), "l", "k"), [{}], ".a: element 0: associative list"),
    ],
)
def test_every_kind_of_place_is_checked(schema: Schema, value: Any, message: str) -> None:
    found = problem(atom_of(struct(a=schema)), {"a": value})
    assert found.startswith(message)
    assert bool(found) == bool(message)


def test_duplicates_can_be_allowed() -> None:
    obj = thing({"tags": ["a", "a"]})
    assert problem(atom_of(WIDGET), obj, allow_duplicates=True) == ""


SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text()
KNOWN = st.sampled_from(["size", "color", "labels", "whole", "args", "tags", "ports", "parts"])
NAMES = KNOWN | st.sampled_from(["nested", "anything", "port", "name", "a", "what"])
VALUES = st.recursive(
    SCALARS, lambda below: st.lists(below, max_size=3) | st.dictionaries(NAMES, below, max_size=4)
)


@given(st.dictionaries(NAMES, VALUES, max_size=4))
def test_the_short_look_finds_the_same_objects_wrong_as_the_long_one(spec: Any) -> None:
    atom, obj = atom_of(WIDGET), thing(spec)
    checker = Checker(allow_duplicates=True)
    checker.visit(atom, obj, "")
    assert fits(atom, obj) is not bool(checker.problems)
    assert bool(problem(atom, obj, allow_duplicates=True)) is bool(checker.problems)
