import msgspec
import pytest

from kedge.kube import watch


def test_an_event_is_one_line_around_the_raw_object() -> None:
    line = watch.encode_event(watch.ADDED, b'{"kind":"Pod"}')
    assert line == b'{"type":"ADDED","object":{"kind":"Pod"}}\n'


@pytest.mark.parametrize(
    "kind", [watch.ADDED, watch.MODIFIED, watch.DELETED, watch.BOOKMARK, watch.ERROR]
)
def test_an_event_is_read_back(kind: str) -> None:
    event = watch.decode_event(watch.encode_event(kind, b'{"a":"\xe2\x80\xa8"}'))
    assert event.type == kind
    assert bytes(event.object) == b'{"a":"\xe2\x80\xa8"}'
    assert event.read() == {"a": "\u2028"}


def test_what_is_no_event_is_refused() -> None:
    with pytest.raises(msgspec.DecodeError):
        watch.decode_event(b"{}")


def test_a_bookmark_tells_the_version_and_where_the_initial_events_end() -> None:
    assert watch.bookmark("v1", "Pod", "7") == {
        "kind": "Pod",
        "apiVersion": "v1",
        "metadata": {"resourceVersion": "7"},
    }
    end = watch.bookmark("v1", "Pod", "7", initial_events_end=True)
    assert end["metadata"]["annotations"] == {"k8s.io/initial-events-end": "true"}
