"""What OpenAPI 2 and 3 say of a custom kind."""

from typing import Any

from kedge.apiserver.resource import Object, Resource

_REFERENCES = {2: "#/definitions/", 3: "#/components/schemas/"}
_META = "io.k8s.apimachinery.pkg.apis.meta.v1."
_CONVENTIONS = "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md"
_OBJECT_TEXT = f"Standard object's metadata. More info: {_CONVENTIONS}#metadata"
_API_VERSION = {
    "description": (
        "APIVersion defines the versioned schema of this representation of an object. Servers "
        "should convert recognized schemas to the latest internal value, and may reject "
        "unrecognized values. "
        f"More info: {_CONVENTIONS}#resources"
    ),
    "type": "string",
}
_KIND = {
    "description": (
        "Kind is a string value representing the REST resource this object represents. Servers may "
        "infer this from the endpoint the client submits requests to. Cannot be updated. In "
        "CamelCase. "
        f"More info: {_CONVENTIONS}#types-kinds"
    ),
    "type": "string",
}
_INNER_API_VERSION = {
    "description": (
        "apiVersion defines the versioned schema of this representation of an object. "
        f"More info: {_CONVENTIONS}#resources"
    ),
    "type": "string",
}
_INNER_KIND = {
    "description": (
        "kind is a string value representing the type of this object. In CamelCase. "
        f"More info: {_CONVENTIONS}#types-kinds"
    ),
    "type": "string",
}
_INT_OR_STRING = [{"type": "integer"}, {"type": "string"}]
_JUNCTORS = ("allOf", "anyOf", "oneOf")
_DROPPED = frozenset({"externalDocs", "example", "$schema", "id", "$ref"})
_KEEP = "x-kubernetes-preserve-unknown-fields"
_EMBED = "x-kubernetes-embedded-resource"
_IOS = "x-kubernetes-int-or-string"


def fragment(resource: Resource, edition: int) -> Object:
    """Write the definition of a custom kind for OpenAPI 2 or 3."""
    node = _Writer(edition).resource(resource.schema.rules.openapi)
    return _marked(node, resource, resource.kind)


def _marked(node: Object, resource: Resource, kind: str) -> Object:
    """Add what tools find a definition by."""
    node["x-kubernetes-group-version-kind"] = [
        {"group": resource.group, "kind": kind, "version": resource.version}
    ]
    if resource.selectable:
        node["x-kubernetes-selectable-fields"] = [
            {"fieldPath": path} for path in resource.selectable
        ]
    return node


class _Writer:
    """Writes schemas for one edition of OpenAPI."""

    def __init__(self, edition: int) -> None:
        self.edition = edition

    def reference(self, name: str) -> str:
        """Point to a definition."""
        return _REFERENCES[self.edition] + name

    def described(self, name: str, description: str) -> Object:
        """Point to a definition, with a description."""
        if self.edition == 2:
            return {"description": description, "$ref": self.reference(name)}
        return {"description": description, "allOf": [{"$ref": self.reference(name)}]}

    def resource(self, schema: Object) -> Object:
        """Write the schema of a resource, with the fields that all resources have."""
        if not schema or (self.edition == 2 and schema.get(_KEEP)):
            # More would make kubectl refuse what is not mentioned.
            return {"type": "object"}
        node = self.node(schema)
        node["properties"] = {
            **node.get("properties", {}),
            "apiVersion": _API_VERSION,
            "kind": _KIND,
            "metadata": self.described(f"{_META}ObjectMeta", _OBJECT_TEXT),
        }
        return node

    def node(self, schema: Object) -> Object:
        """Write one node and all below it."""
        kept = {
            key: value
            for key, value in schema.items()
            if key not in _DROPPED and _is_written(key, value)
        }
        kept = _older(kept) if self.edition == 2 else _unfolded(kept)
        if "properties" in kept:
            kept["properties"] = {
                name: self.node(part) for name, part in sorted(kept["properties"].items())
            }
        for key in ("items", "additionalProperties"):
            if isinstance(kept.get(key), dict):
                kept[key] = self.node(kept[key])
        if kept.get(_EMBED) and not (self.edition == 2 and kept.get(_KEEP)):
            self._embed(kept)
        return kept

    def _embed(self, node: Object) -> None:
        node["properties"] = {
            **node.get("properties", {}),
            "apiVersion": _INNER_API_VERSION,
            "kind": _INNER_KIND,
            "metadata": self.described(f"{_META}ObjectMeta", _OBJECT_TEXT),
        }
        needed = node.get("required", [])
        more = [name for name in ("kind", "apiVersion") if name not in needed]
        node["required"] = [*needed, *more]


def _is_written(key: str, value: Any) -> bool:
    """Say whether Go writes a keyword: not if it is empty."""
    if key in ("default", "additionalProperties"):
        return value is not None
    if isinstance(value, bool) or value is None:
        return bool(value)
    return isinstance(value, int | float) or bool(value)


def _unfolded(node: Object) -> Object:
    """Say what int-or-string means in words that others know."""
    if not node.get(_IOS):
        return node
    first = (node.get("allOf") or [{}])[0]
    if _INT_OR_STRING in (node.get("anyOf"), first.get("anyOf")):
        return node
    if "anyOf" not in node:
        return {**node, "anyOf": _INT_OR_STRING}
    return {**node, "allOf": [{"anyOf": _INT_OR_STRING}, *node.get("allOf", [])]}


def _older(node: Object) -> Object:
    """Leave out what OpenAPI 2, or kubectl's reading of it, does not know."""
    node = {key: value for key, value in node.items() if key not in (*_JUNCTORS, "not", "default")}
    if node.pop("nullable", False):
        for key in ("type", "items", "properties"):
            node.pop(key, None)
    if node.get(_KEEP):
        node.pop("items", None)
        node.pop("properties", None)
    if node.get("type") == "array" and "items" not in node:
        del node["type"]
    if node.get(_KEEP) and node.get("type") == "object":
        del node["type"]
    _free_nullables(node)
    return node


def _free_nullables(node: Object) -> None:
    """Require no field that may be null, for its null is not told."""
    properties, more = node.get("properties") or {}, node.get("additionalProperties")
    needed = [
        name
        for name in node.pop("required", [])
        if not (properties.get(name) or {}).get("nullable")
    ]
    if needed and not (isinstance(more, dict) and more.get("nullable")):
        node["required"] = needed
