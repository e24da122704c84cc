from typing import Any

import pytest

from kedge.apiserver.crd import scalepath
from kedge.kube.errors import BadRequest, InternalError
from tests.unit.apiserver.crd.samples import thing

PATHS = {
    "specReplicasPath": ".spec.deep.n",
    "statusReplicasPath": ".status.n",
    "labelSelectorPath": ".status.selector",
}


def sized(replicas: Any, **status: Any) -> dict[str, Any]:
    return thing({"deep": {"n": replicas}}, status=status)


def test_a_scale_shows_replicas_and_selector() -> None:
    obj = sized(3, n=2, selector="a=b")
    obj["metadata"] |= {"uid": "u", "labels": {"x": "y"}}
    assert scalepath.scale_of(obj, PATHS) == {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {"name": "a", "namespace": "default", "uid": "u"},
        "spec": {"replicas": 3},
        "status": {"replicas": 2, "selector": "a=b"},
    }


def test_an_object_without_replicas_has_no_scale() -> None:
    with pytest.raises(
        InternalError, match=r'the spec replicas field ".spec.deep.n" does not exist'
    ):
        scalepath.scale_of(thing({}), PATHS)


def test_replicas_are_written_to_a_copy() -> None:
    obj = sized(3)
    asked = {"metadata": {"resourceVersion": "7"}, "spec": {"replicas": 5}}
    new = scalepath.with_replicas(obj, PATHS, asked, True)
    assert new["spec"] == {"deep": {"n": 5}}
    assert new["metadata"]["resourceVersion"] == "7"
    assert obj["spec"] == {"deep": {"n": 3}}
    assert scalepath.with_replicas(thing({}), PATHS, asked, False)["spec"] == {"deep": {"n": 5}}


def test_replicas_that_were_never_there_must_be_given() -> None:
    with pytest.raises(BadRequest, match="cannot be empty"):
        scalepath.with_replicas(thing({}), PATHS, {"spec": {}}, False)


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        pytest.param(sized(1), [], id="fine"),
        pytest.param(sized(-1), ["should be a non-negative integer"], id="negative"),
        pytest.param(sized(2**31), ["should be less than or equal to 2147483647"], id="too many"),
        pytest.param(
            sized("x"),
            [".spec.deep.n accessor error: x is of the type string, expected int64"],
            id="no number",
        ),
        pytest.param(
            thing({"deep": [1]}),
            [
                ".spec.deep.n accessor error: [1] is of the type []interface {}, "
                "expected map[string]interface{}"
            ],
            id="no object",
        ),
    ],
)
def test_replicas_must_be_a_small_number(obj: dict[str, Any], expected: list[str]) -> None:
    assert [error.detail for error in scalepath.validate_spec(obj, PATHS)] == expected


def test_the_selector_must_be_a_text() -> None:
    found = scalepath.validate_status(sized(1, selector=5), PATHS)
    assert [str(error) for error in found] == [
        '.status.selector: Invalid value: "": .status.selector accessor error: 5 is of the type '
        "int64, expected string"
    ]
