"""The table of built-in kinds says what a real server says."""

import pytest
from msgspec import UNSET

from kedge.apiserver.kinds.table import DATA, KindTable, builtin

CORE = "io.k8s.api.core.v1."
META = "io.k8s.apimachinery.pkg.apis.meta.v1."


@pytest.fixture(scope="module")
def table() -> KindTable:
    return KindTable(DATA.read_bytes())


def test_groups_come_in_the_order_of_discovery_with_the_preferred_version_first(
    table: KindTable,
) -> None:
    names = [group.name for group in table.groups]
    assert names[:4] == ["", "apiregistration.k8s.io", "apps", "events.k8s.io"]
    assert {g.name: g.versions for g in table.groups}["autoscaling"] == ("v2", "v1")


@pytest.mark.parametrize(
    "group",
    [
        "",
        "apps",
        "batch",
        "rbac.authorization.k8s.io",
        "networking.k8s.io",
        "policy",
        "storage.k8s.io",
        "autoscaling",
        "coordination.k8s.io",
        "events.k8s.io",
        "discovery.k8s.io",
        "scheduling.k8s.io",
    ],
)
def test_a_backup_finds_every_group_it_meets(table: KindTable, group: str) -> None:
    assert any(resource.group == group for resource in table.resources)


def test_a_resource_has_what_discovery_shows(table: KindTable) -> None:
    found = table.resource("apps", "v1", "deployments")
    assert found is not None
    assert (found.kind, found.singular, found.namespaced) == ("Deployment", "deployment", True)
    assert (found.short_names, found.categories) == (("deploy",), ("all",))
    assert found.storage_version_hash == "8aSe+NMegvE="
    assert found.group_version == "apps/v1"
    assert [s.name for s in found.subresources] == ["scale", "status"]
    assert found.type == "io.k8s.api.apps.v1.Deployment"


def test_a_resource_that_does_not_exist_is_none(table: KindTable) -> None:
    assert table.resource("apps", "v1beta1", "deployments") is None


def test_core_resources_have_a_version_for_an_api_version(table: KindTable) -> None:
    found = table.resource("", "v1", "nodes")
    assert found is not None
    assert (found.group_version, found.namespaced) == ("v1", False)


def test_a_subresource_says_whose_kind_it_takes(table: KindTable) -> None:
    pods = table.resource("", "v1", "pods")
    assert pods is not None
    below = {s.name: s for s in pods.subresources}
    eviction = below["eviction"]
    assert (eviction.group, eviction.version, eviction.kind) == ("policy", "v1", "Eviction")
    assert eviction.type == "io.k8s.api.policy.v1.Eviction"
    assert (below["status"].group, below["status"].type) == ("", CORE + "Pod")
    assert below["exec"].type == ""


def test_every_resource_has_a_type_with_metadata_or_a_spec(table: KindTable) -> None:
    for resource in table.resources:
        assert {"kind", "apiVersion", "metadata"} <= table.type(resource.type).fields.keys()


def test_every_reference_leads_to_a_type(table: KindTable) -> None:
    for component in table.components:
        for field in table.type(component).fields.values():
            inner = field.items if field.items is not None else field
            while inner.items is not None:
                inner = inner.items
            if inner.type == "ref":
                table.type(inner.ref)


def test_fields_come_in_the_order_in_which_the_server_writes_them(table: KindTable) -> None:
    names = list(table.type("io.k8s.api.apps.v1.DeploymentSpec").fields)
    assert names[:4] == ["replicas", "selector", "template", "strategy"]


def test_a_field_has_its_type_and_its_go_name(table: KindTable) -> None:
    container = table.type(CORE + "Container").fields
    assert (container["imagePullPolicy"].type, container["imagePullPolicy"].go_type) == (
        "string",
        "v1.PullPolicy",
    )
    assert container["imagePullPolicy"].enum == ("Always", "IfNotPresent", "Never")
    replicas = table.type("io.k8s.api.apps.v1.DeploymentSpec").fields["replicas"]
    assert (replicas.type, replicas.format, replicas.go_type) == ("integer", "int32", "int32")
    assert replicas.pointer
    assert table.type(CORE + "ConfigMap").fields["data"].go_type == "map[string]string"
    assert table.type(CORE + "ConfigMap").fields["binaryData"].go_type == "map[string][]uint8"
    assert table.type(CORE + "PodSpec").fields["containers"].go_type == "[]v1.Container"


def test_a_list_has_its_keys_for_apply_and_for_strategic_merge(table: KindTable) -> None:
    ports = table.type(CORE + "Container").fields["ports"]
    assert (ports.list_type, ports.list_map_keys) == ("map", ("containerPort", "protocol"))
    assert (ports.patch_strategy, ports.patch_merge_key) == ("merge", "containerPort")
    assert ports.items is not None
    assert ports.items.ref == CORE + "ContainerPort"
    assert table.type(CORE + "ContainerPort").fields["protocol"].default == "TCP"
    assert table.type(META + "ObjectMeta").fields["finalizers"].list_type == "set"


def test_an_absent_default_is_not_an_empty_one(table: KindTable) -> None:
    container = table.type(CORE + "Container").fields
    assert container["name"].default == ""
    assert container["image"].default is UNSET
    assert table.type(CORE + "Pod").fields["spec"].default == {}


def test_required_fields_are_named(table: KindTable) -> None:
    assert table.type("io.k8s.api.apps.v1.DeploymentSpec").required == ("selector", "template")


def test_a_field_says_when_it_is_left_out(table: KindTable) -> None:
    meta = table.type(META + "ObjectMeta").fields
    assert meta["creationTimestamp"].omit == "empty,zero"
    assert meta["labels"].omit == "empty"
    assert table.type(CORE + "Container").fields["name"].omit == "never"


@pytest.mark.parametrize(
    ("component", "form"),
    [
        (META + "Time", "time"),
        (META + "MicroTime", "microtime"),
        (META + "FieldsV1", "fields"),
        ("io.k8s.apimachinery.pkg.api.resource.Quantity", "quantity"),
        ("io.k8s.apimachinery.pkg.util.intstr.IntOrString", "int-or-string"),
        ("io.k8s.apimachinery.pkg.runtime.RawExtension", "raw"),
        ("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSON", "json"),
        (CORE + "Pod", "object"),
    ],
)
def test_scalars_of_their_own_are_told_apart(table: KindTable, component: str, form: str) -> None:
    assert table.type(component).form == form


def test_atomic_structs_and_unions_are_marked(table: KindTable) -> None:
    assert table.type(META + "LabelSelector").map_type == "atomic"
    assert table.type(CORE + "AppArmorProfile").unions[0]["discriminator"] == "type"


@pytest.mark.parametrize(
    ("group_version", "kind", "component"),
    [
        ("apps/v1", "Deployment", "io.k8s.api.apps.v1.Deployment"),
        ("v1", "PodList", CORE + "PodList"),
        ("autoscaling/v1", "Scale", "io.k8s.api.autoscaling.v1.Scale"),
        ("v1", "DeleteOptions", META + "DeleteOptions"),
        ("v1", "Status", META + "Status"),
        ("apps/v1", "Pod", None),
    ],
)
def test_a_kind_leads_to_its_component(
    table: KindTable, group_version: str, kind: str, component: str | None
) -> None:
    assert table.component_of(group_version, kind) == component


def test_an_unknown_component_is_an_error(table: KindTable) -> None:
    with pytest.raises(KeyError, match="NoSuchType"):
        table.type("io.k8s.NoSuchType")


def test_types_are_decoded_once_and_the_table_is_shared() -> None:
    assert builtin() is builtin()
    assert builtin().type(CORE + "Pod") is builtin().type(CORE + "Pod")
    assert builtin().server.startswith("v1.34.")
