"""Schemas compiled for apply."""

import pytest

from kedge.kube.apply.atoms import DEDUCED, WHOLE, MapAtom, atom_of
from kedge.kube.apply.objectmeta import OBJECT_META
from kedge.kube.schema import Fields, Schema
from tests.unit.kube.apply.shapes import SETTINGS, WIDGET, list_of, struct, text


def map_of(schema: Schema, structured: bool = False) -> MapAtom:
    found = atom_of(schema, structured).map
    assert found is not None
    return found


def test_a_schema_is_compiled_once() -> None:
    assert atom_of(WIDGET) is atom_of(WIDGET)
    assert atom_of(SETTINGS, True) is atom_of(SETTINGS, True)
    assert atom_of(SETTINGS, True) is not atom_of(SETTINGS)


def test_a_type_may_hold_itself() -> None:
    def load() -> Fields:
        return {"child": node}

    node = Schema(type="object", name="Node", load=load)
    child = map_of(node).child("child")
    assert child.map is map_of(node)


def test_only_fields_are_compiled_late() -> None:
    with pytest.raises(AttributeError):
        _ = map_of(WIDGET).nothing


def test_a_custom_resource_has_metadata_whatever_its_schema_says() -> None:
    odd = struct(metadata=struct(name=text(format="whatever")))
    meta = map_of(odd).child("metadata").map
    assert meta is not None
    assert set(meta.fields) == set(OBJECT_META.fields)
    assert map_of(Schema(type="object")).element is None


def test_an_embedded_object_has_metadata_too() -> None:
    inner = Schema(type="object", embedded=True, preserve=True)
    embedded = map_of(struct(inner=inner)).child("inner").map
    assert embedded is not None
    assert list(embedded.fields) == ["apiVersion", "kind", "metadata"]
    assert embedded.element is DEDUCED


def test_what_is_below_a_place_that_keeps_unknown_fields_keeps_them_as_well() -> None:
    inner = struct(a=text())
    outer = Schema(type="object", declared={"inner": inner, "meta": OBJECT_META}, preserve=True)
    below = map_of(struct(outer=outer)).child("outer").map
    assert below is not None
    assert below.child("inner").map is not None
    assert below.child("inner").map.element is DEDUCED  # type: ignore[union-attr]
    assert below.child("meta").map.element is None  # type: ignore[union-attr]


def test_an_object_without_a_shape_is_deduced() -> None:
    free = map_of(struct(free=Schema(type="object"))).child("free").map
    assert free is not None
    assert free.child("x") is DEDUCED
    assert DEDUCED.list is WHOLE.list


def test_raw_data_is_owned_as_a_whole() -> None:
    assert map_of(struct("K", raw=Schema(type="object", format="raw"))).child("raw") is WHOLE


def test_what_go_writes_unasked() -> None:
    inner = struct("Inner", deep=text(omit_empty=False))
    fields = {
        "value": inner,
        "pointer": Schema(type="object", name="P", declared={}, pointer=True),
        "null": Schema(type="object", name="P", declared={}, pointer=True, omit_empty=False),
        "time": Schema(type="string", format="date-time"),
        "left_out": Schema(type="string", format="date-time", omit_zero=True),
        "quantity": Schema(type="string", format="quantity"),
        "port": Schema(format="int-or-string"),
        "raw": Schema(type="object", format="raw"),
        "data": Schema(type="string", format="byte", omit_empty=False),
        "text": text(),
        "list": Schema(type="array", items=text(), omit_empty=False),
        "flag": Schema(type="boolean", omit_empty=False),
    }
    assert map_of(struct("Kind", **fields), structured=True).fixed == {
        "value": {"deep": ""},
        "null": None,
        "time": None,
        "quantity": "0",
        "port": 0,
        "raw": None,
        "data": None,
        "list": None,
        "flag": False,
    }


@pytest.mark.parametrize(
    ("item", "element"),
    [
        pytest.param(struct("I", k=text(omit_empty=False)), 'k:{"k":""}', id="zero value"),
        pytest.param(struct(k=text(default="x")), 'k:{"k":"x"}', id="default"),
        pytest.param(struct("I", k=text(default="x")), 'k:{"k":"x"}', id="default of a struct"),
    ],
)
def test_a_key_that_is_missing_has_its_default(item: Schema, element: str) -> None:
    atom = map_of(struct("K", items=list_of(item, "k"))).child("items").list
    assert atom is not None
    assert atom.element({}) == element


@pytest.mark.parametrize("item", [struct(), None], ids=["not declared", "no items"])
def test_a_key_that_is_not_declared_has_no_default(item: Schema | None) -> None:
    schema = Schema(type="array", items=item, list_type="map", list_keys=("k",))
    atom = map_of(struct(items=schema)).child("items").list
    assert atom is not None
    with pytest.raises(ValueError, match="omits all key fields"):
        atom.element({})


def test_only_what_may_hold_anything_is_compared_strictly() -> None:
    assert map_of(WIDGET).is_loose
    assert not map_of(struct(a=text(), b=Schema(format="int-or-string"))).is_loose
    assert not map_of(SETTINGS).is_loose
    assert map_of(struct(a=list_of(Schema()))).is_loose
    assert not map_of(struct(meta=OBJECT_META)).is_loose
