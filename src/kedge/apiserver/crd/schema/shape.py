"""The structure of a schema: which fields there are, and what becomes of all others."""

from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]

META_FIELDS = frozenset({"apiVersion", "kind", "metadata"})


@dataclass(slots=True, eq=False)
class Shape:
    """One node of the structural part of a schema, without junctors and value validations."""

    type: str = ""
    properties: dict[str, "Shape"] = field(default_factory=dict)
    has_additional: bool = False
    """additionalProperties is set; `additional` is None where it is only true or false."""
    additional: "Shape | None" = None
    items: "Shape | None" = None
    preserve: bool = False
    embedded: bool = False
    int_or_string: bool = False
    nullable: bool = False
    default: Any = None
    list_type: str = ""
    list_keys: tuple[str, ...] = ()
    map_type: str = ""

    def find(self, name: str) -> "Shape | None":
        """Give what is known of a field, by its name or as a value of the map."""
        return self.properties.get(name) or self.additional


def shape_of(schema: Json) -> Shape:
    """Read the structure of a schema."""
    more, items = schema.get("additionalProperties"), schema.get("items")
    properties = schema.get("properties") or {}
    return Shape(
        type=schema.get("type") or "",
        properties={name: shape_of(properties[name]) for name in sorted(properties)},
        has_additional=more is not None,
        additional=shape_of(more) if isinstance(more, dict) else None,
        items=shape_of(items) if isinstance(items, dict) else None,
        preserve=bool(schema.get("x-kubernetes-preserve-unknown-fields")),
        embedded=bool(schema.get("x-kubernetes-embedded-resource")),
        int_or_string=bool(schema.get("x-kubernetes-int-or-string")),
        nullable=bool(schema.get("nullable")),
        default=schema.get("default"),
        list_type=schema.get("x-kubernetes-list-type") or "",
        list_keys=tuple(schema.get("x-kubernetes-list-map-keys") or ()),
        map_type=schema.get("x-kubernetes-map-type") or "",
    )


def root_of(schema: Json) -> Shape:
    """Read the structure of a whole resource: its metadata is known without being declared."""
    root = shape_of(schema)
    root.embedded = True
    return root
