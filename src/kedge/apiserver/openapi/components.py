"""Schemas of the built-in types as OpenAPI 3 and OpenAPI 2 write them, without descriptions."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from msgspec import UNSET

from kedge.apiserver.kinds.table import FieldInfo, Node, TypeInfo, builtin

Document = dict[str, Any]

META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1."
PATCH: Final = META + "Patch"
STATUS: Final = META + "Status"
DELETE_OPTIONS: Final = META + "DeleteOptions"

_FORMS_3: Final[dict[str, Document]] = {
    "quantity": {"oneOf": [{"type": "string"}, {"type": "number"}]},
    "int-or-string": {
        "format": "int-or-string",
        "oneOf": [{"type": "integer"}, {"type": "string"}],
    },
    "time": {"type": "string", "format": "date-time"},
    "microtime": {"type": "string", "format": "date-time"},
    "raw": {"type": "object"},
    "fields": {"type": "object"},
}
_FORMS_2: Final[dict[str, Document]] = _FORMS_3 | {
    "quantity": {"type": "string"},
    "int-or-string": {"type": "string", "format": "int-or-string"},
}


@dataclass(frozen=True, slots=True)
class Dialect:
    """What differs between the two versions of OpenAPI."""

    version: int
    prefix: str
    """Where references point to."""
    forms: dict[str, Document]
    has_defaults: bool

    def reference(self, component: str) -> Document:
        """Refer to a component."""
        return {"$ref": self.prefix + component}


V3: Final = Dialect(3, "#/components/schemas/", _FORMS_3, has_defaults=True)
V2: Final = Dialect(2, "#/definitions/", _FORMS_2, has_defaults=False)


def component(name: str, dialect: Dialect) -> Document:
    """Write one built-in type."""
    if name == PATCH:
        return {"type": "object"}
    info = builtin().type(name)
    if info.form != "object":
        return dict(dialect.forms.get(info.form, {}))
    return _struct(info, dialect)


def _struct(info: TypeInfo, dialect: Dialect) -> Document:
    found: Document = {"type": "object"}
    if info.required:
        found["required"] = list(info.required)
    if info.fields:
        fields = {name: _field(info.fields[name], dialect) for name in sorted(info.fields)}
        found["properties"] = fields
    if info.gvks:
        found["x-kubernetes-group-version-kind"] = [
            {"group": gvk.group, "kind": gvk.kind, "version": gvk.version} for gvk in info.gvks
        ]
    if info.map_type:
        found["x-kubernetes-map-type"] = info.map_type
    if info.unions:
        found["x-kubernetes-unions"] = info.unions
    return found


def _field(field: FieldInfo, dialect: Dialect) -> Document:
    found = _node(field, dialect, alone=False)
    if field.patch_merge_key:
        found["x-kubernetes-patch-merge-key"] = field.patch_merge_key
    if field.patch_strategy:
        found["x-kubernetes-patch-strategy"] = field.patch_strategy
    return found


def _node(node: Node, dialect: Dialect, alone: bool = True) -> Document:
    """Write a node; a reference that is not `alone` has neighbours, which OpenAPI 3 forbids."""
    found: Document = {}
    if node.type not in {"ref", "any"}:
        found["type"] = "object" if node.type == "map" else node.type
    if node.format:
        found["format"] = node.format
    if dialect.has_defaults and node.default is not UNSET:
        found["default"] = node.default
    if node.enum:
        found["enum"] = list(node.enum)
    if node.type == "ref":
        reference = dialect.reference(node.ref)
        found |= (
            reference if dialect.version == 2 or (alone and not found) else {"allOf": [reference]}
        )
    elif node.items is not None:
        key = "items" if node.type == "array" else "additionalProperties"
        found[key] = _node(node.items, dialect)
    if node.list_map_keys:
        found["x-kubernetes-list-map-keys"] = list(node.list_map_keys)
    if node.list_type:
        found["x-kubernetes-list-type"] = node.list_type
    if node.map_type:
        found["x-kubernetes-map-type"] = node.map_type
    return found


def closure(
    names: Iterable[str], dialect: Dialect, others: Callable[[str], Document | None]
) -> Document:
    """Write components and all that they refer to; `others` gives those that are not built in."""
    found: Document = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        found[name] = others(name) or component(name, dialect)
        waiting += references(found[name], dialect.prefix)
    return {name: found[name] for name in sorted(found)}


def references(value: Any, prefix: str) -> list[str]:
    """Name the components that a value refers to."""
    if isinstance(value, dict):
        found = [name for item in value.values() for name in references(item, prefix)]
        target = value.get("$ref")
        if isinstance(target, str) and target.startswith(prefix):
            found.append(target.removeprefix(prefix))
        return found
    if isinstance(value, list):
        return [name for item in value for name in references(item, prefix)]
    return []
