"""Bodies in protobuf: what becomes of them, and what is said of broken ones."""

from typing import Any

import pytest

from kedge.apiserver.kinds.schemas import schema_of_kind
from kedge.apiserver.protobuf.envelope import MARK, seal
from kedge.apiserver.protobuf.wire import delimited
from kedge.apiserver.typed.body import PROTOBUF
from kedge.apiserver.typed.interpret import Kind
from kedge.apiserver.typed.options import read_delete_options
from kedge.apiserver.typed.reading import read_typed
from kedge.kube.errors import BadRequest, UnknownError

CONFIG_MAP = Kind("", "v1", "ConfigMap")


def read(data: bytes, wanted: Kind = CONFIG_MAP) -> dict[str, Any]:
    """Read a body that should be of a kind."""
    schema = schema_of_kind(wanted.api_version, wanted.kind)
    assert schema is not None
    return read_typed(data, PROTOBUF, wanted, schema, "Strict").obj


def body(api_version: str, kind: str, message: bytes) -> bytes:
    """Write a body as a client does."""
    names = delimited(1, api_version.encode()) + delimited(2, kind.encode())
    return MARK + delimited(1, names) + delimited(2, message)


def test_an_object_is_read_as_its_json_is() -> None:
    wanted = Kind("apps", "v1", "Deployment")
    obj = {
        "kind": "Deployment",
        "apiVersion": "apps/v1",
        "metadata": {"name": "web"},
        "spec": {
            "replicas": 0,
            "selector": {"matchLabels": {"a": "b"}},
            "template": {"metadata": {}, "spec": {"containers": [{"name": "c", "resources": {}}]}},
            "strategy": {"rollingUpdate": {"maxSurge": "30%", "maxUnavailable": 0}},
        },
        "status": {},
    }
    assert read(seal(obj), wanted) == obj


@pytest.mark.parametrize(("api_version", "kind"), [("", ""), ("v1", ""), ("", "ConfigMap")])
def test_a_body_that_does_not_tell_its_kind_is_of_the_kind_of_the_path(
    api_version: str, kind: str
) -> None:
    obj = read(body(api_version, kind, delimited(1, b"\x0a\x01a")))
    assert obj == {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "a"}}


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (
            b"x",
            "the object provided is unrecognized (must be of type ConfigMap): provided data does "
            "not appear to be a protobuf message, expected prefix [107 56 115 0] (78)",
        ),
        (
            b"",
            "the object provided is unrecognized (must be of type ConfigMap): empty data (<empty>)",
        ),
        (
            body("v1", "ConfigMap", b"\x0a"),
            'ConfigMap in version "v1" cannot be handled as a ConfigMap: unexpected EOF',
        ),
        (
            body("v1", "Secret", b""),
            'Secret in version "v1" cannot be handled as a ConfigMap: converting (v1.Secret) to '
            "(core.ConfigMap): unknown conversion",
        ),
        (
            body("foo/v1", "Foo", b""),
            'Foo in version "v1" cannot be handled as a ConfigMap: no kind "Foo" is registered '
            'for version "foo/v1" in scheme "pkg/runtime/scheme.go:110"',
        ),
    ],
)
def test_a_broken_body_is_refused_in_the_words_of_the_real_server(data: bytes, text: str) -> None:
    with pytest.raises(BadRequest) as caught:
        read(data)
    assert caught.value.message == text


@pytest.mark.parametrize("api_version", ["v1", "apps/v1", ""])
def test_options_of_a_deletion_are_read_in_any_group(api_version: str) -> None:
    data = body(api_version, "DeleteOptions", b"\x08\x05" + delimited(4, b"Orphan"))
    options = read_delete_options(data, PROTOBUF)
    assert (options["gracePeriodSeconds"], options["propagationPolicy"]) == (5, "Orphan")


def test_broken_options_of_a_deletion_are_a_failure_of_the_server() -> None:
    with pytest.raises(UnknownError) as caught:
        read_delete_options(body("v1", "DeleteOptions", b"\x0a\x00"), PROTOBUF)
    assert caught.value.code == 500
    assert caught.value.message == "proto: wrong wireType = 2 for field GracePeriodSeconds"
