from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.kube.requirements import Requirement, SelectorError, integer, requirement
from kedge.kube.selectors import (
    EVERYTHING,
    NOTHING,
    Selector,
    from_object,
    of,
    parse_labels,
    validate_label_selector,
)
from tests.unit.kube.recorded import rows
from tests.unit.kube.test_names import QUALIFIED, VALUE

KEYS = st.sampled_from(["a", "b", "in", "notin", "x.y/z"])
VALUES = st.sampled_from(["", "a", "b", "in", "5", "10", "007", "99999999999999999999"])
NUMBERS = st.sampled_from(["5", "0", "007", "9223372036854775807"])
LABELS = st.dictionaries(KEYS, VALUES)


def requirements() -> st.SearchStrategy[Requirement]:
    one = st.tuples(VALUES)
    several = st.sets(VALUES, min_size=1).map(lambda values: tuple(sorted(values)))
    return st.one_of(
        st.builds(Requirement, KEYS, st.sampled_from(["=", "==", "!="]), one),
        st.builds(Requirement, KEYS, st.sampled_from(["in", "notin"]), several),
        st.builds(Requirement, KEYS, st.sampled_from(["exists", "!"])),
        st.builds(Requirement, KEYS, st.sampled_from(["gt", "lt"]), st.tuples(NUMBERS)),
    )


SELECTORS = st.lists(requirements(), max_size=4).map(of)


def fulfils(labels: dict[str, str], wanted: Requirement) -> bool:
    """Tell by the definition, without any cleverness."""
    found = labels.get(wanted.key)
    if wanted.operator in ("gt", "lt"):
        if found is None or not found.isdigit() or int(found) >= 2**63:
            return False
        bound = int(wanted.values[0])
        return int(found) > bound if wanted.operator == "gt" else int(found) < bound
    has = found is not None
    return {
        "=": has and found in wanted.values,
        "==": has and found in wanted.values,
        "in": has and found in wanted.values,
        "!=": not has or found not in wanted.values,
        "notin": not has or found not in wanted.values,
        "exists": has,
        "!": not has,
    }[wanted.operator]


@given(SELECTORS)
def test_a_selector_is_read_back_from_its_text(selector: Selector) -> None:
    assert parse_labels(str(selector)) == selector


@given(SELECTORS, LABELS)
def test_labels_match_when_every_requirement_holds(
    selector: Selector, labels: dict[str, str]
) -> None:
    expected = all(fulfils(labels, each) for each in selector.requirements)
    assert selector.matches(labels) == expected


@given(st.text(alphabet="ab=!(),<> in\t\0é-/5") | st.text())
def test_any_text_is_a_selector_or_raises_the_one_error(text: str) -> None:
    try:
        selector = parse_labels(text)
    except SelectorError:
        return
    assert parse_labels(str(selector)) == selector


def outcome(text: str, labels: dict[str, str]) -> tuple[str, str | None, bool | None]:
    try:
        selector = parse_labels(text)
    except SelectorError as error:
        return str(error), None, None
    return "", str(selector), selector.matches(labels)


def test_kubernetes_reads_label_selectors_the_same_way() -> None:
    for text, labels, *expected in rows("labels"):
        assert [*outcome(text, labels)] == expected, text


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"),
        ("!", "unable to parse requirement: found '', expected: identifier"),
        ("=a", "found '=', expected: !, identifier, or 'end of string'"),
        ("a=b c", "found 'c', expected: ',' or 'end of string'"),
        ("a,", "found '', expected: identifier after ','"),
        ("a=(", "unable to parse requirement: found '(', expected: identifier"),
        ("a in b", "unable to parse requirement: found 'b' expected: '('"),
        ("a in (=", "unable to parse requirement: found '=', expected: ',', ')' or identifier"),
        ("a in (b c", "unable to parse requirement: found 'c', expected: ',' or ')'"),
        ("a in (b,=)", "unable to parse requirement: found '=', expected: ',', or identifier"),
        ("a in (b,,)", "unable to parse requirement: found ')', expected: ',', or identifier"),
        (
            "-",
            f'unable to parse requirement: <nil>: Invalid value: "-": name part {QUALIFIED}',
        ),
        (
            "a=-",
            f'unable to parse requirement: values[0][a]: Invalid value: "-": {VALUE}',
        ),
        (
            "a>x",
            "unable to parse requirement: values[0]: Invalid value: \"x\": for 'Gt', 'Lt' "
            "operators, the value must be an integer",
        ),
        (
            "a>-5",
            f'unable to parse requirement: values[0][a]: Invalid value: "-5": {VALUE}',
        ),
    ],
)
def test_what_can_not_be_read_is_explained_as_kubernetes_does(text: str, error: str) -> None:
    with pytest.raises(SelectorError) as raised:
        parse_labels(text)
    assert str(raised.value) == error


def test_the_empty_text_selects_everything() -> None:
    assert parse_labels("") is EVERYTHING
    assert parse_labels(" ").empty
    assert EVERYTHING.matches({})
    assert EVERYTHING.matches(None)
    assert not parse_labels("a").empty


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5),
        ("-5", -5),
        ("+5", 5),
        ("0" * 40 + "5", 5),
        ("-9223372036854775808", -(2**63)),
        ("9223372036854775808", None),
        ("1" * 5000, None),
        ("1_0", None),
        ("٣", None),
        ("", None),
    ],
)
def test_integers_are_read_as_go_does(text: str, value: int | None) -> None:
    assert integer(text) == value


def test_several_problems_of_a_requirement_are_told_together() -> None:
    with pytest.raises(SelectorError) as raised:
        requirement("-", "in", None)
    assert str(raised.value) == (
        f'[key: Invalid value: "-": name part {QUALIFIED}, values: Invalid value: null: '
        "for 'in', 'notin' operators, values set can't be empty]"
    )
    with pytest.raises(SelectorError, match="values set must be empty for exists"):
        requirement("a", "exists", ["b"])


@pytest.mark.parametrize(
    ("selector", "text"),
    [
        ({}, ""),
        ({"matchLabels": {"b": "c", "a": ""}}, "a=,b=c"),
        (
            {
                "matchExpressions": [
                    {"key": "z", "operator": "NotIn", "values": ["b", "a"]},
                    {"key": "a", "operator": "In", "values": ["x"]},
                    {"key": "b", "operator": "Exists", "values": []},
                    {"key": "c", "operator": "DoesNotExist"},
                ],
                "matchLabels": {"m": "n"},
            },
            "a in (x),b,!c,m=n,z notin (a,b)",
        ),
    ],
)
def test_a_selector_is_made_from_an_object(selector: dict[str, Any], text: str) -> None:
    assert str(from_object(selector)) == text


def test_no_object_selects_nothing() -> None:
    assert from_object(None) is NOTHING
    assert not NOTHING.matches({})
    assert not NOTHING.empty


@pytest.mark.parametrize(
    ("expression", "error"),
    [
        ({"key": "a", "operator": "Gt"}, '"Gt" is not a valid label selector operator'),
        ({"key": "a"}, '"" is not a valid label selector operator'),
        (
            {"key": "a", "operator": "In"},
            "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
        ),
        (
            {"key": "a", "operator": "Exists", "values": ["b"]},
            'values: Invalid value: ["b"]: values set must be empty for exists and does not exist',
        ),
    ],
)
def test_an_object_that_makes_no_sense_is_refused(expression: dict[str, Any], error: str) -> None:
    with pytest.raises(SelectorError) as raised:
        from_object({"matchExpressions": [expression]})
    assert str(raised.value) == error


@pytest.mark.parametrize(
    ("selector", "expected"),
    [
        (None, []),
        ({"matchLabels": {"a": "b"}}, []),
        ({"matchExpressions": [{"key": "a", "operator": "DoesNotExist"}]}, []),
        ({"matchExpressions": [{"key": "a", "operator": "NotIn", "values": ["b"]}]}, []),
        ({"matchLabels": {"a": "-"}}, [f's.matchLabels: Invalid value: "-": {VALUE}']),
        (
            {"matchExpressions": [{"key": "a", "operator": "In"}]},
            [
                "s.matchExpressions[0].values: Required value: must be specified when "
                "`operator` is 'In' or 'NotIn'"
            ],
        ),
        (
            {"matchExpressions": [{"key": "a", "operator": "Exists", "values": ["b"]}]},
            [
                "s.matchExpressions[0].values: Forbidden: may not be specified when `operator` is "
                "'Exists' or 'DoesNotExist'"
            ],
        ),
        (
            {"matchExpressions": [{"key": "-", "operator": "<", "values": ["-"]}]},
            [
                's.matchExpressions[0].operator: Invalid value: "\\u003c": not a valid selector '
                "operator",
                f's.matchExpressions[0].key: Invalid value: "-": name part {QUALIFIED}',
                f's.matchExpressions[0].values[0]: Invalid value: "-": {VALUE}',
            ],
        ),
    ],
)
def test_a_selector_in_an_object_is_checked(
    selector: dict[str, Any] | None, expected: list[str]
) -> None:
    assert [str(error) for error in validate_label_selector(selector, "s")] == expected


def test_values_that_no_label_has_may_be_let_pass() -> None:
    expression = {"key": "a", "operator": "In", "values": ["-"]}
    selector = {"matchExpressions": [expression]}
    assert validate_label_selector(selector, "s", any_values=True) == []
