"""Documents describe what is served, and refer to nothing that they do not have."""

from typing import Any

import pytest

from kedge.apiserver.openapi.components import V2, V3, component, references
from kedge.apiserver.openapi.documents import document2, document3
from kedge.apiserver.openapi.operations import tag_of
from kedge.apiserver.resource import Resource

from .conftest import FRAGMENT, bars

DEPLOYMENT = "/apis/apps/v1/namespaces/{namespace}/deployments/{name}"


def fragment(resource: Resource, version: int) -> dict[str, Any]:
    return FRAGMENT


def of(resources: list[Resource], group: str, version: str) -> list[Resource]:
    return [one for one in resources if (one.group, one.version) == (group, version)]


def test_every_reference_is_answered(builtins: list[Resource]) -> None:
    versions = sorted({(one.group, one.version) for one in builtins})
    for group, version in versions:
        document = document3(of(builtins, group, version), fragment)
        assert set(references(document, V3.prefix)) == set(document["components"]["schemas"])
    whole = document2([of(builtins, *names) for names in versions], fragment)
    assert set(references(whole, V2.prefix)) == set(whole["definitions"])


def test_an_operation_tells_its_kind_and_parameters(builtins: list[Resource]) -> None:
    document = document3(of(builtins, "apps", "v1"), fragment)
    patch = document["paths"][DEPLOYMENT]["patch"]
    assert patch["operationId"] == "patchAppsV1NamespacedDeployment"
    assert patch["x-kubernetes-action"] == "patch"
    assert patch["x-kubernetes-group-version-kind"] == {
        "group": "apps",
        "version": "v1",
        "kind": "Deployment",
    }
    # kubectl looks for these before it relies on the server's validation and dry run.
    names = [parameter["name"] for parameter in patch["parameters"]]
    assert names == ["dryRun", "fieldManager", "fieldValidation", "force"]
    assert sorted(patch["requestBody"]["content"]) == [
        "application/apply-patch+yaml",
        "application/json-patch+json",
        "application/merge-patch+json",
        "application/strategic-merge-patch+json",
    ]


def test_parameters_that_all_operations_share_stand_at_the_path(builtins: list[Resource]) -> None:
    paths = document3(of(builtins, "", "v1"), fragment)["paths"]
    shared = paths["/api/v1/namespaces/{namespace}/pods/{name}/eviction"]["parameters"]
    assert [parameter["name"] for parameter in shared] == [
        "dryRun",
        "fieldManager",
        "fieldValidation",
        "name",
        "namespace",
        "pretty",
    ]
    assert "/api/v1/namespaces/{namespace}/pods/{name}/exec" not in paths


@pytest.mark.parametrize(
    ("path", "names"),
    [
        ("/api/v1/pods", {"get"}),
        ("/api/v1/namespaces/{namespace}/pods", {"get", "post", "delete"}),
        ("/api/v1/namespaces/{name}", {"get", "put", "delete", "patch"}),
        ("/api/v1/namespaces/{name}/finalize", {"put"}),
        ("/api/v1/namespaces/{namespace}/bindings", {"post"}),
        ("/api/v1/componentstatuses", {"get"}),
    ],
)
def test_paths_have_the_methods_of_their_verbs(
    builtins: list[Resource], path: str, names: set[str]
) -> None:
    item = document3(of(builtins, "", "v1"), fragment)["paths"][path]
    assert item.keys() - {"parameters"} == names


def test_a_custom_kind_is_what_its_schema_says() -> None:
    document = document3([bars()], fragment)
    assert document["info"]["title"] == "Kubernetes CRD Swagger"
    assert document["components"]["schemas"]["io.tz.v1.Bar"] == FRAGMENT
    assert document2([[bars()]], fragment)["definitions"]["io.tz.v1.Bar"] == FRAGMENT
    listed = document["components"]["schemas"]["io.tz.v1.BarList"]
    assert listed["properties"]["items"]["items"] == {"$ref": "#/components/schemas/io.tz.v1.Bar"}
    item = document["paths"]["/apis/tz.io/v1/namespaces/{namespace}/bars/{name}"]
    assert "application/strategic-merge-patch+json" not in item["patch"]["requestBody"]["content"]
    scale = document["paths"]["/apis/tz.io/v1/namespaces/{namespace}/bars/{name}/scale"]
    assert scale["get"]["x-kubernetes-group-version-kind"]["kind"] == "Bar"


def test_components_are_those_of_a_real_server_without_descriptions() -> None:
    name = "io.k8s.api.core.v1.ServicePort"
    target = "io.k8s.apimachinery.pkg.util.intstr.IntOrString"
    number = {"type": "integer", "format": "int32"}
    protocol = {"type": "string", "enum": ["SCTP", "TCP", "UDP"]}
    fields = {
        "appProtocol": {"type": "string"},
        "name": {"type": "string"},
        "nodePort": number,
    }
    assert component(name, V2) == {
        "type": "object",
        "required": ["port"],
        "properties": {
            **fields,
            "port": number,
            "protocol": protocol,
            "targetPort": {"$ref": f"#/definitions/{target}"},
        },
    }
    assert component(name, V3)["properties"] == {
        **fields,
        "port": {**number, "default": 0},
        "protocol": {**protocol, "default": "TCP"},
        "targetPort": {"allOf": [{"$ref": f"#/components/schemas/{target}"}]},
    }


@pytest.mark.parametrize(
    ("group", "tag"),
    [
        ("", "core_v1"),
        ("apps", "apps_v1"),
        ("rbac.authorization.k8s.io", "rbacAuthorization_v1"),
        ("tz.io", "tzIo_v1"),
    ],
)
def test_operations_are_grouped_by_group_and_version(group: str, tag: str) -> None:
    assert tag_of(group, "v1") == tag
