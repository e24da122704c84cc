import msgspec
import pytest

from kedge.client.decoders import object_decoder
from kedge.kube.kind import Object
from kedge.runtime.entry import Change, Entry, read_meta
from kedge.runtime.key import Key
from tests.unit.runtime.peers import boat, raw


def entry(name: str = "a", version: int = 1, **meta: object) -> Entry[Object]:
    obj = boat(name, version)
    obj["metadata"].update(meta)
    data = bytes(raw(obj))
    return Entry(Key("sea", name), read_meta(data).metadata, data, object_decoder(dict))


def test_what_a_reader_changes_nobody_else_sees() -> None:
    one = entry()
    one.read()["metadata"]["name"] = "changed"
    assert one.read()["metadata"]["name"] == "a"


def test_the_labels_of_an_object_without_any_are_empty() -> None:
    assert entry(labels=None).labels == {}
    assert entry(labels={"a": "b"}).labels == {"a": "b"}


def test_the_metadata_of_a_minimal_object_can_be_read() -> None:
    meta = read_meta(b'{"metadata":{"name":"a","labels":null,"unknown":[1]}}').metadata
    assert (meta.name, meta.namespace, meta.labels, meta.generation) == ("a", "", None, 0)


def test_an_object_without_metadata_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        read_meta(b"{}")


def test_a_change_tells_what_came_what_went_and_what_became_different() -> None:
    old, new = entry(version=1), entry(version=2)
    assert [Change(*both).is_deletion for both in ((None, new), (old, new), (old, None))] == [
        False,
        False,
        True,
    ]
    assert Change(None, new).key == Change(old, None).key == Key("sea", "a")


def test_a_change_of_nothing_is_an_error() -> None:
    with pytest.raises(ValueError, match="old or a new"):
        Change(None, None)


def test_a_status_alone_does_not_move_the_generation() -> None:
    assert not Change(entry(generation=1), entry(generation=1)).moves_generation
    assert Change(entry(generation=1), entry(generation=2)).moves_generation
    assert Change(None, entry()).moves_generation
    assert Change(entry(), None).moves_generation


def test_a_key_is_written_as_kubectl_does() -> None:
    assert str(Key("sea", "a")) == "sea/a"
    assert str(Key("", "a")) == "a"
