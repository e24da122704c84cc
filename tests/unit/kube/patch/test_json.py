from contextlib import suppress
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.kube.errors import BadRequest, Invalid, TooLarge
from kedge.kube.patch.json import (
    OPERATIONS_LIMIT,
    JsonPatchError,
    apply_json_patch,
    check_json_patch,
)
from tests.unit.kube.patch.json_values import objects, values
from tests.unit.kube.recorded import rows

Operations = list[dict[str, Any]]


def difference(old: Any, new: Any, path: str = "") -> Operations:
    """Make the operations that turn one object into another."""
    if isinstance(old, dict) and isinstance(new, dict):
        steps: Operations = []
        for key in old.keys() | new.keys():
            step = f"{path}/{key.replace('~', '~0').replace('/', '~1')}"
            if key not in new:
                steps.append({"op": "remove", "path": step})
            elif key not in old:
                steps.append({"op": "add", "path": step, "value": new[key]})
            else:
                steps += difference(old[key], new[key], step)
        return steps
    if old == new and type(old) is type(new):
        return []
    return [{"op": "replace", "path": path, "value": new}]


@given(objects(), objects())
def test_any_change_can_be_told_by_a_json_patch(old: dict[str, Any], new: dict[str, Any]) -> None:
    assert apply_json_patch(old, difference(old, new)) == new


POINTERS = st.lists(
    st.sampled_from(["a", "b", "c", "0", "1", "-", "-1", "x~1y", ""]), max_size=3
).map(lambda parts: "".join(f"/{part}" for part in parts))
STEPS = st.lists(
    st.fixed_dictionaries(
        {"op": st.sampled_from(["add", "remove", "replace", "move", "copy", "test"])},
        optional={"path": POINTERS, "from": POINTERS, "value": values()},
    ),
    max_size=4,
)


@given(objects(), STEPS)
def test_neither_document_nor_patch_is_changed(doc: dict[str, Any], steps: Operations) -> None:
    before = deepcopy((doc, steps))
    with suppress(Invalid):
        first = apply_json_patch(doc, steps)
        assert apply_json_patch(doc, steps) == first
    assert (doc, steps) == before


@given(objects())
def test_a_document_equals_itself_and_a_copy_of_it_can_be_made_inside(
    doc: dict[str, Any],
) -> None:
    solid = {key: value for key, value in doc.items() if value is not None}
    steps: Operations = [{"op": "test", "path": "", "value": deepcopy(solid)}]
    assert apply_json_patch(solid, steps) == solid
    if solid:
        key = next(iter(solid)).replace("~", "~0").replace("/", "~1")
        copied = apply_json_patch(solid, [{"op": "copy", "from": f"/{key}", "path": "/new"}])
        assert copied["new"] == next(iter(solid.values()))


def outcome(doc: dict[str, Any], steps: Operations) -> tuple[bool, Any]:
    try:
        return True, apply_json_patch(doc, steps)
    except Invalid:
        return False, None


def test_kubernetes_applies_operations_the_same_way() -> None:
    for doc, steps, error, result in rows("operations"):
        assert outcome(doc, steps) == (not error, result), (doc, steps)


@pytest.mark.parametrize(
    ("doc", "step", "result"),
    [
        ({"a": [1, 2]}, {"op": "add", "path": "/a/1", "value": 9}, {"a": [1, 9, 2]}),
        ({"a": [1, 2]}, {"op": "add", "path": "/a/-", "value": 9}, {"a": [1, 2, 9]}),
        ({"a": [1, 2]}, {"op": "add", "path": "/a/-1", "value": 9}, {"a": [1, 2, 9]}),
        ({"a": [1, 2]}, {"op": "remove", "path": "/a/-1"}, {"a": [1]}),
        ({"a": [1, 2]}, {"op": "replace", "path": "/a/-2", "value": 9}, {"a": [9, 2]}),
        ({}, {"op": "replace", "path": "/a", "value": 1}, {"a": 1}),
        ({}, {"op": "add", "path": "/a"}, {"a": None}),
        ({"a": 1}, {"op": "replace", "path": "/a"}, {"a": None}),
        ({}, {"op": "copy", "from": "/a", "path": "/b"}, {"b": None}),
        ({"a": 1}, {"op": "move", "from": "/a", "path": "/b"}, {"b": 1}),
        ({"a": {"b": 1}}, {"op": "copy", "from": "/a", "path": "/a/c"}, None),
        ({"a~/": 1}, {"op": "remove", "path": "/a~0~1"}, {}),
        ({"a": 1}, {"op": "remove", "path": "ignored/a"}, {}),
        ({"": 1}, {"op": "remove", "path": "/"}, {}),
        ({"a": 1}, {"op": "replace", "path": "", "value": {"b": 2}}, {"b": 2}),
        ({"a": 1}, {"op": "replace", "path": "", "value": 5}, {"a": 1}),
        ({"a": 1}, {"op": "test", "path": "/a", "value": 1}, {"a": 1}),
        ({"a": None}, {"op": "test", "path": "/a", "value": None}, {"a": None}),
        ({}, {"op": "test", "path": "/a", "value": None}, {}),
    ],
)
def test_the_result_of_an_operation(
    doc: dict[str, Any], step: dict[str, Any], result: dict[str, Any] | None
) -> None:
    expected = {"a": {"b": 1, "c": {"b": 1}}} if result is None else result
    assert apply_json_patch(doc, [step]) == expected


@pytest.mark.parametrize(
    ("step", "told"),
    [
        (
            {"op": "add", "path": "/x/y", "value": 1},
            'add operation does not apply: doc is missing path: "/x/y": missing value',
        ),
        (
            {"op": "add", "path": "", "value": 1},
            'add operation does not apply: doc is missing path: "": missing value',
        ),
        (
            {"op": "add", "path": "/list/9", "value": 1},
            "error in add for path: '/list/9': Unable to access invalid index: 9: invalid index "
            "referenced",
        ),
        (
            {"op": "add", "path": "/list/x", "value": 1},
            'strconv.Atoi: parsing "x": invalid syntax',
        ),
        (
            {"op": "remove", "path": "/x"},
            "error in remove for path: '/x': Unable to remove nonexistent key: x: missing value",
        ),
        (
            {"op": "replace", "path": "/list/9", "value": 1},
            "replace operation does not apply: doc is missing key: /list/9: Unable to access "
            "invalid index: 9: invalid index referenced",
        ),
        ({"op": "replace", "path": ""}, "replace operation has no value"),
        ({"op": "test", "path": "/a", "value": 2}, "testing value /a failed: test failed"),
        ({"op": "test", "path": "/a", "value": 1.0}, "testing value /a failed: test failed"),
        ({"op": "test", "path": "/a", "value": True}, "testing value /a failed: test failed"),
        ({"op": "test", "path": "/a"}, "testing value /a failed: test failed"),
        ({"op": "test", "path": "/a/b", "value": 1}, None),
        ({"op": "move", "from": "", "path": "/b"}, None),
        ({"op": "bogus"}, "Unexpected kind: bogus"),
        ({}, "Unexpected kind: unknown"),
        (None, "Unexpected kind: unknown"),
        ({"op": "add"}, "add operation failed to decode path: missing value"),
        ({"op": "copy", "path": "/b"}, "copy operation failed to decode from: missing value"),
    ],
)
def test_an_operation_that_does_not_apply_is_invalid_without_a_reason(
    step: dict[str, Any] | None, told: str | None
) -> None:
    with pytest.raises(Invalid) as raised:
        apply_json_patch({"a": 1, "list": [1]}, [step])
    error = raised.value
    assert error.message == "the server rejected our request due to an error in our request"
    assert (error.code, error.details) == (422, {})
    assert isinstance(error.__cause__, JsonPatchError)
    assert told is None or str(error.__cause__) == told


def test_operations_see_what_those_before_them_did() -> None:
    steps: Operations = [
        {"op": "add", "path": "/a", "value": {"b": []}},
        {"op": "add", "path": "/a/b/-", "value": 1},
        {"op": "copy", "from": "/a", "path": "/c"},
        {"op": "add", "path": "/a/b/-", "value": 2},
        {"op": "test", "path": "/c", "value": {"b": [1]}},
        {"op": "move", "from": "/a/b/0", "path": "/first"},
    ]
    assert apply_json_patch({}, steps) == {"a": {"b": [2]}, "c": {"b": [1]}, "first": 1}


def test_what_does_not_change_is_shared() -> None:
    doc = {"spec": {"a": 1}, "status": {"b": 2}}
    result = apply_json_patch(doc, [{"op": "add", "path": "/spec/c", "value": 1}])
    assert result["status"] is doc["status"]
    assert apply_json_patch(doc, None) is doc
    assert apply_json_patch(doc, [{"op": "test", "path": "/spec/a", "value": 1}]) is doc


def test_copies_may_not_grow_the_document_without_bound() -> None:
    steps = [{"op": "copy", "from": "/a", "path": f"/{n}"} for n in range(4)]
    with pytest.raises(Invalid) as raised:
        apply_json_patch({"a": "x" * (1024 * 1024)}, steps)
    assert str(raised.value.__cause__) == (
        "Unable to complete the copy, the accumulated size increase of copy is 3145734, exceeding "
        "the limit 3145728"
    )


@pytest.mark.parametrize(
    ("patch", "strict", "message"),
    [
        (
            {},
            True,
            "error decoding patch: json: cannot unmarshal object into Go value of type "
            "[]handlers.jsonPatchOp",
        ),
        (
            [1],
            True,
            "error decoding patch: json: cannot unmarshal number into Go value of type "
            "handlers.jsonPatchOp",
        ),
        (
            [{"op": "add", "path": 1}],
            True,
            "error decoding patch: json: cannot unmarshal number into Go struct field "
            "jsonPatchOp.path of type string",
        ),
        ({}, False, "json: cannot unmarshal object into Go value of type jsonpatch.Patch"),
        (["x"], False, "json: cannot unmarshal string into Go value of type jsonpatch.Operation"),
    ],
)
def test_what_is_no_list_of_operations_is_refused(patch: Any, strict: bool, message: str) -> None:
    with pytest.raises(BadRequest) as raised:
        check_json_patch(patch, strict=strict)
    assert raised.value.message == message


def test_unknown_fields_of_operations_are_reported() -> None:
    patch = [{"op": "add", "foo": 1, "Path": ""}, None, {"bar": 1}]
    assert check_json_patch(patch) == [
        'json patch unknown field "[0].foo"',
        'json patch unknown field "[0].Path"',
        'json patch unknown field "[2].bar"',
    ]
    assert check_json_patch(patch, strict=False) == []
    assert check_json_patch(None) == []


def test_too_many_operations_are_too_large() -> None:
    with pytest.raises(TooLarge) as raised:
        check_json_patch([{}] * (OPERATIONS_LIMIT + 1))
    assert raised.value.message == (
        "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got "
        "10001"
    )
