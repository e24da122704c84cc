"""Whole OpenAPI documents: one for each group and version (3.0), and one for all (2.0)."""

from collections.abc import Callable, Iterable
from typing import Any, Final

from kedge.apiserver.openapi.components import META, V2, V3, Dialect, Document, closure, references
from kedge.apiserver.openapi.operations import (
    Operations,
    component_of,
    list_component_of,
    operations_of,
)
from kedge.apiserver.openapi.paths import paths2, paths3
from kedge.apiserver.resource import Resource

Fragment = Callable[[Resource, int], dict[str, Any]]
"""Gives the whole schema of a custom resource as it is published in OpenAPI 2 or 3."""

INFO: Final = {"title": "Kubernetes", "version": "1.34"}
CUSTOM_INFO: Final = {"title": "Kubernetes CRD Swagger", "version": "v0.1.0"}
BEARER: Final = {
    "BearerToken": {
        "description": "Bearer Token authentication",
        "type": "apiKey",
        "name": "authorization",
        "in": "header",
    }
}
_TEXT: Final = {"type": "string"}


def document3(resources: list[Resource], fragment: Fragment) -> Document:
    """Make the OpenAPI 3 document of one group and version."""
    first = resources[0]
    operations = _operations(resources)
    paths = paths3(operations, first.group, first.version)
    components: Document = {"schemas": _schemas(resources, paths, V3, fragment)}
    if not first.custom:
        components["securitySchemes"] = BEARER
    return {
        "openapi": "3.0.0",
        "info": CUSTOM_INFO if first.custom else INFO,
        "paths": paths,
        "components": components,
    }


def document2(versions: Iterable[list[Resource]], fragment: Fragment) -> Document:
    """Make the OpenAPI 2 document of all groups and versions."""
    paths: Document = {}
    everything: list[Resource] = []
    for resources in versions:
        first = resources[0]
        paths |= paths2(_operations(resources), first.group, first.version)
        everything += resources
    return {
        "swagger": "2.0",
        "info": INFO,
        "paths": {path: paths[path] for path in sorted(paths)},
        "definitions": _schemas(everything, paths, V2, fragment),
        "securityDefinitions": BEARER,
        "security": [{"BearerToken": []}],
    }


def _operations(resources: list[Resource]) -> Operations:
    found: Operations = {}
    for resource in resources:
        found |= operations_of(resource)
    return found


def _schemas(
    resources: list[Resource], paths: Document, dialect: Dialect, fragment: Fragment
) -> Document:
    custom = {component_of(one): one for one in resources if one.custom}
    lists = {list_component_of(one): one for one in resources if one.custom}

    def others(name: str) -> Document | None:
        if name in custom:
            return fragment(custom[name], dialect.version)
        return custom_list(lists[name], dialect) if name in lists else None

    return closure(references(paths, dialect.prefix), dialect, others)


def custom_list(resource: Resource, dialect: Dialect) -> Document:
    """Write the list of a custom resource."""
    return {
        "type": "object",
        "required": ["items"],
        "properties": {
            "apiVersion": _TEXT,
            "items": {"type": "array", "items": dialect.reference(component_of(resource))},
            "kind": _TEXT,
            "metadata": _reference(META + "ListMeta", dialect),
        },
        "x-kubernetes-group-version-kind": [
            _kind(resource, resource.list_kind or f"{resource.kind}List")
        ],
    }


def _reference(component: str, dialect: Dialect) -> Document:
    reference = dialect.reference(component)
    return {"allOf": [reference]} if dialect.version == 3 else reference


def _kind(resource: Resource, kind: str) -> Document:
    return {"group": resource.group, "kind": kind, "version": resource.version}
