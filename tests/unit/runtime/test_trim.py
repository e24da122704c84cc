"""What a cache keeps of an object, and that it is read once."""

from typing import Any

import msgspec
import pytest

from kedge.kube.kind import Object
from kedge.kube.meta import ObjectMeta
from kedge.runtime.trim import trim_for

META = {
    "name": "a",
    "namespace": "sea",
    "uid": "u",
    "resourceVersion": "7",
    "generation": 3,
    "deletionTimestamp": "2030-01-01T00:00:00Z",
    "labels": {"x": "y"},
    "ownerReferences": [{"kind": "Fleet", "name": "f"}],
}
WHOLE = {"metadata": {**META, "managedFields": [{}]}, "spec": {"size": [1]}, "junk": 1}


class Free(msgspec.Struct, rename="camel", omit_defaults=True):
    """Has metadata, and what may be anything."""

    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
    spec: Object | None = None
    last_words: str = msgspec.field(default="none", name="words")
    crew: list[str] = msgspec.field(default_factory=list)


class Needy(msgspec.Struct):
    """Must have a spec."""

    metadata: ObjectMeta
    spec: Object


class Bare(msgspec.Struct):
    """Has no metadata."""

    spec: Object | None = None


class Tight(msgspec.Struct):
    """Has nothing that is free."""

    metadata: ObjectMeta


def raw(obj: Any) -> msgspec.Raw:
    return msgspec.Raw(msgspec.json.encode(obj))


@pytest.mark.parametrize("model", [dict, msgspec.Raw, Free, Needy, Bare, Tight])
def test_the_metadata_are_those_of_the_object_whatever_it_is_read_into(model: type) -> None:
    meta, data = trim_for(model)(raw(WHOLE))
    assert msgspec.to_builtins(meta) == META
    into = Object if model is msgspec.Raw else model
    assert msgspec.json.decode(data, type=into) == msgspec.convert(WHOLE, into)


@pytest.mark.parametrize(
    ("model", "kept"),
    [
        (dict, {"metadata", "spec", "junk"}),
        (Free, {"metadata", "spec"}),
        (Needy, {"metadata", "spec"}),
        (Bare, {"spec"}),
        (Tight, {"metadata"}),
    ],
)
def test_no_more_is_kept_than_the_type_has_fields_for(model: type, kept: set[str]) -> None:
    _, data = trim_for(model)(raw(WHOLE))
    found = msgspec.json.decode(data)
    assert found.keys() == kept
    assert "managedFields" not in found.get("metadata", {}) or model is dict


@pytest.mark.parametrize("spec", [{}, {"a": {"b": None}}, None])
def test_what_is_free_comes_back_as_it_was(spec: Any) -> None:
    obj = {"metadata": {"name": "a"}, "spec": spec, "words": "farewell", "crew": ["x"]}
    _, data = trim_for(Free)(raw(obj))
    assert msgspec.json.decode(data, type=Free) == msgspec.convert(obj, Free)


@pytest.mark.parametrize(
    ("model", "obj"),
    [
        pytest.param(Free, {"spec": "x"}, id="a text in place of an object"),
        pytest.param(Free, {"spec": [1]}, id="a list in place of an object"),
        pytest.param(Free, {"metadata": {"name": 5}}, id="metadata that are none"),
        pytest.param(Free, {"words": 7}, id="a number in place of a text"),
        pytest.param(Needy, {"metadata": {}}, id="no spec"),
        pytest.param(Needy, {"metadata": {}, "spec": None}, id="nothing for a spec"),
        pytest.param(Tight, {}, id="no metadata"),
    ],
)
def test_what_does_not_fit_is_refused_as_by_the_type_itself(model: type, obj: Object) -> None:
    with pytest.raises(msgspec.ValidationError) as theirs:
        msgspec.json.decode(raw(obj), type=model)
    with pytest.raises(msgspec.ValidationError) as ours:
        trim_for(model)(raw(obj))
    assert str(ours.value) == str(theirs.value)
