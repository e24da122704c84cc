from typing import Any

import pytest

from kedge.kube import fielderror
from kedge.kube.fielderror import FieldError, Shown, aggregate
from kedge.kube.gotext import Struct


@pytest.mark.parametrize(
    ("error", "text", "reason"),
    [
        pytest.param(
            fielderror.required("spec.a", "must be set"),
            "spec.a: Required value: must be set",
            "FieldValueRequired",
            id="required shows no value",
        ),
        pytest.param(
            fielderror.required("spec.a"),
            "spec.a: Required value",
            "FieldValueRequired",
            id="required without a detail",
        ),
        pytest.param(
            fielderror.invalid("a", 'x"\n', "wrong"),
            'a: Invalid value: "x\\"\\n": wrong',
            "FieldValueInvalid",
            id="text is quoted",
        ),
        pytest.param(
            fielderror.type_invalid("a", 1, "must be of type string"),
            "a: Invalid value: 1: must be of type string",
            "FieldValueTypeInvalid",
            id="a wrong type has a reason of its own",
        ),
        pytest.param(
            fielderror.not_supported("a", "x", ["b", 'c"']),
            'a: Unsupported value: "x": supported values: "b", "c\\""',
            "FieldValueNotSupported",
            id="supported values are quoted",
        ),
        pytest.param(
            fielderror.not_supported("a", "x", []),
            'a: Unsupported value: "x"',
            "FieldValueNotSupported",
            id="no values are supported",
        ),
        pytest.param(
            fielderror.duplicate("a[1]", "x"),
            'a[1]: Duplicate value: "x"',
            "FieldValueDuplicate",
            id="duplicate",
        ),
        pytest.param(
            fielderror.forbidden("a", "not now"),
            "a: Forbidden: not now",
            "FieldValueForbidden",
            id="forbidden shows no value",
        ),
        pytest.param(
            fielderror.not_found("a", "x"),
            'a: Not found: "x"',
            "FieldValueNotFound",
            id="not found",
        ),
        pytest.param(
            fielderror.too_long("a", 63),
            "a: Too long: may not be more than 63 bytes",
            "FieldValueTooLong",
            id="too long shows no value",
        ),
        pytest.param(
            fielderror.too_long("a", 1),
            "a: Too long: may not be more than 1 byte",
            "FieldValueTooLong",
            id="one byte",
        ),
        pytest.param(
            fielderror.too_long("a", -1),
            "a: Too long: value is too long",
            "FieldValueTooLong",
            id="too long without a limit",
        ),
        pytest.param(
            fielderror.too_many("a", 3, 2),
            "a: Too many: 3: must have at most 2 items",
            "FieldValueTooMany",
            id="too many",
        ),
        pytest.param(
            fielderror.too_many("a", 3, 1),
            "a: Too many: 3: must have at most 1 item",
            "FieldValueTooMany",
            id="one item",
        ),
        pytest.param(
            fielderror.too_many("a", -1, -1),
            "a: Too many: has too many items",
            "FieldValueTooMany",
            id="too many without numbers",
        ),
        pytest.param(
            fielderror.internal("a", "broken"),
            "a: Internal error: broken",
            "InternalError",
            id="internal shows no value",
        ),
    ],
)
def test_an_error_is_worded_as_kubernetes_does(error: FieldError, text: str, reason: str) -> None:
    assert str(error) == text
    field, _, body = text.partition(": ")
    assert error.cause == {"reason": reason, "message": body, "field": field}


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        pytest.param(None, "null", id="nothing"),
        pytest.param(True, "true", id="bool"),
        pytest.param(5, "5", id="integer"),
        pytest.param(1e6, "1e+06", id="float, not as JSON"),
        pytest.param([1e6], "[1000000]", id="float inside JSON"),
        pytest.param({"b": "<", "a": 1}, '{"a":1,"b":"\\u003c"}', id="map sorted, as JSON"),
        pytest.param(Struct(b=1, a=2), '{"b":1,"a":2}', id="struct in its own order"),
        pytest.param(Shown("{anything}"), "{anything}", id="written already"),
        pytest.param(fielderror.typed("<x>"), '"\\u003cx\\u003e"', id="text of a named type"),
    ],
)
def test_values_are_shown_as_go_does(value: Any, shown: str) -> None:
    assert fielderror.show(value) == shown


def test_a_cause_without_a_field_leaves_it_out() -> None:
    assert fielderror.required("").cause == {
        "reason": "FieldValueRequired",
        "message": "Required value",
    }


def test_one_error_stands_alone_and_several_in_brackets_each_once() -> None:
    one, other = fielderror.required("a"), fielderror.required("b")
    assert aggregate([one]) == "a: Required value"
    assert aggregate([one, one]) == "a: Required value"
    assert aggregate([one, other, one]) == "[a: Required value, b: Required value]"


def test_the_mark_of_an_omitted_value_says_what_it_is() -> None:
    assert repr(fielderror.OMITTED) == "OMITTED"
