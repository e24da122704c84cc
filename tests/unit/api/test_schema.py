"""Types as schemas."""

from typing import Annotated, Any

import pytest

from kedge.api.part import Doc, Part, duration
from kedge.api.schema import schema_of


class Leaf(Part, frozen=True):
    size: Annotated[int, Doc("A size.", required=True, format="int64")] = 0


class Tree(Part, frozen=True):
    name_of_it: Annotated[str, Doc("A name.", values=("a", "b"))] = ""
    must: Annotated[list[str] | None, Doc("A list.", required=True, least=1)] = None
    may: Annotated[bool | None, Doc("A choice.")] = None
    leaf: Annotated[Leaf, Doc("A leaf.", atomic=True)] = Leaf()
    leaves: Annotated[list[Leaf] | None, Doc("Leaves.", keys=("size",))] = None
    labels: Annotated[dict[str, str] | None, Doc("A map.")] = None
    shaped: Annotated[list[dict[str, Any]] | None, Doc("Dicts.", shape=Leaf)] = None
    raw: Annotated[list[dict[str, Any]] | None, Doc("Anything.", preserve=True)] = None


LEAF = {
    "type": "object",
    "properties": {"size": {"description": "A size.", "type": "integer", "format": "int64"}},
    "required": ["size"],
}


def test_a_struct_becomes_a_structural_schema() -> None:
    schema = schema_of(Tree)
    assert schema["required"] == ["must"]
    assert schema["properties"] == {
        "nameOfIt": {"description": "A name.", "type": "string", "enum": ["a", "b"]},
        "must": {
            "description": "A list.",
            "type": "array",
            "items": {"type": "string"},
            "minItems": 1,
            "x-kubernetes-list-type": "atomic",
        },
        "may": {"description": "A choice.", "type": "boolean", "nullable": True},
        "leaf": {"description": "A leaf.", **LEAF, "x-kubernetes-map-type": "atomic"},
        "leaves": {
            "description": "Leaves.",
            "type": "array",
            "items": LEAF,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["size"],
            "nullable": True,
        },
        "labels": {
            "description": "A map.",
            "type": "object",
            "additionalProperties": {"type": "string"},
            "nullable": True,
        },
        "shaped": {
            "description": "Dicts.",
            "type": "array",
            "items": LEAF,
            "x-kubernetes-list-type": "atomic",
            "nullable": True,
        },
        "raw": {
            "description": "Anything.",
            "type": "array",
            "items": {"type": "object", "x-kubernetes-preserve-unknown-fields": True},
            "x-kubernetes-list-type": "atomic",
            "nullable": True,
        },
    }


class Mute(Part, frozen=True):
    silent: str = ""


class Split(Part, frozen=True):
    either: Annotated[int | str, Doc("Two types.")] = 0


class Odd(Part, frozen=True):
    number: Annotated[float, Doc("No kind of ours has fractions.")] = 0.0


@pytest.mark.parametrize(
    ("struct", "why"),
    [(Mute, "has no Doc"), (Split, "one type"), (Odd, "has no schema")],
)
def test_a_type_that_has_no_schema_is_a_mistake_of_ours(struct: type[Part], why: str) -> None:
    with pytest.raises(TypeError, match=why):
        schema_of(struct)


def test_a_duration_has_the_pattern_of_gos() -> None:
    assert duration("How long.").pattern.startswith("^")
