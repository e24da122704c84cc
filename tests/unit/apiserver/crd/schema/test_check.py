"""The fast check, the slow explanation and another library agree on what is valid."""

from typing import Any

import jsonschema_rs
from hypothesis import given, settings
from hypothesis import strategies as st

from kedge.apiserver.crd.schema.check import compile_rule
from kedge.apiserver.crd.schema.explain import Explainer
from kedge.apiserver.crd.schema.rule import read

scalars = st.one_of(
    st.text("abc", max_size=4), st.integers(-5, 12), st.booleans(), st.sampled_from([0.5, 1.5])
)
bounds = st.fixed_dictionaries(
    {},
    optional={
        "minLength": st.integers(0, 3),
        "maxLength": st.integers(0, 3),
        "pattern": st.sampled_from(["^a", "b$", "^[ab]*$"]),
        "minimum": st.integers(-3, 3),
        "maximum": st.integers(0, 8),
        "multipleOf": st.integers(1, 3),
        "minItems": st.integers(0, 2),
        "maxItems": st.integers(0, 3),
        "minProperties": st.integers(0, 2),
        "maxProperties": st.integers(0, 3),
        "required": st.lists(st.sampled_from(["a", "b"]), max_size=2, unique=True),
    },
)


def typed(parts: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    plain = st.sampled_from(["string", "integer", "number", "boolean"]).map(lambda t: {"type": t})
    lists = parts.map(lambda part: {"type": "array", "items": part})
    maps = parts.map(lambda part: {"type": "object", "additionalProperties": part})
    objects = st.dictionaries(st.sampled_from(["a", "b", "c"]), parts, max_size=3).map(
        lambda fields: {"type": "object", "properties": fields}
    )
    return st.one_of(plain, lists, maps, objects)


def with_bounds(base: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    def joined(schema: Any, more: Any, junctors: Any) -> Any:
        return {**schema, **more, **junctors}

    junctors = st.fixed_dictionaries(
        {},
        optional={
            "allOf": st.lists(bounds, min_size=1, max_size=2),
            "anyOf": st.lists(bounds, min_size=1, max_size=2),
            "oneOf": st.lists(bounds, min_size=1, max_size=2),
            "not": bounds,
        },
    )
    return st.builds(joined, base, bounds, junctors)


leaves = st.sampled_from(["string", "integer", "number", "boolean"]).map(lambda t: {"type": t})
schemas = st.recursive(with_bounds(leaves), lambda parts: with_bounds(typed(parts)), max_leaves=6)
values = st.recursive(
    scalars,
    lambda parts: (
        st.lists(parts, max_size=4)
        | st.dictionaries(st.sampled_from(["a", "b", "c", "d"]), parts, max_size=4)
    ),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None)
@given(schemas, values)
def test_check_explain_and_jsonschema_agree(schema: dict[str, Any], value: Any) -> None:
    rule = read(schema)
    valid = compile_rule(rule)(value)
    assert valid == (not Explainer().run(rule, value, "", None).faults)
    assert valid == jsonschema_rs.is_valid({"$schema": DRAFT, **schema}, value)


DRAFT = "http://json-schema.org/draft-07/schema#"


def test_the_conversions_of_gos_reflection_count_for_enums() -> None:
    assert compile_rule(read({"enum": [1]}))(1.5)  # 1.5 as an int64 is 1
    assert compile_rule(read({"enum": ["A"]}))(65)  # 65 as a string is "A"
    assert not compile_rule(read({"enum": [1]}))(True)


def test_a_large_float_passes_for_an_integer_when_it_is_near_enough() -> None:
    is_integer = compile_rule(read({"type": "integer"}))
    assert is_integer(3.0)
    assert is_integer(2000000000.5)
    assert not is_integer(1.5)
    assert not is_integer(1e16)
    assert not is_integer(2**63)


def test_null_is_refused_by_an_enum_even_where_it_is_allowed() -> None:
    assert not compile_rule(read({"type": "string", "nullable": True, "enum": ["a"]}))(None)
    assert compile_rule(read({"type": "string", "nullable": True}))(None)
