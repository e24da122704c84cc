"""Objects that a strategic merge patch made are put into their types by rules of their own."""

from typing import Any

import pytest

from kedge.apiserver.kinds.schemas import schema_of_kind
from kedge.apiserver.typed.convert import convert
from kedge.kube.goerror import GoError
from kedge.kube.schema import Schema


def deployment() -> Schema:
    found = schema_of_kind("apps/v1", "Deployment")
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ({"replicas": "x"}, "unrecognized type: int32"),
        ({"replicas": 1.5}, "cannot convert float64 to int32"),
        ({"paused": 1}, "unrecognized type: bool"),
        ({"strategy": "x"}, "cannot restore struct from: string"),
        ({"strategy": {"type": 1}}, "cannot convert int64 to v1.DeploymentStrategyType"),
        ({"strategy": {"type": 1.5}}, "unrecognized type: string"),
        ({"selector": {"matchLabels": []}}, "cannot restore map from slice"),
        ({"template": {"spec": {"volumes": {}}}}, "cannot restore slice from map"),
        (
            {"strategy": {"rollingUpdate": {"maxSurge": True}}},
            "json: cannot unmarshal bool into Go value of type int32",
        ),
    ],
)
def test_what_does_not_fit_is_refused(spec: dict[str, Any], message: str) -> None:
    with pytest.raises(GoError) as caught:
        convert(deployment(), {"spec": spec})
    assert caught.value.text == message


@pytest.mark.parametrize(
    ("replicas", "expected"), [(2.0, 2), (3_000_000_000, -1_294_967_296), (-1, -1)]
)
def test_numbers_are_converted_as_go_converts_them(replicas: float, expected: int) -> None:
    decoded = convert(deployment(), {"spec": {"replicas": replicas}})
    assert decoded.obj["spec"]["replicas"] == expected


def test_unknown_fields_are_sorted_and_pass_over_the_keys_of_maps() -> None:
    spec = {"zoo": 1, "template": {"spec": {"containers": [{"name": "c", "foo": 1}]}}}
    decoded = convert(deployment(), {"spec": spec, "ant": 1})
    assert decoded.strict == [
        'unknown field "ant"',
        'unknown field "spec.template.spec.containers[0].foo"',
        'unknown field "spec.zoo"',
    ]


def test_bytes_may_come_as_numbers_or_text() -> None:
    secret = schema_of_kind("v1", "Secret")
    assert secret is not None
    decoded = convert(secret, {"data": {"a": [1, 2], "b": "YQ==\n"}})
    assert decoded.obj["data"] == {"a": "AQI=", "b": "YQ=="}
    with pytest.raises(GoError, match=r"^error decoding from json: illegal base64"):
        convert(secret, {"data": {"a": "!"}})
