from typing import Any

import msgspec
import pytest

from kedge.client.errors import BadAnswer
from kedge.client.responses import Response, check, error_from, error_of, read, read_page
from kedge.kube import errors
from kedge.kube.errors import ApiError
from kedge.kube.kind import Kind, plain
from kedge.kube.meta import ObjectMeta

CONFIGS = plain("v1", "ConfigMap", "configmaps")


class Boat(msgspec.Struct):
    metadata: ObjectMeta
    crew: int


BOATS = Kind("sea.example.org", "v1", "Boat", "boats", Boat)


def answer(code: int, body: Any, **headers: str) -> Response:
    raw = body if isinstance(body, bytes) else msgspec.json.encode(body)
    return Response(code, raw, {name.replace("_", "-"): value for name, value in headers.items()})


@pytest.mark.parametrize("reason", sorted(set(ApiError.by_reason) - {""}))
def test_every_error_of_a_server_is_the_same_error_here(reason: str) -> None:
    kind = ApiError.by_reason[reason]
    sent = kind("no", {"name": "a", "kind": "boats"})
    got = error_of(answer(sent.code, sent.status))
    assert type(got) is kind
    assert got.status == sent.status


def test_conflict_is_not_already_exists() -> None:
    assert type(error_of(answer(409, errors.conflict("", "pods", "a", "x").status))) is (
        errors.Conflict
    )
    assert type(error_of(answer(409, errors.already_exists("", "pods", "a").status))) is (
        errors.AlreadyExists
    )


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (400, errors.BadRequest),
        (401, errors.Unauthorized),
        (403, errors.Forbidden),
        (404, errors.NotFound),
        (405, errors.MethodNotAllowed),
        (406, errors.NotAcceptable),
        (409, errors.Conflict),
        (410, errors.Gone),
        (413, errors.TooLarge),
        (415, errors.UnsupportedMediaType),
        (418, errors.UnknownError),
        (422, errors.Invalid),
        (429, errors.TooManyRequests),
        (500, errors.UnknownError),
        (502, errors.UnknownError),
        (503, errors.ServiceUnavailable),
        (504, errors.Timeout),
    ],
)
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"<html>bad gateway</html>",
        b"404 page not found\n",
        b"[1]",
        b"null",
        b'"text"',
        b"\xff\xfe\x00",
        b'{"kind":"Status"',
        b'{"a":"\xff"}',
        b'{"kind":"Pod"}',
        b'{"a":' * 100_000,
    ],
)
def test_what_is_no_status_gets_one_by_its_code(
    code: int, kind: type[ApiError], body: bytes
) -> None:
    error = error_of(answer(code, body))
    assert type(error) is kind
    assert error.code == code
    assert len(error.message) <= 257


def test_the_text_of_another_program_is_the_message() -> None:
    assert error_of(answer(502, b"  <h1>Bad gateway</h1>\n")).message == "<h1>Bad gateway</h1>"


@pytest.mark.parametrize(
    "odd",
    [
        {"code": "403"},
        {"code": [403]},
        {"code": None},
        {"code": True},
        {"code": 0},
        {"reason": 7},
        {"reason": ["Conflict"]},
        {"message": {"a": 1}},
        {"details": []},
        {"details": "x"},
        {"metadata": 3},
        {"details": None, "metadata": None, "message": None, "reason": None},
    ],
    ids=str,
)
def test_a_status_with_odd_fields_is_read_by_the_others(odd: dict[str, Any]) -> None:
    error = error_of(answer(403, {"kind": "Status", **odd}))
    assert type(error) is errors.Forbidden
    assert error.code == 403
    assert isinstance(error.message, str)
    assert error.details is None or isinstance(error.details, dict)


def test_a_reason_that_is_not_known_here_leaves_the_code_to_decide() -> None:
    error = error_of(answer(403, {"kind": "Status", "reason": "Novel", "code": 403}))
    assert type(error) is errors.Forbidden
    assert error.reason == "Novel"


def test_the_code_of_the_status_wins_over_that_of_the_answer() -> None:
    error = error_of(answer(500, {"kind": "Status", "code": 504, "message": "x"}))
    assert type(error) is errors.Timeout


def test_a_status_from_within_a_stream_needs_no_code() -> None:
    assert type(error_from({"reason": "Expired"})) is errors.Expired
    assert type(error_from({"code": 410})) is errors.Gone
    assert type(error_from({})) is errors.UnknownError


@pytest.mark.parametrize("code", [200, 201, 202, 204])
def test_a_success_is_given_back(code: int) -> None:
    response = answer(code, {})
    assert check(response) is response


@pytest.mark.parametrize("code", [100, 300, 301, 302, 304, 307, 308])
def test_a_redirect_is_no_success(code: int) -> None:
    with pytest.raises(BadAnswer, match=r"points to https://evil\.example"):
        check(answer(code, b"", location="https://evil.example/" + "x" * 1000))
    with pytest.raises(BadAnswer) as raised:
        check(answer(code, b"", location="x" * 1000))
    assert len(str(raised.value)) < 400


@pytest.mark.parametrize(
    "body", [b"", b"<html>", b"[]", b"null", b"{", b'{"a":"\xff"}', b'{"a":' * 100_000]
)
def test_a_success_that_is_no_object_is_a_bad_answer(body: bytes) -> None:
    with pytest.raises(BadAnswer, match=r"the answer \(200\) can not be read"):
        read(answer(200, body), dict)
    with pytest.raises(BadAnswer, match=r"can not be read as a list of configmaps"):
        read_page(answer(200, body), CONFIGS)


def test_an_object_that_does_not_fit_its_type_is_a_bad_answer() -> None:
    with pytest.raises(BadAnswer, match="Boat"):
        read(answer(200, {"metadata": {}, "crew": "many"}), Boat)


def test_bytes_are_given_as_they_came() -> None:
    body = b'{"b": 1,\n "a":2}'
    assert bytes(read(answer(200, body), msgspec.Raw)) == body


def test_a_page_tells_where_it_goes_on() -> None:
    page = read_page(
        answer(
            200,
            {
                "kind": "ConfigMapList",
                "metadata": {"resourceVersion": "9", "continue": "t", "remainingItemCount": 3},
                "items": [{"data": {"a": "b"}}],
            },
        ),
        CONFIGS,
    )
    assert (page.version, page.token, page.remaining) == ("9", "t", 3)
    assert page.items == [{"data": {"a": "b"}}]
    assert page.misfits == ()


@pytest.mark.parametrize("body", [{"items": None}, {"items": []}, {"items": [], "metadata": {}}])
def test_a_page_without_items_is_empty(body: dict[str, Any]) -> None:
    page = read_page(answer(200, body), CONFIGS)
    assert page.items == []
    assert page.token == ""


@pytest.mark.parametrize("kind", [CONFIGS, CONFIGS.raw, BOATS], ids=["dict", "raw", "typed"])
@pytest.mark.parametrize("body", [{}, {"metadata": {}}, {"kind": "Status"}, {"items": {}}])
def test_what_is_no_list_is_not_taken_for_an_empty_one(body: Any, kind: Kind[Any]) -> None:
    with pytest.raises(BadAnswer, match="can not be read as a list"):
        read_page(answer(200, body), kind)


def test_items_may_stay_bytes() -> None:
    page = read_page(answer(200, b'{"items":[{"a" : 1},{}]}'), CONFIGS.raw)
    assert [bytes(item) for item in page.items] == [b'{"a" : 1}', b"{}"]


def test_what_does_not_fit_is_parted_from_what_does() -> None:
    items = [
        {"metadata": {"name": "a"}, "crew": 1},
        {"metadata": {"name": "b", "uid": "u"}, "crew": "x" * 1000},
        {"metadata": {"name": "c"}, "crew": 3},
        {"metadata": {"name": "d"}},
    ]
    body = {"metadata": {"resourceVersion": "5", "continue": "t"}, "items": items}
    page = read_page(answer(200, body), BOATS)
    assert [boat.metadata.name for boat in page.items] == ["a", "c"]
    assert [one.object.metadata.name for one in page.misfits] == ["b", "d"]
    assert page.misfits[0].object.metadata.uid == "u"
    assert "crew" in page.misfits[0].why
    assert (page.version, page.token) == ("5", "t")


def test_an_item_that_is_no_text_does_not_fit() -> None:
    body = b'{"items":[{"metadata":{"name":"a"},"x":"\xff"},{"metadata":{"name":"b"}}]}'
    page = read_page(answer(200, body), CONFIGS)
    assert page.items == [{"metadata": {"name": "b"}}]
    assert [one.object.metadata.name for one in page.misfits] == ["a"]


def test_an_item_that_has_not_even_metadata_makes_the_page_bad() -> None:
    with pytest.raises(BadAnswer):
        read_page(answer(200, {"items": [{"metadata": 3}]}), BOATS)
    with pytest.raises(BadAnswer):
        read_page(answer(200, {"items": ["x"]}), BOATS)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("7", 7.0),
        ("0", 0.0),
        ("", None),
        ("-1", None),
        ("1.5", None),
        ("soon", None),
        ("٣", None),
        ("²", None),
        ("Wed, 21 Oct 2015 07:28:00 GMT", None),
    ],
)
def test_seconds_to_wait_are_read_where_they_are_seconds(text: str, seconds: float | None) -> None:
    assert answer(429, {}, retry_after=text).retry_after == seconds


def test_an_answer_does_not_show_its_body() -> None:
    assert "hunter2" not in repr(answer(200, b"hunter2", x="hunter2"))
