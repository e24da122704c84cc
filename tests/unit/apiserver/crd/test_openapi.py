from typing import Any

from kedge.apiserver.crd.openapi import fragment
from tests.unit.apiserver.crd.samples import served, version

FIELDS: dict[str, Any] = {
    "plain": {"type": "string", "default": "x", "minLength": 1},
    "maybe": {"type": "string", "nullable": True},
    "number": {"x-kubernetes-int-or-string": True},
    "choice": {"type": "integer", "oneOf": [{"minimum": 1}, {"maximum": 0}]},
    "free": {
        "type": "object",
        "x-kubernetes-preserve-unknown-fields": True,
        "properties": {"a": {"type": "string"}},
    },
    "inner": {
        "type": "object",
        "x-kubernetes-embedded-resource": True,
        "properties": {"spec": {"type": "object"}},
    },
}
SCHEMA = {
    "type": "object",
    "description": "A thing.",
    "properties": {
        "spec": {"type": "object", "required": ["plain", "maybe"], "properties": FIELDS}
    },
}
META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"


def published(edition: int) -> Any:
    (resource,) = served(version(schema=SCHEMA, selectableFields=[{"jsonPath": ".spec.plain"}]))
    return fragment(resource, edition)


def test_openapi_3_says_all_there_is_to_say() -> None:
    node = published(3)
    fields = node["properties"]["spec"]["properties"]
    assert node["description"] == "A thing."
    assert node["x-kubernetes-group-version-kind"] == [
        {"group": "example.com", "kind": "Thing", "version": "v1"}
    ]
    assert node["x-kubernetes-selectable-fields"] == [{"fieldPath": "spec.plain"}]
    assert node["properties"]["metadata"]["allOf"] == [{"$ref": f"#/components/schemas/{META}"}]
    assert fields["plain"] == FIELDS["plain"]
    assert fields["number"]["anyOf"] == [{"type": "integer"}, {"type": "string"}]
    assert fields["choice"] == FIELDS["choice"]
    assert fields["inner"]["required"] == ["kind", "apiVersion"]
    assert set(fields["inner"]["properties"]) == {"apiVersion", "kind", "metadata", "spec"}


def test_openapi_2_leaves_out_what_kubectl_can_not_read() -> None:
    node = published(2)
    spec = node["properties"]["spec"]
    fields = spec["properties"]
    assert node["properties"]["metadata"]["$ref"] == f"#/definitions/{META}"
    assert spec["required"] == ["plain"]
    assert fields["plain"] == {"type": "string", "minLength": 1}
    assert fields["maybe"] == {}
    assert fields["choice"] == {"type": "integer"}
    assert fields["free"] == {"x-kubernetes-preserve-unknown-fields": True}
    assert "anyOf" not in fields["number"]


def test_a_kind_that_keeps_unknown_fields_has_no_fields_in_openapi_2() -> None:
    root = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    (resource,) = served(version(schema=root))
    assert "properties" not in fragment(resource, 2)
    assert "metadata" in fragment(resource, 3)["properties"]
