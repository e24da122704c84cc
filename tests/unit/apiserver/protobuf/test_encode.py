"""What is written for a value, for none, and for one that does not fit."""

from typing import Any

import pytest

from kedge.apiserver.protobuf.encode import write_message
from kedge.apiserver.protobuf.wire import delimited

CORE = "io.k8s.api.core.v1."
SCHEMA = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"


@pytest.mark.parametrize(
    ("component", "obj", "data"),
    [
        pytest.param(f"{CORE}KeyToPath", {}, b"\x0a\x00\x12\x00", id="strings are always there"),
        pytest.param(
            f"{CORE}KeyToPath",
            {"key": "k", "path": "p", "mode": 0},
            b"\x0a\x01k\x12\x01p\x18\x00",
            id="a pointer is there if it is set, even to zero",
        ),
        pytest.param(
            f"{CORE}TCPSocketAction",
            {"port": -1},
            b"\x0a\x0f\x08\x00\x10" + b"\xff" * 9 + b"\x01\x1a\x00\x12\x00",
            id="a negative number has ten bytes",
        ),
        pytest.param(
            f"{CORE}TCPSocketAction",
            {"port": "http"},
            b"\x0a\x0a\x08\x01\x10\x00\x1a\x04http\x12\x00",
            id="a string where a number may be",
        ),
        pytest.param(
            f"{CORE}ConfigMapKeySelector",
            {"name": "n", "key": "k", "optional": False},
            b"\x0a\x03\x0a\x01n\x12\x01k\x18\x00",
            id="a field of a message within",
        ),
        pytest.param(
            f"{CORE}ConfigMapKeySelector", {}, b"\x0a\x02\x0a\x00\x12\x00", id="a message within"
        ),
        pytest.param(
            f"{CORE}PodSecurityContext",
            {"supplementalGroups": [1, 300]},
            b"\x20\x01\x20\xac\x02",
            id="numbers one by one",
        ),
        pytest.param(
            f"{CORE}ResourceRequirements",
            {"limits": {"memory": "1Gi", "cpu": "2"}},
            b"\x0a\x0a\x0a\x03cpu\x12\x03\x0a\x012\x0a\x0f\x0a\x06memory\x12\x05\x0a\x031Gi",
            id="keys in order",
        ),
        pytest.param(f"{CORE}EmptyDirVolumeSource", {}, b"\x0a\x00", id="no quantity"),
        pytest.param(SCHEMA, {"minimum": 0.5}, None, id="a number with a fraction"),
    ],
)
def test_go_writes_the_same_bytes(component: str, obj: Any, data: bytes | None) -> None:
    written = write_message(component, obj)
    if data is None:
        assert b"\x59" + bytes.fromhex("000000000000e03f") in written
    else:
        assert written == data


@pytest.mark.parametrize(
    ("name", "value", "data"),
    [
        ("additionalProperties", False, b"\x08\x00"),
        ("additionalProperties", True, b"\x08\x01"),
        ("items", None, None),
    ],
)
def test_a_schema_may_be_a_bool(name: str, value: Any, data: bytes | None) -> None:
    written = write_message(SCHEMA, {name: value})
    plain = write_message(SCHEMA, {})
    assert (written == plain) if data is None else (delimited(30, data) in written)


def test_a_schema_may_have_itself_within() -> None:
    inner = write_message(SCHEMA, {"type": "string"})
    outer = write_message(SCHEMA, {"items": {"type": "string"}})
    assert delimited(1, inner) in outer


def test_objects_that_do_not_fit_are_not_written() -> None:
    with pytest.raises(TypeError):
        write_message(f"{CORE}KeyToPath", {"key": 5})


def test_types_without_a_message_are_not_written() -> None:
    with pytest.raises(KeyError):
        write_message("io.k8s.apimachinery.pkg.apis.meta.v1.Table", {})
