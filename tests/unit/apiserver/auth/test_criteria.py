"""Selectors in access reviews; texts are those of a real server."""

from typing import Any

import pytest

from kedge.apiserver.auth.criteria import evaluation_errors, validate_criteria

NEEDS = "must be specified when `operator` is 'In' or 'NotIn'"
TAKES_NONE = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"


def errors(**wish: Any) -> list[str]:
    return [str(error) for error in validate_criteria(wish, "spec")]


def test_a_selector_is_a_text_or_requirements() -> None:
    both = {"rawSelector": "a=b", "requirements": [{"key": "a", "operator": "In"}]}
    assert errors(fieldSelector={}, labelSelector=both) == [
        "spec.fieldSelector.requirements: Required value: when spec.fieldSelector is specified, "
        "requirements or rawSelector is required",
        'spec.labelSelector.rawSelector: Invalid value: "a=b": '
        "may not specified at the same time as requirements",
        f"spec.labelSelector.requirements[0].values: Required value: {NEEDS}",
    ]
    assert errors(fieldSelector={"rawSelector": "x"}, labelSelector=None) == []


def test_requirements_are_checked() -> None:
    requirements = [
        {"key": "", "operator": "In"},
        {"key": "q", "operator": "Exists", "values": ["a"]},
        {"key": "q", "operator": "Foo"},
    ]
    assert errors(fieldSelector={"requirements": requirements}) == [
        "spec.fieldSelector.requirements[0].key: Required value: must be specified",
        f"spec.fieldSelector.requirements[0].values: Required value: {NEEDS}",
        f"spec.fieldSelector.requirements[1].values: Forbidden: {TAKES_NONE}",
    ]
    requirements = [
        {"key": "-a", "operator": "In"},
        {"key": "q", "operator": "Exists", "values": ["-a"]},
        {"key": "q", "operator": "Foo"},
    ]
    found = errors(labelSelector={"requirements": requirements})
    assert [text.partition(": ")[0] for text in found] == [
        "spec.labelSelector.requirements[0].values",
        "spec.labelSelector.requirements[0].key",
        "spec.labelSelector.requirements[1].values",
        "spec.labelSelector.requirements[1].values[0]",
    ]


@pytest.mark.parametrize(
    ("wish", "text"),
    [
        ({}, ""),
        ({"fieldSelector": {"rawSelector": "a=b"}, "labelSelector": {"rawSelector": "a"}}, ""),
        ({"fieldSelector": {"rawSelector": "a"}}, "spec.fieldSelector ignored due to parse error"),
        (
            {"fieldSelector": {"rawSelector": "a=="}, "labelSelector": {"rawSelector": "a b"}},
            "spec.labelSelector ignored due to parse error",
        ),
        (
            {
                "fieldSelector": {
                    "requirements": [
                        {"key": "metadata.name", "operator": "In", "values": ["x"]},
                        {"key": "q", "operator": "Foo"},
                    ]
                },
                "labelSelector": {
                    "requirements": [
                        {"key": "q", "operator": "Exists"},
                        {"key": "q", "operator": "Foo"},
                    ]
                },
            },
            "spec.fieldSelector partially ignored due to parse error; "
            "spec.labelSelector partially ignored due to parse error",
        ),
        (
            {"fieldSelector": {"requirements": [{"key": "q", "operator": "Exists"}]}},
            "spec.fieldSelector ignored due to parse error",
        ),
        (
            {
                "fieldSelector": {
                    "requirements": [{"key": "q", "operator": "In", "values": ["a", "b"]}]
                }
            },
            "spec.fieldSelector ignored due to parse error",
        ),
    ],
)
def test_what_can_not_be_read_is_left_aside_and_told(wish: dict[str, Any], text: str) -> None:
    assert evaluation_errors(wish, "spec") == text
