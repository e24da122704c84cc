"""Which form a client gets for its Accept header, as the real server chooses."""

import pytest

from kedge.apiserver.http.accept import (
    COLLECTION,
    CONNECTION,
    CUSTOM,
    JSON,
    LOG,
    OBJECT,
    PROTOBUF,
    YAML,
    Accept,
    accept_of,
    clauses,
    error_form,
)
from kedge.kube.errors import NotAcceptable

META = ";g=meta.k8s.io;v=v1"
PARTIAL = f";as=PartialObjectMetadata{META}"
TABLE = f";as=Table{META}"
SERVED = "application/json, application/yaml, application/vnd.kubernetes.protobuf"
STREAMED = "application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch"


@pytest.mark.parametrize(
    ("header", "form"),
    [
        ("", Accept(JSON)),
        ("*/*", Accept(JSON)),
        ("text/html, */*;q=0.1", Accept(JSON)),
        (PROTOBUF, Accept(PROTOBUF)),
        (f"{PROTOBUF},{JSON}", Accept(PROTOBUF)),
        (f"{JSON},{PROTOBUF}", Accept(JSON)),
        (f"{PROTOBUF};q=0.5, {YAML};q=0.8", Accept(YAML)),
        (f"{JSON};q=0, {YAML};q=0.5", Accept(YAML)),
        (f"{JSON};q=rubbish, {YAML};q=0.5", Accept(YAML)),
        (f"*/*, {PROTOBUF}", Accept(PROTOBUF)),
        (f"{PROTOBUF};stream=watch", Accept(PROTOBUF)),
        (f"{YAML};stream=watch, {JSON}", Accept(JSON)),
        (f"{JSON}{TABLE}", Accept(JSON, "Table")),
        (f"{PROTOBUF}{TABLE}, {JSON}{TABLE}", Accept(JSON, "Table")),
        (f"{PROTOBUF}{PARTIAL}", Accept(PROTOBUF, "PartialObjectMetadata")),
        (
            f"{YAML};as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1",
            Accept(YAML, "PartialObjectMetadata", "v1beta1"),
        ),
        (f"{JSON};as=Table;g=meta.k8s.io;v=v2, {YAML}", Accept(YAML)),
        (f"{JSON};pretty=1", Accept(JSON, pretty=True)),
        (f"{JSON};sv=v2, {YAML};sv=v1", Accept(YAML)),
        (f" {PROTOBUF} ; q=1", Accept(PROTOBUF)),
    ],
)
def test_the_first_form_in_the_order_of_the_client_is_chosen(header: str, form: Accept) -> None:
    assert accept_of(header) == form


@pytest.mark.parametrize(
    ("header", "form"),
    [
        ("application/*", Accept(JSON)),
        ("*", Accept(JSON)),
        (f"{PROTOBUF}, {JSON}", Accept(JSON)),
        (f"{PROTOBUF}{PARTIAL}", Accept(PROTOBUF, "PartialObjectMetadata")),
    ],
)
def test_custom_resources_have_no_protobuf_but_for_their_metadata(
    header: str, form: Accept
) -> None:
    assert accept_of(header, CUSTOM) == form


@pytest.mark.parametrize(
    ("header", "route"),
    [
        (f"{PROTOBUF}{TABLE}", OBJECT),
        (f"{JSON};as=Table", OBJECT),
        (f"{JSON};as=Foo{META}", COLLECTION),
        (f"{JSON};v=v1", OBJECT),
        (f"{YAML};stream=watch", OBJECT),
        (PROTOBUF, CUSTOM),
        ("text/html", CUSTOM),
    ],
)
def test_a_form_that_a_resource_does_not_have_is_refused(
    header: str, route: tuple[str, ...]
) -> None:
    with pytest.raises(NotAcceptable) as caught:
        accept_of(header, route)
    assert caught.value.message == f"only the following media types are accepted: {SERVED}"
    assert caught.value.details is None


@pytest.mark.parametrize(
    ("header", "route", "listed"),
    [
        ("text/html", OBJECT, SERVED),
        ("application/*", OBJECT, SERVED),
        ("APPLICATION/JSON", OBJECT, SERVED),
        ("text/html", COLLECTION, f"{SERVED}, {STREAMED}"),
        ("text/html", LOG, f"text/plain, {SERVED}"),
    ],
)
def test_a_media_type_that_no_route_has_is_refused_with_what_there_is(
    header: str, route: tuple[str, ...], listed: str
) -> None:
    with pytest.raises(NotAcceptable) as caught:
        accept_of(header, route)
    assert caught.value.message == f"406: Not Acceptable\n\nAvailable representations: {listed}"
    assert caught.value.details == {}


def test_a_connection_does_not_look_at_what_is_accepted() -> None:
    assert accept_of("text/html", CONNECTION) == Accept()


@pytest.mark.parametrize(
    ("header", "form"),
    [
        ("", Accept(JSON)),
        (PROTOBUF, Accept(PROTOBUF)),
        (f"{PROTOBUF}{PARTIAL}, {YAML}", Accept(YAML)),
        (f"{JSON}{TABLE}", Accept(JSON, pretty=True)),
        ("text/html", Accept(JSON, pretty=True)),
        ("application/*", Accept(JSON)),
        (f"{JSON};sv=v1", Accept(JSON, pretty=True)),
    ],
)
def test_errors_come_in_a_plain_form_or_else_as_json_for_a_person(
    header: str, form: Accept
) -> None:
    assert error_form(header) == form


def test_ranges_that_say_nothing_are_left_out() -> None:
    assert [clause.media for clause in clauses("a, b/c/d, e/, f/g;x;y=1=2")] == ["f/g"]
