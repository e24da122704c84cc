"""Which bodies are read at all, and how they are quoted."""

import pytest

from kedge.apiserver.typed.body import JSON, PROTOBUF, YAML, media_of, read_body, summary
from kedge.apiserver.typed.jsontext import Pairs
from kedge.kube.errors import UnsupportedMediaType
from kedge.kube.goerror import GoError


@pytest.mark.parametrize(
    ("header", "media"),
    [
        ("", JSON),
        ("application/json", JSON),
        ("application/JSON; charset=utf-8", JSON),
        ("application/json;", JSON),
        ('application/yaml; a="b;c"', YAML),
        ("application/vnd.kubernetes.protobuf", PROTOBUF),
    ],
)
def test_json_yaml_and_protobuf_are_read(header: str, media: str) -> None:
    assert media_of(header) == media


@pytest.mark.parametrize(
    "header",
    [
        "text/plain",
        "application/x-yaml",
        "application/cbor",
        "json",
        "*/*",
        "application/json; charset",
    ],
)
def test_other_media_types_are_refused(header: str) -> None:
    with pytest.raises(UnsupportedMediaType) as caught:
        media_of(header)
    assert caught.value.message == (
        "the body of the request was in an unknown format - accepted media types include: "
        "application/json, application/yaml, application/vnd.kubernetes.protobuf"
    )


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", "<empty>"),
        (b'{"a":1}', '{"a":1}'),
        (b'{"a":"' + b"x" * 40, '{"a":"' + "x" * 24 + " ..."),
        (b"[]", "5b5d"),
        (b"x" * 31, "78" * 30 + " ..."),
    ],
)
def test_the_beginning_of_a_body_is_quoted(data: bytes, text: str) -> None:
    assert summary(data) == text


def test_numbers_keep_their_text_for_typed_kinds_only() -> None:
    assert read_body(b"[1e2]", JSON).value[0].text == "1e2"
    loose = read_body(b"[1e2, 1.5]", JSON, typed=False).value
    assert loose == [100, 1.5]
    assert type(loose[0]) is int


def test_a_body_that_only_go_understands_is_read_by_its_rules() -> None:
    body = read_body(rb'{"a":"\ud800"}', JSON)
    assert body.value == Pairs([("a", "\ufffd")])
    assert not body.is_plain


def test_broken_json_is_told_with_the_step_that_failed() -> None:
    with pytest.raises(
        GoError, match=r"^couldn't get version/kind; json parse error: unexpected end"
    ):
        read_body(b"{", JSON)
