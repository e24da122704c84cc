from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.kube.errors import ApiError, BadRequest, Invalid, UnknownError
from kedge.kube.patch.strategic import strategic
from kedge.kube.schema import Schema
from tests.unit.kube.patch.kinds import KINDS, atomic, free, merged, struct, text
from tests.unit.kube.recorded import rows

Object = dict[str, Any]
POD = KINDS["Pod"]

NAMES = st.sampled_from(["a", "b", "c", "d"])
VARIABLES = st.builds(lambda name, value: {"name": name, "value": value}, NAMES, NAMES)


def distinct(items: st.SearchStrategy[Object]) -> st.SearchStrategy[list[Object]]:
    return st.lists(items, max_size=4, unique_by=lambda item: item["name"])


CONTAINERS = st.builds(
    lambda name, image, env: {"name": name, "image": image, "env": env},
    NAMES,
    NAMES,
    distinct(VARIABLES),
)
PODS = st.builds(
    lambda labels, finalizers, containers: {
        "metadata": {"labels": labels, "finalizers": finalizers},
        "spec": {"containers": containers},
    },
    st.dictionaries(NAMES, NAMES),
    st.lists(NAMES, unique=True, max_size=4),
    distinct(CONTAINERS),
)


def difference(old: Object, new: Object, schema: Schema) -> Object:
    """Make the strategic merge patch that turns one object into another."""
    patch: Object = {key: None for key in old if key not in new}
    for key, value in new.items():
        field = (schema.additional or Schema()) if schema.is_map else schema.fields[key]
        if key not in old:
            patch[key] = value
        elif isinstance(value, dict):
            patch[key] = difference(old[key], value, field)
        elif isinstance(value, list) and field.patch_strategy and old[key] and value:
            patch.update(list_difference(key, old[key], value, field))
        elif value != old[key]:
            patch[key] = None if value == [] else value
    return {key: value for key, value in patch.items() if value != {}}


def list_difference(key: str, old: list[Any], new: list[Any], field: Schema) -> Object:
    name = field.merge_key
    if not name:
        return {
            key: [item for item in new if item not in old],
            f"$setElementOrder/{key}": new,
            f"$deleteFromPrimitiveList/{key}": [item for item in old if item not in new],
        }
    known, kept = {item[name]: item for item in old}, {item[name] for item in new}
    changed = [
        {**difference(known[item[name]], item, field.items or Schema()), name: item[name]}
        if item[name] in known
        else item
        for item in new
    ]
    gone = [{name: each, "$patch": "delete"} for each in known if each not in kept]
    order = [{name: item[name]} for item in new]
    return {key: changed + gone, f"$setElementOrder/{key}": order}


def without_empty(obj: Any) -> Any:
    """Leave out empty lists, which a patch takes away."""
    if isinstance(obj, dict):
        return {key: without_empty(item) for key, item in obj.items() if item != []}
    return [without_empty(item) for item in obj] if isinstance(obj, list) else obj


@given(PODS, PODS)
def test_any_change_can_be_told_by_a_strategic_patch(old: Object, new: Object) -> None:
    assert without_empty(strategic(old, difference(old, new, POD), POD)) == without_empty(new)


@given(PODS, PODS)
def test_the_target_is_not_changed(old: Object, new: Object) -> None:
    patch = difference(old, new, POD)
    before = deepcopy(old)
    strategic(old, patch, POD)
    assert old == before


def test_what_directives_say_is_taken_out_of_the_patch() -> None:
    patch = {
        "metadata": {"labels": {"a": None, "b": "c"}},
        "spec": {
            "$setElementOrder/containers": [{"name": "b"}, {"name": "a"}],
            "containers": [{"name": "b"}, {"name": "a"}],
            "restartPolicy": "Never",
        },
    }
    strategic({"metadata": {}, "spec": {"containers": []}}, patch, POD)
    assert patch == {"metadata": {"labels": {"b": "c"}}, "spec": {"restartPolicy": "Never"}}


@given(PODS, PODS)
def test_a_plain_patch_applied_twice_does_what_it_does_once(old: Object, patch: Object) -> None:
    once = strategic(old, patch, POD)
    assert strategic(once, patch, POD) == once


def outcome(kind: str, target: Object, patch: Object) -> tuple[str, Object | None]:
    try:
        return "", strategic(target, patch, KINDS[kind])
    except ApiError as error:
        return str(error.__cause__), None


def test_kubernetes_merges_the_same_way() -> None:
    for kind, target, patch, *expected in rows("strategic"):
        assert [*outcome(kind, target, patch)] == expected, (target, patch)


def containers(*items: Object) -> Object:
    return {"spec": {"containers": list(items)}}


A, B, C = ({"name": name, "image": "x"} for name in "abc")


@pytest.mark.parametrize(
    ("target", "patch", "result"),
    [
        pytest.param(
            containers(A, B),
            containers({"name": "b", "image": "y"}),
            containers(A, {"name": "b", "image": "y"}),
            id="objects are merged by key",
        ),
        pytest.param(containers(A), containers(B), containers(B, A), id="what is new comes first"),
        pytest.param(
            containers(A, B),
            containers({"name": "a", "$patch": "delete"}),
            containers(B),
            id="one is deleted",
        ),
        pytest.param(
            containers(A, B),
            containers({"$patch": "replace"}, C),
            containers(C),
            id="the list is replaced",
        ),
        pytest.param(
            containers(A),
            {"spec": {"$patch": "replace", "nodeSelector": {"a": "b"}}},
            {"spec": {"nodeSelector": {"a": "b"}}},
            id="an object is replaced",
        ),
        pytest.param(
            containers(A), {"spec": {"$patch": "delete"}}, {"spec": {}}, id="an object is emptied"
        ),
        pytest.param(
            containers(A, B, C),
            {
                "spec": {
                    "containers": [{"name": "c", "image": "y"}],
                    "$setElementOrder/containers": [{"name": "c"}, {"name": "a"}],
                }
            },
            containers(B, {"name": "c", "image": "y"}, A),
            id="the order is told, others keep their place",
        ),
        pytest.param(
            {"metadata": {"finalizers": ["a", "b", "c"]}},
            {
                "metadata": {
                    "$deleteFromPrimitiveList/finalizers": ["b"],
                    "$setElementOrder/finalizers": ["c", "a"],
                }
            },
            {"metadata": {"finalizers": ["c", "a"]}},
            id="plain items are deleted and ordered",
        ),
        pytest.param(
            {"metadata": {"finalizers": ["a"]}},
            {"metadata": {"finalizers": ["b", "a"]}},
            {"metadata": {"finalizers": ["b", "a"]}},
            id="plain items are a set",
        ),
        pytest.param(
            {"spec": {"tolerations": [{"key": "a"}]}},
            {"spec": {"tolerations": [{"key": "b"}]}},
            {"spec": {"tolerations": [{"key": "b"}]}},
            id="a list without a strategy is replaced",
        ),
        pytest.param(
            {"metadata": {"labels": {"a": "b", "c": "d"}}},
            {"metadata": {"labels": {"a": None, "e": "f"}, "annotations": {"x": None}}},
            {"metadata": {"labels": {"c": "d", "e": "f"}, "annotations": {}}},
            id="null takes away",
        ),
        pytest.param(
            {"spec": {"volumes": [{"name": "a", "emptyDir": {}}]}},
            {
                "spec": {
                    "volumes": [
                        {
                            "name": "a",
                            "secret": {"secretName": "s"},
                            "$retainKeys": ["name", "secret"],
                        }
                    ]
                }
            },
            {"spec": {"volumes": [{"name": "a", "secret": {"secretName": "s"}}]}},
            id="keys that are not retained go",
        ),
        pytest.param(
            {},
            {"spec": {"containers": [A, {"name": "b", "$patch": "delete"}]}},
            containers(A),
            id="directives without a target are left out",
        ),
        pytest.param(
            {}, {"spec": {"$patch": "replace", "x": 1}}, {}, id="an object with a directive, too"
        ),
        pytest.param(
            {"status": {"x": 1}},
            {"status": {"$deleteFromPrimitiveList/none": ["a"]}},
            {"status": {"x": 1}},
            id="nothing to delete from",
        ),
    ],
)
def test_the_result_of_a_strategic_merge(target: Object, patch: Object, result: Object) -> None:
    assert strategic(target, patch, POD) == result


@pytest.mark.parametrize(
    ("target", "patch", "message"),
    [
        (
            containers(A),
            containers({"image": "y"}),
            "map: map[image:y] does not contain declared merge key: name",
        ),
        (
            containers({"image": "y"}),
            containers(A),
            "map: map[image:y] does not contain declared merge key: name",
        ),
        (
            {"spec": {}},
            {"spec": {"$patch": "bogus"}},
            "unknown patch type: bogus in map: map[$patch:bogus]",
        ),
        (
            {"spec": {}},
            {"spec": {"$patch": 1.5}},
            "unknown patch type: %!s(float64=1.5) in map: map[$patch:1.5]",
        ),
        (
            containers(A),
            containers({"name": "a", "$patch": "merge"}),
            "merging lists cannot yet be specified in the patch",
        ),
        (
            containers(A),
            containers({"name": "a", "$patch": "x"}),
            "unknown patch type: x in map: map[$patch:x name:a]",
        ),
        (
            containers(A),
            {"spec": {"containers": ["x"]}},
            "list element types are not identical: [[map[image:x name:a]] [x]]",
        ),
        (
            {"metadata": {"labels": {"a": {}}}},
            {"metadata": {"labels": {"a": {}}}},
            "merging an object in json but data type is not struct, instead is: map",
        ),
        (
            {"spec": {"zzz": {}}},
            {"spec": {"zzz": {}}},
            'unable to find api field in struct PodSpec for the json field "zzz"',
        ),
        (
            {"spec": {"nodeSelector": [1]}},
            {"spec": {"nodeSelector": [1]}},
            "expected slice or array type, but got: struct",
        ),
        (
            {"spec": {}},
            {"spec": {"$setElementOrder/containers": {}}},
            "expected a []interface {}, but received a map[string]interface {}",
        ),
        (
            {"spec": {"containers": "x"}},
            {"spec": {"$setElementOrder/containers": []}},
            "expected a []interface {}, but received a string",
        ),
        (
            {"spec": {}},
            {"spec": {"$setElementOrder/containers": [{"name": "b"}], "containers": [A]}},
            "The order in patch list:\n[map[image:x name:a]]\n doesn't match $setElementOrder "
            "list:\n[map[name:b]]\n",
        ),
        (
            {"spec": {"containers": []}},
            {"spec": {"$setElementOrder/containers": []}},
            "no elements in any of the given slices",
        ),
        (
            containers(A, B),
            {"spec": {"$setElementOrder/containers": ["x"]}},
            "value for key 0 is not a map",
        ),
        (
            {"spec": {"tolerations": [{"key": "a"}]}},
            {"spec": {"$setElementOrder/tolerations": []}},
            "map: map[key:a] does not contain declared merge key: ",
        ),
        (
            {"spec": {}},
            {"spec": {"containers": ["x"], "$setElementOrder/containers": [{"name": "a"}]}},
            "expected a map[string]interface {}, but received a string",
        ),
        (
            {"metadata": {"finalizers": ["x"]}},
            {"metadata": {"finalizers": [None]}},
            "list element types are not identical: [[x] [<nil>]]",
        ),
    ],
)
def test_most_errors_have_no_code_of_their_own(target: Object, patch: Object, message: str) -> None:
    with pytest.raises(UnknownError) as raised:
        strategic(target, patch, POD)
    assert raised.value.message == message
    assert (raised.value.code, raised.value.reason) == (500, "")


@pytest.mark.parametrize(
    ("patch", "message"),
    [
        ({"$retainKeys": "x"}, "invalid patch format of retainKeys"),
        ({"$retainKeys": ["a"], "b": 1}, "invalid patch format of retainKeys"),
        ({"$setElementOrder": []}, "invalid patch format of setElementOrder list"),
        ({"$deleteFromPrimitiveList": []}, "invalid patch format of primitive list"),
        ({"$deleteFromPrimitiveListX/a": []}, "invalid patch format of primitive list"),
    ],
)
def test_badly_written_directives_are_bad_requests(patch: Object, message: str) -> None:
    with pytest.raises(BadRequest) as raised:
        strategic({}, patch, POD)
    assert raised.value.message == message


def test_lists_of_lists_are_invalid() -> None:
    with pytest.raises(Invalid) as raised:
        strategic({"metadata": {"finalizers": [["a"]]}}, {"metadata": {"finalizers": [["b"]]}}, POD)
    assert raised.value.message == (
        "the server rejected our request due to an error in our request"
    )
    assert str(raised.value.__cause__) == "lists of lists are not supported"


def test_a_list_of_objects_needs_a_key_to_be_merged() -> None:
    schema = struct("Kind", plain=merged(text()), objects=merged(struct("Item", a=text())))
    for name, kind in (("plain", "string"), ("objects", "struct")):
        with pytest.raises(UnknownError) as raised:
            strategic({name: [{"a": 1}]}, {name: [{"a": 2}]}, schema)
        assert raised.value.message == f"cannot merge lists without merge key for {kind}"


def test_an_object_may_be_replaced_by_its_strategy() -> None:
    field = struct("Part", a=text(), b=text())
    field.patch_strategy = "replace"
    schema = struct("Kind", part=field)
    assert strategic({"part": {"a": "1"}}, {"part": {"b": "2"}}, schema) == {"part": {"b": "2"}}


def test_what_may_be_anything_can_not_be_merged_deeper() -> None:
    schema = struct("Kind", any=Schema())
    with pytest.raises(UnknownError) as raised:
        strategic({"any": {"a": {}}}, {"any": {"a": {}}}, schema)
    assert raised.value.message.endswith("instead is: interface")


def test_a_type_that_reads_its_own_json_has_no_fields() -> None:
    schema = struct("Kind", raw=Schema("object", go_type="runtime.RawExtension"))
    with pytest.raises(UnknownError, match="in struct RawExtension for the json field"):
        strategic({"raw": {"a": {}}}, {"raw": {"a": {}}}, schema)


def test_the_case_of_a_field_name_does_not_matter() -> None:
    schema = struct("Kind", theList=merged(text()), theMap=free(), other=atomic(text()))
    result = strategic({"THELIST": ["a"]}, {"THELIST": ["b"]}, schema)
    assert result == {"THELIST": ["b", "a"]}


def test_a_deletion_of_nothing_deletes_the_list() -> None:
    target = {"metadata": {"finalizers": ["a"]}}
    patch = {"metadata": {"$deleteFromPrimitiveList/finalizers": None}}
    assert strategic(target, patch, POD) == {"metadata": {}}


def test_duplicates_are_removed_by_any_merge() -> None:
    target = {"metadata": {"finalizers": ["a", "a", "b", "c"]}}
    result = strategic(target, {"metadata": {"finalizers": []}}, POD)
    assert result == {"metadata": {"finalizers": ["a", "c", "b"]}}


def test_items_without_a_place_in_the_order_go_before_their_neighbours() -> None:
    patch = {"spec": {"containers": [A, B, C], "$setElementOrder/containers": []}}
    assert strategic({"spec": {}}, patch, POD) == containers(C, B, A)


def test_what_does_not_change_is_shared() -> None:
    target = containers(A, B)
    result = strategic(target, {"metadata": {"labels": {"a": "b"}}}, POD)
    assert result["spec"] is target["spec"]
    changed = strategic(target, containers({"name": "a", "image": "y"}), POD)
    assert changed["spec"]["containers"][1] is target["spec"]["containers"][1]
