"""Field sets against the plainest model of them: a set of paths."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.kube.apply import sets
from kedge.kube.apply.sets import FieldSet

Paths = frozenset[tuple[str, ...]]

ELEMENTS = st.sampled_from(["f:a", "f:b", 'k:{"n":9}', 'k:{"n":10}', "v:1", "i:0"])
PATHS = st.lists(ELEMENTS, min_size=1, max_size=4).map(tuple)
MODELS = st.frozensets(PATHS, max_size=8)


def of(model: Paths) -> FieldSet:
    return sets.of_paths(*model)


def model_of(fields: FieldSet) -> Paths:
    return frozenset(sets.paths(fields))


def is_in_one_form(node: FieldSet) -> bool:
    """No node is written in a longer way than needed, and elements are in order."""
    return list(sets.ordered(node)) == list(node) and all(
        list(below) != ["."] and is_in_one_form(below) for below in node.values()
    )


@given(MODELS)
def test_a_set_holds_the_paths_it_was_made_of(model: Paths) -> None:
    fields = of(model)
    assert model_of(fields) == model
    assert is_in_one_form(fields)
    assert sets.is_empty(fields) == (not model)


@given(MODELS, PATHS)
def test_has_tells_members(model: Paths, path: tuple[str, ...]) -> None:
    assert sets.has(of(model), path) == (path in model)
    assert not sets.has(of(model), ())


@given(MODELS, MODELS)
def test_the_algebra_is_that_of_sets(left: Paths, right: Paths) -> None:
    a, b = of(left), of(right)
    for result, expected in (
        (sets.union(a, b), left | right),
        (sets.intersection(a, b), left & right),
        (sets.difference(a, b), left - right),
    ):
        assert model_of(result) == expected
        assert is_in_one_form(result)


@given(MODELS, MODELS)
def test_recursive_difference_takes_all_below_a_member(left: Paths, right: Paths) -> None:
    rest = sets.recursive_difference(of(left), of(right))
    expected = {p for p in left if not any(p[: n + 1] in right for n in range(len(p)))}
    assert model_of(rest) == expected
    assert is_in_one_form(rest)


@given(MODELS, MODELS)
def test_operands_are_never_changed(left: Paths, right: Paths) -> None:
    a, b = of(left), of(right)
    before = repr((a, b))
    sets.union(a, b), sets.intersection(a, b), sets.difference(a, b)
    sets.recursive_difference(a, b), sets.matching(a, b)
    assert repr((a, b)) == before


@given(MODELS, MODELS)
def test_a_result_that_is_the_first_operand_is_that_very_object(left: Paths, right: Paths) -> None:
    a, both = of(left | right), of(left)
    assert sets.union(a, both) is a
    assert sets.difference(a, of(frozenset())) is a
    assert sets.intersection(a, a) is a


@given(MODELS)
def test_a_set_survives_being_sent_and_parsed(model: Paths) -> None:
    fields = of(model)
    assert sets.parse(fields) == fields


@pytest.mark.parametrize(
    ("raw", "fields"),
    [
        pytest.param(None, {}, id="nothing"),
        pytest.param({".": {}}, {}, id="the root is never a member"),
        pytest.param({"f:a": {".": {}}}, {"f:a": {}}, id="bare member"),
        pytest.param({"f:a": None}, {"f:a": {}}, id="null is a leaf"),
        pytest.param({"x:y": {}, "f:a": {"q:": {}}}, {"f:a": {}}, id="unknown kinds are dropped"),
        pytest.param(
            {'k:{"n":10}': {}, 'k:{"n": 9}': {"f:a": {}}, 'k:{"n":9.0}': {}},
            {'k:{"n":9}': {".": {}, "f:a": {}}, 'k:{"n":10}': {}},
            id="elements become one",
        ),
    ],
)
def test_what_a_user_sends_gets_one_form(raw: Any, fields: FieldSet) -> None:
    assert repr(sets.parse(raw)) == repr(fields)


@pytest.mark.parametrize("raw", [[], "x", {"f:a": 1}, {"bad": {}}])
def test_what_is_no_field_set_is_refused(raw: Any) -> None:
    with pytest.raises(ValueError, match=r".*"):
        sets.parse(raw)


def test_paths_come_members_first() -> None:
    fields: FieldSet = {"f:a": {"f:x": {}}, "f:b": {".": {}, "f:y": {}}}
    assert [sets.show_path(path) for path in sets.paths(fields)] == [".b", ".a.x", ".b.y"]


def test_matching_follows_wildcards_and_keeps_members_on_the_way() -> None:
    fields = {
        "f:spec": {
            ".": {},
            "f:containers": {
                'k:{"name":"a"}': {".": {}, "f:image": {}, "f:resources": {"f:limits": {}}},
                'k:{"name":"b"}': {"f:image": {}},
            },
            "f:other": {},
        },
        "f:status": {},
    }
    pattern: FieldSet = {"f:spec": {"f:containers": {"*": {"f:resources": {}}}}}
    assert sets.matching(fields, pattern) == {
        "f:spec": {
            ".": {},
            "f:containers": {'k:{"name":"a"}': {".": {}, "f:resources": {"f:limits": {}}}},
        }
    }
