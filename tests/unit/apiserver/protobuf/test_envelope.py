"""Objects with their kind: what is taken, what is refused, what has no such form."""

import pytest

from kedge.apiserver.protobuf.envelope import MARK, Envelope, Unencodable, open_envelope, seal
from kedge.apiserver.protobuf.wire import delimited
from kedge.kube.goerror import GoError

TYPE = delimited(1, delimited(1, b"v1") + delimited(2, b"ConfigMap"))


def test_kind_and_message_are_taken_out() -> None:
    data = MARK + TYPE + delimited(2, b"message") + delimited(3, b"") + delimited(9, b"?")
    assert open_envelope(data) == Envelope("v1", "ConfigMap", b"message")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "empty data"),
        (b"k8s\x00", "empty body"),
        (
            b"{}",
            "provided data does not appear to be a protobuf message, "
            "expected prefix [107 56 115 0]",
        ),
        (b"k8s\x00\x08\x01", "proto: wrong wireType = 0 for field TypeMeta"),
        (b"k8s\x00\x0a\x02\x08\x01", "proto: wrong wireType = 0 for field APIVersion"),
        (b"k8s\x00\x0a\x05", "unexpected EOF"),
    ],
)
def test_what_is_no_object_is_refused_in_the_words_of_go(data: bytes, text: str) -> None:
    with pytest.raises(GoError) as caught:
        open_envelope(data)
    assert caught.value.text == text


def test_an_object_is_written_with_its_kind() -> None:
    data = seal({"kind": "ConfigMap", "apiVersion": "v1", "data": {"a": "b"}})
    assert data.startswith(MARK + TYPE)
    assert data.endswith(delimited(2, b"\x0a\x01a\x12\x01b") + b"\x1a\x00\x22\x00")


@pytest.mark.parametrize(
    "obj",
    [
        {"kind": "Widget", "apiVersion": "example.com/v1"},
        {"kind": "Table", "apiVersion": "meta.k8s.io/v1"},
        {"paths": []},
        {"kind": "ConfigMap", "apiVersion": "v1", "data": {"a": 5}},
        {"kind": "ConfigMap", "apiVersion": "v1", "data": "text"},
        {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"creationTimestamp": "noon"}},
    ],
)
def test_an_object_without_such_a_form_is_not_written(obj: dict[str, object]) -> None:
    with pytest.raises(Unencodable):
        seal(obj)
