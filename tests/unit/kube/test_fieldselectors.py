import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.kube.fieldselectors import (
    EVERYTHING,
    FieldRequirement,
    FieldSelector,
    escape,
    parse_fields,
    unescape,
)
from kedge.kube.requirements import SelectorError
from tests.unit.kube.recorded import rows

FIELDS = st.sampled_from(["metadata.name", "spec.nodeName", "a"])
VALUES = st.text(alphabet="ab,=\\!", max_size=5)
SELECTORS = st.builds(
    FieldSelector,
    st.lists(st.builds(FieldRequirement, FIELDS, VALUES, st.booleans()), max_size=4).map(tuple),
)


@given(SELECTORS)
def test_a_selector_is_read_back_from_its_text(selector: FieldSelector) -> None:
    again = parse_fields(str(selector))
    assert sorted(map(str, again.requirements)) == sorted(map(str, selector.requirements))


@given(VALUES)
def test_a_value_is_unescaped_to_what_it_was(value: str) -> None:
    assert unescape(escape(value)) == value


@given(SELECTORS, st.dictionaries(FIELDS, VALUES))
def test_an_object_matches_when_every_requirement_holds(
    selector: FieldSelector, fields: dict[str, str]
) -> None:
    expected = True
    for each in selector.requirements:
        equal = fields.get(each.field, "") == each.value
        expected = expected and (not equal if each.negated else equal)
    assert selector.matches(lambda field: fields.get(field, "")) == expected


@given(st.text(alphabet="ab,=!\\ ") | st.text())
def test_any_text_is_a_selector_or_raises_the_one_error(text: str) -> None:
    try:
        selector = parse_fields(text)
    except SelectorError:
        return
    assert all(each.field or each.value for each in selector.requirements)


def outcome(text: str, fields: dict[str, str]) -> tuple[str, str | None, bool | None]:
    try:
        selector = parse_fields(text)
    except SelectorError as error:
        return str(error), None, None
    return "", str(selector), selector.matches(lambda field: fields.get(field, ""))


def test_kubernetes_reads_field_selectors_the_same_way() -> None:
    for text, fields, *expected in rows("fields"):
        assert [*outcome(text, fields)] == expected, text


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("a=b,c", "invalid selector: 'a=b,c'; can't understand 'c'"),
        ("a=b=c", "invalid field selector: unescaped character in value: 61"),
        ("a=\\b", "invalid field selector: invalid escape sequence: \\b"),
        ("a=\\", "invalid field selector: invalid escape sequence: \\"),
    ],
)
def test_what_can_not_be_read_is_explained_as_kubernetes_does(text: str, error: str) -> None:
    with pytest.raises(SelectorError) as raised:
        parse_fields(text)
    assert str(raised.value) == error


def test_the_empty_text_selects_everything() -> None:
    assert parse_fields("") is EVERYTHING
    assert EVERYTHING.empty
    assert not parse_fields("a=b").empty


def test_the_one_value_of_a_field_is_known() -> None:
    selector = parse_fields("metadata.name=x,spec.nodeName!=y")
    assert selector.exact("metadata.name") == "x"
    assert selector.exact("spec.nodeName") is None


def test_fields_can_be_changed_or_left_out() -> None:
    selector = parse_fields("a=b,c!=d")

    def change(field: str, value: str) -> tuple[str, str]:
        return ("", "") if field == "a" else (field.upper(), value.upper())

    assert str(selector.convert(change)) == "C!=D"
