"""The schemas of built-in kinds tell what their walkers ask."""

import pytest

from kedge.apiserver.kinds.schemas import OBJECT_META, schema_of, schema_of_kind
from kedge.kube.schema import UNSET, Schema

CORE = "io.k8s.api.core.v1."


def field(component: str, *path: str) -> Schema:
    schema = schema_of(component)
    for name in path:
        if name == "[]":
            assert schema.items is not None
            schema = schema.items
        elif name == "*":
            assert schema.additional is not None
            schema = schema.additional
        else:
            schema = schema.fields[name]
    return schema


@pytest.mark.parametrize(
    ("path", "go_type"),
    [
        (("PodSpec", "containers"), "[]v1.Container"),
        (("PodSpec", "containers", "[]"), "v1.Container"),
        (("PodSpec", "dnsPolicy"), "v1.DNSPolicy"),
        (("PodSpec", "nodeSelector"), "map[string]string"),
        (("Container", "resources", "limits"), "v1.ResourceList"),
        (("Container", "resources", "limits", "*"), "resource.Quantity"),
        (("SecurityContext", "capabilities", "add", "[]"), "v1.Capability"),
        (("Secret", "data", "*"), "[]uint8"),
        (("ServicePort", "port"), "int32"),
    ],
)
def test_types_have_the_names_that_go_prints(path: tuple[str, ...], go_type: str) -> None:
    assert field(CORE + path[0], *path[1:]).go_type == go_type


def test_what_go_leaves_out_is_known() -> None:
    assert not field(CORE + "PodSpec", "containers").omit_empty
    assert field(CORE + "PodSpec", "nodeName").omit_empty
    assert field("io.k8s.api.apps.v1.DeploymentSpec", "replicas").pointer
    assert field(OBJECT_META, "creationTimestamp").omit_zero


def test_merge_keys_and_list_types_are_those_of_openapi() -> None:
    ports = field(CORE + "ServiceSpec", "ports")
    assert (ports.merge_key, ports.patch_strategy) == ("port", "merge")
    assert (ports.list_type, ports.list_keys) == ("map", ("port", "protocol"))
    assert field(OBJECT_META, "finalizers").list_type == "set"
    assert field(CORE + "PodSpec", "nodeSelector").map_type == "atomic"
    assert field(CORE + "PodSpec", "tolerations").list_type == "atomic"


def test_defaults_are_told_where_openapi_states_them() -> None:
    assert field(CORE + "ServicePort", "protocol").default == "TCP"
    assert field(CORE + "ServicePort", "name").default is UNSET


def test_types_may_hold_themselves() -> None:
    component = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"
    nested = field(component, "properties", "*", "properties", "*", "allOf", "[]")
    assert nested.fields is schema_of(component).fields


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        ("v1", "Pod"),
        ("v1", "PodList"),
        ("autoscaling/v1", "Scale"),
        ("policy/v1", "Eviction"),
        ("v1", "DeleteOptions"),
    ],
)
def test_kinds_without_a_resource_have_schemas_too(api_version: str, kind: str) -> None:
    schema = schema_of_kind(api_version, kind)
    assert schema is not None
    assert schema.name == kind


def test_an_unknown_kind_has_none() -> None:
    assert schema_of_kind("v1", "Nothing") is None
    with pytest.raises(KeyError):
        schema_of("io.k8s.nothing")
