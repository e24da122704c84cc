import gc
import gzip
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.client.answer import HEAD_BYTES, Answer
from kedge.client.errors import BadAnswer


def chunked(body: bytes, size: int) -> bytes:
    pieces = [body[start : start + size] for start in range(0, len(body), size)]
    return b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in [*pieces, b""])


BODY = b'{"kind":"ConfigMapList","items":[]}'
COUNTED = b"HTTP/1.1 200 OK\r\nContent-Length: 35\r\nX-A:  b \r\n\r\n" + BODY
CHUNKED = (
    b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    b"A;why=so\r\n" + BODY[:10] + b"\r\n19\r\n" + BODY[10:] + b"\r\n0\r\nX-End: 1\r\n\r\n"
)
PACKED = (
    b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n"
    % len(gzip.compress(BODY))
) + gzip.compress(BODY)
MANY = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked(BODY, 3)
MANY_PACKED = (
    b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"
    + chunked(gzip.compress(BODY), 20)
)
EARLY = b"HTTP/1.1 103 Early\r\nLink: x\r\n\r\n" + COUNTED


def fed(*parts: bytes) -> Answer:
    answer = Answer()
    for part in parts:
        answer.feed(part)
    return answer


WHOLE = [COUNTED, CHUNKED, PACKED, MANY, MANY_PACKED, EARLY]


@given(st.sampled_from(WHOLE), st.sets(st.integers(1, 200)))
def test_it_does_not_matter_in_which_pieces_an_answer_comes(whole: bytes, cuts: set[int]) -> None:
    ends = [0, *sorted(cut for cut in cuts if cut < len(whole)), len(whole)]
    answer = Answer()
    for start, end in pairwise(ends):
        assert answer.feed(whole[start:end]) == (end == len(whole))
    assert (answer.code, answer.body, answer.keeps) == (200, BODY, True)


def test_what_goes_on_is_taken_out_as_it_comes() -> None:
    assert not fed(CHUNKED[:10]).has_begun
    answer = fed(CHUNKED[:80])
    assert answer.has_begun
    first = answer.drain()
    answer.feed(CHUNKED[80:])
    assert first
    assert first + answer.drain() == BODY
    assert (answer.is_whole, answer.drain(), answer.chunks) == (True, b"", 3)


def test_an_answer_without_a_body_has_begun() -> None:
    assert fed(b"HTTP/1.1 204 No Content\r\n\r\n").has_begun


def test_the_head_is_told_with_names_in_lower_case() -> None:
    assert fed(COUNTED).head.fields == [("content-length", "35"), ("x-a", "b")]


def test_a_usual_answer_is_taken_at_once_from_among_others() -> None:
    answer = Answer()
    end = answer.take(b"before" + COUNTED + b"after", len(b"before"))
    assert end == len(b"before" + COUNTED)
    assert (answer.code, answer.body, answer.is_whole, answer.keeps) == (200, BODY, True, True)
    assert answer.head.fields == fed(COUNTED).head.fields


@pytest.mark.parametrize(
    "data",
    [
        *(one for one in WHOLE if one is not COUNTED),
        *(COUNTED[:end] for end in range(len(COUNTED))),
        b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nCONNECTION: close\r\nContent-Length: 0\r\n\r\n",
        b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nTransfer-encoding: chunked\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\ncontent-length: 1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\na b: c\r\n\r\n",
    ],
)
def test_what_is_unusual_or_only_a_part_is_left_to_be_fed(data: bytes) -> None:
    answer = Answer()
    assert answer.take(data, 0) == 0
    assert (answer.code, answer.is_whole, answer.head.fields) == (0, False, [])


def test_an_answer_that_has_begun_or_is_whole_takes_no_other() -> None:
    assert fed(COUNTED[:20]).take(COUNTED, 0) == 0
    assert fed(CHUNKED[:60]).take(COUNTED, 0) == 0
    assert fed(COUNTED).take(COUNTED, 0) == 0


def test_an_answer_without_a_length_ends_with_the_connection() -> None:
    answer = fed(b"HTTP/1.1 200 OK\r\n\r\n{", b"}")
    assert not answer.is_whole
    assert answer.end()
    assert (answer.body, answer.keeps) == (b"{}", False)


@pytest.mark.parametrize("whole", [COUNTED, CHUNKED, MANY, MANY_PACKED])
def test_an_answer_that_breaks_off_is_not_whole(whole: bytes) -> None:
    assert not any(fed(whole[:end]).end() for end in range(1, len(whole)))


@pytest.mark.parametrize("code", [204, 304])
def test_some_answers_have_no_body_whatever_they_say(code: int) -> None:
    answer = fed(b"HTTP/1.1 %d X\r\nContent-Length: 9\r\n\r\n" % code)
    assert (answer.is_whole, answer.body, answer.keeps) == (True, b"", True)


@pytest.mark.parametrize(
    ("head", "keeps"),
    [
        (b"HTTP/1.1 200 OK\r\nConnection: close", False),
        (b"HTTP/1.0 200 OK", False),
        (b"HTTP/1.0 200 OK\r\nConnection: keep-alive", True),
        (b"HTTP/1.1 200", True),
    ],
)
def test_whether_the_connection_can_be_used_again(head: bytes, keeps: bool) -> None:
    answer = fed(head + b"\r\nContent-Length: 0\r\n\r\n")
    assert (answer.is_whole, answer.keeps) == (True, keeps)


def test_a_server_that_says_more_than_it_was_asked_is_not_asked_again() -> None:
    assert not fed(COUNTED + b"HTTP/1.1 200 OK\r\n").keeps


@pytest.mark.parametrize(
    "text",
    [
        b"SSH-2.0-OpenSSH\r\n",
        b"HTTP/2 200\r\n\r\n",
        b"HTTP/1.1 abc\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nno colon\r\n\r\n",
        b"HTTP/1.1 200 OK\r\na b: c\r\n\r\n",
        b"HTTP/1.1 200 OK\r\n" + b"a: b\r\n" * HEAD_BYTES,
        b"HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: br\r\n\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + b"0" * 2000,
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nab\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n1\r\nab\r\n",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0x1\r\na\r\n",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 2\r\n\r\nab",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 9\r\n\r\n"
        + gzip.compress(b"", mtime=0)[:9],
    ],
)
def test_what_is_no_answer_of_http_is_refused(text: bytes) -> None:
    with pytest.raises(BadAnswer):
        fed(text)


@pytest.mark.parametrize("whole", [COUNTED, CHUNKED, PACKED])
def test_an_answer_that_nobody_holds_is_gone_at_once(whole: bytes) -> None:
    answer = fed(whole)
    gc.collect()
    gc.disable()
    try:
        del answer
        assert not [one for one in gc.get_objects() if isinstance(one, Answer)]
    finally:
        gc.enable()
