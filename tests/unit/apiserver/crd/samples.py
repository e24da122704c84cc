"""CRDs and objects for the tests."""

from typing import Any

from kedge.apiserver.crd.definition import DefinitionStrategy
from kedge.apiserver.crd.names import establish
from kedge.apiserver.crd.resource import resources_of
from kedge.apiserver.resource import Context, Resource

NOW = "2026-01-01T00:00:00Z"
Json = dict[str, Any]


def version(name: str = "v1", schema: Json | None = None, **more: Any) -> Json:
    """Make a version that is served and stored."""
    root = schema or {"type": "object", "properties": {"spec": {"type": "object"}}}
    return {
        "name": name,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": root},
        **more,
    }


def crd(*versions: Json, **spec: Any) -> Json:
    """Make a CRD of things.example.com."""
    names = {"plural": "things", "kind": "Thing"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.example.com"},
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": names,
            "versions": list(versions) or [version()],
            **spec,
        },
    }


def created(definition: Json) -> Json:
    """Give a CRD as it is after its creation."""
    strategy = DefinitionStrategy()
    strategy.default(definition)
    strategy.prepare_create(definition, Context())
    definition["metadata"]["generation"] = 1
    return definition


def established(definition: Json) -> Json:
    """Give a CRD whose names have been accepted, and which is served."""
    definition = created(definition)
    for _ in range(2):
        definition["status"] = establish(definition, [], NOW)
    return definition


def served(*versions: Json, **spec: Any) -> list[Resource]:
    """Give the resources of a CRD."""
    return resources_of(established(crd(*versions, **spec)))


def thing(spec: Json | None = None, **more: Any) -> Json:
    """Make an object of the CRD."""
    return {
        "apiVersion": "example.com/v1",
        "kind": "Thing",
        "metadata": {"name": "a", "namespace": "default"},
        **({"spec": spec} if spec is not None else {}),
        **more,
    }
