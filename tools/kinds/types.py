"""OpenAPI schemas and Go structs, in short."""

import msgspec

from kedge.apiserver.kinds.table import Node
from tools.kinds.resources import filled
from tools.kinds.source import Json, group_version

# What reads its own JSON: the form by the name of the type.
FORMS = {
    "Time": "time",
    "MicroTime": "microtime",
    "Duration": "duration",
    "Quantity": "quantity",
    "IntOrString": "int-or-string",
    "RawExtension": "raw",
    "FieldsV1": "fields",
    "JSON": "json",
    "JSONSchemaPropsOrArray": "schema-or-array",
    "JSONSchemaPropsOrBool": "schema-or-bool",
    "JSONSchemaPropsOrStringArray": "schema-or-strings",
}
KNOWN = {
    "type",
    "format",
    "description",
    "default",
    "enum",
    "items",
    "additionalProperties",
    "$ref",
    "allOf",
    "x-kubernetes-list-type",
    "x-kubernetes-list-map-keys",
    "x-kubernetes-map-type",
    "x-kubernetes-patch-strategy",
    "x-kubernetes-patch-merge-key",
}
REFERENCE = "#/components/schemas/"


def kinds(schemas: dict[str, Json]) -> dict[str, str]:
    """Map "apiVersion/Kind" to the component; what every group shares counts as core only."""
    found = {}
    for component, schema in sorted(schemas.items()):
        named = schema.get("x-kubernetes-group-version-kind", [])
        for gvk in named if len(named) == 1 else [g for g in named if g["group"] == ""]:
            found[f"{group_version(gvk['group'], gvk['version'])}/{gvk['kind']}"] = component
    return found


def types(schemas: dict[str, Json], go: dict[str, list[Json] | None]) -> dict[str, Json]:
    """Shorten every component."""
    return {name: _type(name, schemas[name], go.get(name)) for name in sorted(schemas)}


def _type(component: str, schema: Json, go: list[Json] | None) -> Json:
    if form := FORMS.get(component.rpartition(".")[2]):
        if go is not None or "properties" in schema:
            raise ValueError(f"{component} is not the scalar it is taken for")
        return {"form": form}
    fields = _fields(component, schema, go or [])
    return filled(
        {"fields": fields},
        map=schema.get("x-kubernetes-map-type"),
        unions=schema.get("x-kubernetes-unions"),
        gvks=schema.get("x-kubernetes-group-version-kind"),
    )


def _fields(component: str, schema: Json, go: list[Json]) -> list[Json]:
    properties, required = schema.get("properties", {}), schema.get("required", [])
    if properties.keys() != {f["name"] for f in go}:
        raise ValueError(f"{component} has other fields in OpenAPI than in Go")
    names = [f["name"] for f in go]
    if required != [n for n in names if n in required]:
        raise ValueError(f"{component} requires its fields in another order than Go's")
    return [_field(f, properties[f["name"]], f["name"] in required) for f in go]


def _field(go: Json, schema: Json, required: bool) -> Json:
    short = node(schema)
    plain = msgspec.convert(short, Node).plain_go  # only what it does not say is written down
    omit = go.get("omit", "").replace("omit", "") or "never"
    return filled(
        {"name": go["name"]} | short,
        required=required,
        patch=schema.get("x-kubernetes-patch-strategy"),
        mergeKey=schema.get("x-kubernetes-patch-merge-key"),
        go=go["go"] if go["go"] != plain else None,
        pointer=go.get("pointer"),
        omit=omit if omit != "empty" else None,
    )


def node(schema: Json) -> Json:
    """Shorten what a value may be; a keyword that the format has no word for is an error."""
    if unknown := schema.keys() - KNOWN:
        raise ValueError(f"unexpected keywords: {sorted(unknown)}")
    short: Json = {"type": schema.get("type", "any")}
    reference = schema.get("$ref") or schema.get("allOf", [{}])[0].get("$ref")
    if reference:
        short = {"type": "ref", "ref": reference.removeprefix(REFERENCE)}
    elif inner := schema.get("items") or schema.get("additionalProperties"):
        short = {"type": "array" if "items" in schema else "map", "items": node(inner)}
    short = filled(
        short,
        format=schema.get("format"),
        list=schema.get("x-kubernetes-list-type"),
        keys=schema.get("x-kubernetes-list-map-keys"),
        map=schema.get("x-kubernetes-map-type"),
        enum=schema.get("enum"),
    )
    return short | ({"default": schema["default"]} if "default" in schema else {})
