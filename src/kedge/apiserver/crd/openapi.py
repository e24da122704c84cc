"""The schema of a custom kind as OpenAPI publishes it: kubectl explain reads it there."""

from typing import Any

from kedge.apiserver.resource import Resource

NOT_IN_V2 = frozenset({"oneOf", "anyOf", "not", "nullable", "default"})
"""Keywords that OpenAPI 2 lacks, or that kubectl's reader of it trips over."""

Json = dict[str, Any]


def fragment(resource: Resource, version: int) -> Json:
    """Give the schema of a custom resource for OpenAPI 2 or 3."""
    schema: Json = resource.schema.rules.openapi or {}
    return schema if version == 3 else without(schema)


def without(schema: Any) -> Any:
    """Leave out what OpenAPI 2 does not have; properties may have such names."""
    if isinstance(schema, list):
        return [without(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    result = {}
    for name, value in schema.items():
        if name == "properties" and isinstance(value, dict):
            result[name] = {field: without(inner) for field, inner in value.items()}
        elif name not in NOT_IN_V2:
            result[name] = without(value)
    return result
