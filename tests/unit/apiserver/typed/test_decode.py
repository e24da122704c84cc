"""An object comes out of decoding as Go would write it."""

from typing import Any

import pytest

from kedge.apiserver.kinds.schemas import schema_of_kind
from kedge.apiserver.typed.decode import IGNORE, decode
from kedge.apiserver.typed.zero import zero
from kedge.kube.goerror import GoError
from kedge.kube.schema import Schema


def schema(api_version: str, kind: str) -> Schema:
    found = schema_of_kind(api_version, kind)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("api_version", "kind", "obj", "expected"),
    [
        pytest.param("v1", "ConfigMap", {}, {"metadata": {}}, id="metadata is always there"),
        pytest.param(
            "v1",
            "ConfigMap",
            {"data": {}, "binaryData": None, "immutable": False},
            {"metadata": {}, "immutable": False},
            id="an empty map goes, a pointer to false stays",
        ),
        pytest.param(
            "v1",
            "ConfigMap",
            {"data": {"a": None}, "binaryData": {"b": None, "c": [1, 2]}},
            {"metadata": {}, "data": {"a": ""}, "binaryData": {"b": "", "c": "AQI="}},
            id="null in a map is the zero value",
        ),
        pytest.param(
            "rbac.authorization.k8s.io/v1",
            "Role",
            {"rules": []},
            {"metadata": {}, "rules": None},
            id="protobuf does not tell an empty list from none",
        ),
        pytest.param(
            "apps/v1",
            "Deployment",
            {"spec": {"replicas": 0, "template": {"spec": {"containers": [{"name": "c"}]}}}},
            {
                "metadata": {},
                "spec": {
                    "replicas": 0,
                    "selector": None,
                    "strategy": {},
                    "template": {
                        "metadata": {},
                        "spec": {"containers": [{"name": "c", "resources": {}}]},
                    },
                },
                "status": {},
            },
            id="structs that are no pointers",
        ),
        pytest.param(
            "v1",
            "Event",
            {"firstTimestamp": "2024-05-01T14:00:00.9+02:00", "eventTime": None},
            {
                "metadata": {},
                "involvedObject": {},
                "source": {},
                "firstTimestamp": "2024-05-01T12:00:00Z",
                "lastTimestamp": None,
                "eventTime": None,
                "reportingComponent": "",
                "reportingInstance": "",
            },
            id="times",
        ),
        pytest.param(
            "v1",
            "LimitRange",
            {"spec": {"limits": [{"type": "Container", "max": {"cpu": 1, "memory": "1024Mi"}}]}},
            {
                "metadata": {},
                "spec": {"limits": [{"type": "Container", "max": {"cpu": "1", "memory": "1Gi"}}]},
            },
            id="quantities",
        ),
        pytest.param(
            "apiextensions.k8s.io/v1",
            "CustomResourceDefinition",
            {"spec": {"versions": []}},
            {
                "metadata": {},
                "spec": {
                    "group": "",
                    "names": {"plural": "", "kind": ""},
                    "scope": "",
                    "versions": [],
                },
                "status": {
                    "conditions": None,
                    "acceptedNames": {"plural": "", "kind": ""},
                    "storedVersions": None,
                },
            },
            id="a CRD is stored as JSON, which knows an empty list",
        ),
    ],
)
def test_empty_values_go_and_structs_stay(
    api_version: str, kind: str, obj: dict[str, Any], expected: dict[str, Any]
) -> None:
    assert decode(schema(api_version, kind), obj).obj == expected


def test_zero_is_what_go_writes_for_an_object_that_nobody_filled() -> None:
    assert zero(schema("v1", "Service")) == {
        "metadata": {},
        "spec": {},
        "status": {"loadBalancer": {}},
    }


def test_each_zero_is_a_value_of_its_own() -> None:
    pod = schema("v1", "Pod")
    zero(pod)["spec"]["containers"] = []
    assert zero(pod)["spec"] == {"containers": None}


def test_a_doubled_object_grows_together() -> None:
    text = b'{"metadata":{"name":"a","labels":{"x":"1"}},"metadata":{"labels":{"y":"2"}}}'
    decoded = decode(schema("v1", "ConfigMap"), {"metadata": {"labels": {"y": "2"}}}, text)
    assert decoded.obj["metadata"] == {"name": "a", "labels": {"x": "1", "y": "2"}}
    assert decoded.strict == ['duplicate field "metadata"']


def test_the_letter_of_a_number_is_in_the_message() -> None:
    text = b'{"spec":{"replicas":1.50}}'
    with pytest.raises(GoError, match=r"number 1\.50 into Go struct field DeploymentSpec\.spec"):
        decode(schema("apps/v1", "Deployment"), {"spec": {"replicas": 1.5}}, text)


def test_unknown_fields_go_in_silence_when_told_to() -> None:
    decoded = decode(schema("v1", "ConfigMap"), {"foo": 1}, b'{"foo":1}', IGNORE)
    assert (decoded.obj, decoded.strict) == ({"metadata": {}}, [])


def test_at_most_a_hundred_complaints_are_kept() -> None:
    obj = {f"x{number}": 1 for number in range(150)}
    assert len(decode(schema("v1", "ConfigMap"), obj).strict) == 100


def test_the_schema_of_a_list_is_decoded_in_its_unions() -> None:
    inner = {"type": "array", "items": {"type": "string", "foo": 1}}
    version = {"name": "v1", "schema": {"openAPIV3Schema": inner}}
    decoded = decode(
        schema("apiextensions.k8s.io/v1", "CustomResourceDefinition"),
        {"spec": {"versions": [version]}},
    )
    found = decoded.obj["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    assert found == {"type": "array", "items": {"type": "string"}}
    assert decoded.strict == []
