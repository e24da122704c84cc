"""The steps of a field path."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.kube.apply.elements import canonical, json_text, of_value, order, show

SCALARS = st.none() | st.booleans() | st.integers(-5, 200) | st.floats(0.5, 9, width=16) | st.text()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        pytest.param("a", '"a"', id="text"),
        pytest.param('a"\\é', '"a\\"\\\\é"', id="quotes"),
        pytest.param("<&>", '"\\u003c\\u0026\\u003e"', id="HTML is escaped"),
        pytest.param(80, "80", id="integer"),
        pytest.param(80.0, "80", id="whole float"),
        pytest.param(1.5, "1.5", id="float"),
        pytest.param(True, "true", id="boolean"),
        pytest.param(None, "null", id="null"),
        pytest.param({"b": [1], "a": {}}, '{"a":{},"b":[1]}', id="map sorted"),
    ],
)
def test_a_value_is_written_as_go_writes_it(value: object, text: str) -> None:
    assert json_text(value) == text


@pytest.mark.parametrize(
    ("element", "shown"),
    [
        ("f:spec", ".spec"),
        ('k:{"containerPort":80,"protocol":"TCP"}', '[containerPort=80,protocol="TCP"]'),
        ('k:{"name":"a\\"b"}', '[name="a\\"b"]'),
        ('k:{"port":1234567}', "[port=1.234567e+06]"),
        ('k:{"a":null,"b":true,"c":[1,"x"],"d":{"e":1}}', '[a=null,b=true,c=[1,"x"],d=e=1]'),
        ('v:"x"', '[="x"]'),
        ("v:false", "[=false]"),
        ("i:3", "[3]"),
    ],
)
def test_an_element_is_shown_as_in_kubernetes_messages(element: str, shown: str) -> None:
    assert show(element) == shown


def test_elements_are_sorted_by_kind_and_value_and_not_by_text() -> None:
    expected = [
        ".",
        "f:a",
        "f:b",
        'k:{"a":1}',
        'k:{"a":1,"b":2}',
        'k:{"a":80}',
        'k:{"a":443}',
        'k:{"a":"1"}',
        'k:{"b":1}',
        "v:9",
        "v:10",
        'v:"a"',
        "v:true",
        "v:[1]",
        'v:{"a":1}',
        "v:null",
        "i:2",
        "i:10",
    ]
    shuffled = expected[7:] + expected[:7]
    assert sorted(shuffled, key=order) == expected


@pytest.mark.parametrize(
    ("raw", "one_form"),
    [
        ("f:x y", "f:x y"),
        ('k:{"b": 1.0, "a": "x"}', 'k:{"a":"x","b":1}'),
        ("v: 2.50", "v:2.5"),
        ("i:07", "i:7"),
        ("x:what", None),
    ],
)
def test_an_element_has_one_form(raw: str, one_form: str | None) -> None:
    assert canonical(raw) == one_form


@pytest.mark.parametrize("raw", ["", "f", "fx", "v:{", "k:[1]", "k:", "i:x"])
def test_a_malformed_element_is_refused(raw: str) -> None:
    with pytest.raises(ValueError, match=r".*"):
        canonical(raw)


@given(SCALARS)
def test_the_element_of_a_value_is_already_in_its_one_form(value: object) -> None:
    element = of_value(value)
    assert canonical(element) == element
