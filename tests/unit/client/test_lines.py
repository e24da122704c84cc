from itertools import pairwise
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.client.decoders import Event
from kedge.client.errors import BadAnswer
from kedge.client.lines import Failed, Item, Lines, Unreadable, read_events
from kedge.kube.kind import Kind, plain
from kedge.kube.meta import ObjectMeta, Partial
from kedge.kube.watch import encode_event

CONFIGS = plain("v1", "ConfigMap", "configmaps")


class Boat(msgspec.Struct):
    metadata: ObjectMeta
    crew: int


BOATS = Kind("sea.example.org", "v1", "Boat", "boats", Boat)
TYPES = ["ADDED", "MODIFIED", "DELETED", "BOOKMARK"]
STATUS = {"kind": "Status", "reason": "Expired", "code": 410, "message": "too old"}


def line(kind: str, obj: Any) -> bytes:
    return encode_event(kind, msgspec.json.encode(obj))


def fed(lines: Lines, *pieces: bytes) -> list[Item[dict[str, Any]]]:
    return [item for piece in pieces for item in read_events(CONFIGS, lines.feed(piece))]


objects = st.dictionaries(st.text(max_size=5), st.text(max_size=20) | st.integers(0, 9), max_size=4)
events = st.lists(st.tuples(st.sampled_from(TYPES), objects), max_size=6)


@given(events, st.data())
def test_any_cutting_of_any_events_gives_the_same_events(
    sent: list[tuple[str, dict[str, Any]]], data: st.DataObject
) -> None:
    stream = b"".join(line(kind, obj) for kind, obj in sent)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=20)))
    ends = [0, *cuts, len(stream)]
    pieces = [stream[a:b] for a, b in pairwise(ends)]
    got = fed(Lines(), *pieces)
    assert got == [Event(kind, obj) for kind, obj in sent]


def test_cut_at_every_byte() -> None:
    obj = {"a": "é\u2028\u0085\u2029\x0b\x0c\r\n", "b": "\\n"}
    stream = line("ADDED", obj) + line("BOOKMARK", {}) + line("DELETED", obj)
    expected = [Event("ADDED", obj), Event("BOOKMARK", {}), Event("DELETED", obj)]
    for at in range(len(stream) + 1):
        assert fed(Lines(), stream[:at], stream[at:]) == expected
    assert fed(Lines(), *(stream[at : at + 1] for at in range(len(stream)))) == expected


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\u0085", "\x0b", "\x0c", "\x1c", "\r", "\0"])
def test_signs_that_end_lines_elsewhere_do_not_end_them_here(sign: str) -> None:
    # As they are, where JSON allows it, and escaped.
    obj = {"data": {"a": f"x{sign}y"}}
    assert fed(Lines(), line("ADDED", obj)) == [Event("ADDED", obj)]
    if ord(sign) >= 0x20:
        raw = b'{"data":{"a":"x%by"}}' % sign.encode()
        assert fed(Lines(), encode_event("ADDED", raw)) == [Event("ADDED", obj)]


def test_an_object_of_a_megabyte_in_many_pieces() -> None:
    obj = {"data": {"a": "x\u2028" * 2**18}}
    stream = line("ADDED", {}) + line("MODIFIED", obj) + line("DELETED", {})
    pieces = [stream[at : at + 1000] for at in range(0, len(stream), 1000)]
    assert fed(Lines(), *pieces) == [
        Event("ADDED", {}),
        Event("MODIFIED", obj),
        Event("DELETED", {}),
    ]


def test_what_has_no_end_yet_is_kept() -> None:
    lines = Lines()
    assert lines.feed(b"ab") == b""
    assert lines.feed(b"") == b""
    assert lines.feed(b"c\nd") == b"abc\n"
    assert lines.feed(b"\n") == b"d\n"
    assert lines.feed(b"x\ny\nz") == b"x\ny\n"
    assert lines.rest() == b"z"
    assert lines.rest() == b""


@pytest.mark.parametrize("blank", [b"\n", b"\r\n", b"  \n", b"\n\n\n"])
def test_blank_lines_and_carriage_returns_mean_nothing(blank: bytes) -> None:
    stream = blank + b'{"type":"ADDED","object":{}}\r\n' + blank + line("DELETED", {}) + blank
    assert fed(Lines(), stream) == [Event("ADDED", {}), Event("DELETED", {})]


@pytest.mark.parametrize("kind", [CONFIGS, CONFIGS.raw, CONFIGS.partial, BOATS])
def test_the_last_words_of_a_server_are_a_failure_for_every_kind(kind: Kind[Any]) -> None:
    boat = {"metadata": {"name": "a"}, "crew": 1}
    items = read_events(kind, line("ADDED", boat) + line("ERROR", STATUS))
    assert isinstance(items[0], Event)
    assert items[1:] == [Failed(STATUS)]


@pytest.mark.parametrize("kind", [CONFIGS, CONFIGS.raw, CONFIGS.partial, BOATS])
def test_a_failure_among_events_is_one_too(kind: Kind[Any]) -> None:
    boat = {"metadata": {"name": "a"}, "crew": 1}
    stream = line("ADDED", boat) + line("ERROR", STATUS) + line("ADDED", boat)
    assert [type(item) for item in read_events(kind, stream)] == [Event, Failed, Event]


@pytest.mark.parametrize("raw", [b"null", b"[]", b'"x"', b"7", b'{"a":"\xff"}'])
def test_last_words_that_make_no_sense_are_a_failure_without_a_status(raw: bytes) -> None:
    assert read_events(CONFIGS, encode_event("ERROR", raw)) == [Failed({})]


def test_bookmarks_are_events_like_others() -> None:
    mark = {"kind": "ConfigMap", "metadata": {"resourceVersion": "12"}}
    (event,) = read_events(CONFIGS.partial, line("BOOKMARK", mark))
    assert isinstance(event, Event)
    assert event.object == Partial(kind="ConfigMap", metadata=ObjectMeta(resource_version="12"))


def test_an_object_that_does_not_fit_leaves_the_others_alone() -> None:
    stream = b"".join(
        [
            line("ADDED", {"metadata": {"name": "a"}, "crew": 1}),
            line("MODIFIED", {"metadata": {"name": "b", "uid": "u"}, "crew": "many"}),
            line("DELETED", {"metadata": {"name": "c"}, "crew": 3}),
        ]
    )
    first, odd, last = read_events(BOATS, stream)
    assert first == Event("ADDED", Boat(ObjectMeta(name="a"), 1))
    assert last == Event("DELETED", Boat(ObjectMeta(name="c"), 3))
    assert isinstance(odd, Unreadable)
    assert (odd.type, odd.misfit.object.metadata.uid) == ("MODIFIED", "u")
    assert "crew" in odd.misfit.why


def test_an_object_that_is_no_text_does_not_fit() -> None:
    broken = encode_event("ADDED", b'{"metadata":{"name":"a"},"data":{"a":"\xff"}}')
    odd, last = read_events(CONFIGS, broken + line("ADDED", {}))
    assert isinstance(odd, Unreadable)
    assert odd.misfit.object.metadata.name == "a"
    assert last == Event("ADDED", {})


@pytest.mark.parametrize(
    "text",
    [
        b"x\n",
        b"{\n",
        b"[]\n",
        b"null\n",
        b'{"type":"ADDED"}\n',
        b'{"object":{}}\n',
        b'{"type":7,"object":{}}\n',
        b'{"type":"ADDED","object":3}\n',
        b'{"type":"ADDED","object":' + b'{"a":' * 100_000 + b"\n",
        b"<html></html>\n",
    ],
    ids=lambda text: repr(text[:40]),
)
def test_a_line_that_is_no_event_is_a_bad_answer(text: bytes) -> None:
    with pytest.raises(BadAnswer, match="configmaps"):
        read_events(CONFIGS, line("ADDED", {}) + text)


def test_objects_may_stay_bytes() -> None:
    (event,) = read_events(CONFIGS.raw, b'{"type":"ADDED","object":{"a" :  1}}\n')
    assert isinstance(event, Event)
    assert bytes(event.object) == b'{"a" :  1}'


def test_more_fields_of_an_event_do_not_matter() -> None:
    assert read_events(CONFIGS, b'{"x":1,"object":{},"type":"ADDED","y":[]}\n') == [
        Event("ADDED", {})
    ]


def test_a_type_that_is_not_known_is_given_on() -> None:
    assert read_events(CONFIGS, line("ADDED", {}).replace(b"ADDED", b"NOVEL")) == [
        Event("NOVEL", {})
    ]
