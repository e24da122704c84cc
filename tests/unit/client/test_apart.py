import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.client.apart import elements, fields
from kedge.client.decoders import Event
from kedge.client.lines import Unreadable, read_events
from kedge.client.responses import Response, read_page
from kedge.kube.kind import Kind, plain

BOAT = plain("sea.example.com/v1", "Boat", "boats")
DEEP = 5000
"""More levels than any decoder reads; a server takes ten thousand."""

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), values, max_size=4), st.sampled_from([None, 1]))
def test_the_fields_of_an_object_are_those_that_a_decoder_finds(
    obj: dict[str, Any], indent: int | None
) -> None:
    found = fields(json.dumps(obj, indent=indent).encode())
    assert {name: json.loads(raw) for name, raw in found.items()} == obj


@given(st.lists(values, max_size=4), st.booleans())
def test_the_items_of_an_array_are_those_that_a_decoder_finds(
    items: list[Any], plainly: bool
) -> None:
    raw = json.dumps(items, ensure_ascii=plainly).encode("utf-8", "surrogatepass")
    assert [json.loads(item.decode("utf-8", "surrogatepass")) for item in elements(raw)] == items


@pytest.mark.parametrize("raw", [b"", b"1", b'"a"', b"[1", b'{"a": 1', b'["a'])
def test_what_has_no_end_is_refused(raw: bytes) -> None:
    with pytest.raises(ValueError, match="JSON"):
        list(elements(raw))


@pytest.mark.parametrize("raw", [b"{1: 2}", b'{"a"}', b'{"a" 1}', b"[1, 2]"])
def test_what_is_no_object_has_no_fields(raw: bytes) -> None:
    with pytest.raises(ValueError, match="JSON"):
        fields(raw)


def boat(name: str, depth: int = 0) -> bytes:
    hold = b"[" * depth + b"]" * depth if depth else b"[]"
    head = json.dumps({"name": name, "namespace": "sea", "resourceVersion": "7"}).encode()
    return b'{"metadata": %b, "spec": {"hold": %b}}' % (head, hold)


def test_one_object_that_is_too_deep_leaves_the_rest_of_a_list_readable() -> None:
    items = b",".join([boat("a"), boat("abyss", DEEP), boat("b")])
    body = b'{"kind": "BoatList", "metadata": {"resourceVersion": "9"}, "items": [%b]}' % items
    kinds: list[Kind[Any]] = [BOAT, BOAT.raw]
    for kind in kinds:
        page = read_page(Response(200, body), kind)
        assert page.version == "9"
        found = [msgspec.json.decode(msgspec.json.encode(one)) for one in page.items]
        assert [one["metadata"]["name"] for one in found] == ["a", "b"]
        (misfit,) = page.misfits
        assert misfit.object.metadata.name == "abyss"
        assert misfit.why == "it is nested too deeply"


def test_one_event_that_is_too_deep_leaves_the_rest_of_a_watch_readable() -> None:
    lines = b"".join(
        b'{"type": "ADDED", "object": %b}\n' % one for one in (boat("a"), boat("abyss", DEEP))
    )
    first, second = read_events(BOAT.raw, lines)
    assert isinstance(first, Event)
    assert isinstance(second, Unreadable)
    assert second.type == "ADDED"
    assert second.misfit.object.metadata.resource_version == "7"
