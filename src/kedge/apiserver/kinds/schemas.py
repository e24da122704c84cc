"""Schemas of the built-in kinds: the table as the tree that decoding, patches and apply walk."""

from functools import cache

from msgspec import UNSET as NOT_STATED

from kedge.apiserver.kinds.table import FieldInfo, Node, TypeInfo, builtin
from kedge.kube.schema import Fields, Schema

OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_EXTENSIONS = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1."
_SCHEMA_PROPS = _EXTENSIONS + "JSONSchemaProps"

# Types that read their own JSON: type and format of the node.
_FORMS = {
    "time": ("string", "date-time"),
    "microtime": ("string", "micro-time"),
    "quantity": ("string", "quantity"),
    "int-or-string": ("", "int-or-string"),
    "raw": ("object", "raw"),
    "fields": ("object", "fields"),
    "json": ("", "json"),
    "schema-or-array": ("", "schema-or-array"),
    "schema-or-bool": ("", "schema-or-bool"),
    "schema-or-strings": ("", "schema-or-strings"),
}
KEEPS_EMPTY = "keeps_empty"
"""Key of Schema.cache: an empty list here is not the same as none. Protobuf, in which a real server
stores all but the kinds of apiextensions, can not tell them apart."""


@cache
def schema_of(component: str) -> Schema:
    """Give the schema of a component, e.g. io.k8s.api.core.v1.Pod; raises KeyError."""
    info = builtin().type(component)
    return _reference(Schema(), component, info)


def schema_of_kind(api_version: str, kind: str) -> Schema | None:
    """Give the schema of a built-in kind; lists, Eviction and DeleteOptions included."""
    component = builtin().component_of(api_version, kind)
    return schema_of(component) if component else None


def _reference(node: Schema, component: str, info: TypeInfo) -> Schema:
    package, name = component.rsplit(".", 2)[-2:]
    node.go_type = f"{package}.{name}"
    if info.form == "object":
        node.type, node.name = "object", name
        node.required = info.required
        node.map_type = node.map_type or info.map_type
        node.load = lambda: _fields(component)
        return node
    node.type, node.format = _FORMS[info.form]
    if node.type == "object":
        node.preserve = True
        node.map_type = "atomic" if node.format == "raw" else "granular"
    if node.format.startswith("schema-or-"):
        node.load = lambda: {"schema": schema_of(_SCHEMA_PROPS)}
    return node


@cache
def _fields(component: str) -> Fields:
    found = {field.name: _field(field) for field in builtin().type(component).fields.values()}
    if component.startswith(_EXTENSIONS):
        for field in found.values():
            field.cache[KEEPS_EMPTY] = True
    return found


def _field(field: FieldInfo) -> Schema:
    node = _node(field, field.go_type)
    node.pointer = field.pointer
    node.omit_empty = "empty" in field.omit
    node.omit_zero = "zero" in field.omit
    node.patch_strategy = field.patch_strategy
    node.merge_key = field.patch_merge_key
    return node


def _node(info: Node, go_type: str) -> Schema:
    node = Schema(type=info.type, format=info.format, go_type=go_type, map_type=info.map_type)
    if info.default is not NOT_STATED:
        node.default = info.default
    if info.type == "ref":
        _reference(node, info.ref, builtin().type(info.ref))
    elif info.type == "any":
        node.type = ""
    elif info.items is not None:
        elements = _node(info.items, _element(go_type) or info.items.plain_go)
        if info.type == "array":
            node.items = elements
        else:
            node.type, node.additional = "object", elements
    node.list_type = info.list_type or "atomic"
    node.list_keys = info.list_map_keys
    node.map_type = node.map_type or "granular"
    return node


def _element(go_type: str) -> str:
    # []v1.Capability and map[string]v1.ExtraValue name their elements; v1.ResourceList does not.
    opening = go_type.find("[")
    return go_type[go_type.index("]") + 1 :] if opening in {0, 3} else ""
