from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.kube.errors import BadRequest, Invalid
from kedge.kube.patch.merge import check_merge_patch, check_object, merge, without_nulls
from tests.unit.kube.patch.json_values import SCALARS, objects, values
from tests.unit.kube.recorded import rows

SOLID = SCALARS.filter(lambda value: value is not None)


def difference(old: dict[str, Any], new: dict[str, Any]) -> dict[str, Any]:
    """Make the merge patch that turns one object into another."""
    patch: dict[str, Any] = {key: None for key in old if key not in new}
    for key, value in new.items():
        if key not in old:
            patch[key] = value
        elif isinstance(value, dict) and isinstance(old[key], dict):
            patch[key] = difference(old[key], value)
        elif old[key] != value or type(old[key]) is not type(value):
            patch[key] = value
    return patch


@given(objects(SOLID), objects(SOLID))
def test_any_change_can_be_told_by_a_merge_patch(old: dict[str, Any], new: dict[str, Any]) -> None:
    assert merge(old, difference(old, new)) == new


@given(values(), objects())
def test_neither_target_nor_patch_is_changed(target: Any, patch: dict[str, Any]) -> None:
    before = deepcopy((target, patch))
    merge(target, patch)
    assert (target, patch) == before


def solid_lists(patch: Any) -> Any:
    """Leave out null fields inside lists: they stay or go by what the list takes the place of."""
    if isinstance(patch, dict):
        return {key: solid_lists(item) for key, item in patch.items()}
    return without_nulls(patch)


@given(objects(), objects().map(solid_lists))
def test_a_patch_applied_twice_does_what_it_does_once(
    target: dict[str, Any], patch: dict[str, Any]
) -> None:
    once = merge(target, patch)
    assert merge(once, patch) == once


@given(objects())
def test_an_empty_patch_changes_nothing(target: dict[str, Any]) -> None:
    assert merge(target, {}) == target


@given(values(), st.booleans() | st.integers() | st.text())
def test_a_scalar_takes_the_place_of_anything(target: Any, patch: Any) -> None:
    assert merge(target, patch) == patch


@pytest.mark.parametrize(
    ("target", "patch", "result"),
    [
        # The examples of RFC 7386.
        ({"a": "b"}, {"a": "c"}, {"a": "c"}),
        ({"a": "b"}, {"b": "c"}, {"a": "b", "b": "c"}),
        ({"a": "b"}, {"a": None}, {}),
        ({"a": "b", "b": "c"}, {"a": None}, {"b": "c"}),
        ({"a": ["b"]}, {"a": "c"}, {"a": "c"}),
        ({"a": "c"}, {"a": ["b"]}, {"a": ["b"]}),
        ({"a": {"b": "c"}}, {"a": {"b": "d", "c": None}}, {"a": {"b": "d"}}),
        ({"a": [{"b": "c"}]}, {"a": [1]}, {"a": [1]}),
        (["a", "b"], ["c", "d"], ["c", "d"]),
        ({"a": "b"}, ["c"], ["c"]),
        ({"a": "foo"}, "bar", "bar"),
        ({"e": None}, {"a": 1}, {"e": None, "a": 1}),
        ([1, 2], {"a": "b", "c": None}, {"a": "b"}),
        ({}, {"a": {"bb": {"ccc": None}}}, {"a": {"bb": {}}}),
        # What Kubernetes does with nulls inside lists.
        ({}, {"a": [{"b": None}, None]}, {"a": [{}, None]}),
        ({"a": [1]}, {"a": [{"b": None}]}, {"a": [{}]}),
        ({"a": {}}, {"a": [{"b": None}]}, {"a": [{"b": None}]}),
    ],
)
def test_the_result_of_a_merge(target: Any, patch: Any, result: Any) -> None:
    assert merge(target, patch) == result


def test_kubernetes_merges_the_same_way() -> None:
    for target, patch, result in rows("merges"):
        assert merge(target, patch) == result, (target, patch)


def test_what_does_not_change_is_shared() -> None:
    target = {"spec": {"a": 1}, "status": {"b": 2}}
    result = merge(target, {"spec": {"a": 2}})
    assert result["status"] is target["status"]


@given(values())
def test_no_null_field_is_left_at_any_depth(value: Any) -> None:
    def nulls(part: Any) -> bool:
        if isinstance(part, dict):
            return any(item is None or nulls(item) for item in part.values())
        return isinstance(part, list) and any(map(nulls, part))

    assert not nulls(without_nulls(value))


@pytest.mark.parametrize(
    ("patch", "strict", "message"),
    [
        (
            [],
            True,
            "error decoding patch: json: cannot unmarshal array into Go value of type "
            "map[string]interface {}",
        ),
        (
            "x",
            True,
            "error decoding patch: json: cannot unmarshal string into Go value of type "
            "map[string]interface {}",
        ),
        (None, True, "Invalid JSON Patch"),
        (None, False, "Invalid JSON Patch"),
        (5, False, "Invalid JSON Patch"),
    ],
)
def test_a_patch_that_is_no_object_is_refused(patch: Any, strict: bool, message: str) -> None:
    with pytest.raises(BadRequest) as raised:
        check_merge_patch(patch, strict=strict)
    assert raised.value.message == message


def test_an_object_passes() -> None:
    patch = {"a": 1}
    assert check_merge_patch(patch) is patch
    assert check_object(patch) is patch


def test_a_list_in_place_of_the_object_is_invalid() -> None:
    with pytest.raises(Invalid) as raised:
        check_merge_patch([{"a": None}], strict=False)
    assert raised.value.message == (
        ' "" is invalid: patch: Invalid value: "[{}]": '
        "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value "
        "of type struct { APIVersion string "
        '"json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
    )
