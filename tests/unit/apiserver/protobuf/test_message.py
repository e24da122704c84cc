"""The table of field numbers fits the table of built-in kinds."""

import pytest

from kedge.apiserver.kinds.table import builtin
from kedge.apiserver.protobuf.message import (
    Field,
    Message,
    component_of,
    form_of,
    is_message,
    message_of,
)

CORE = "io.k8s.api.core.v1."
META = "io.k8s.apimachinery.pkg.apis.meta.v1."
NOT_WRITTEN = {"kind", "apiVersion"}
OBJECTS = [
    component
    for component in builtin().components
    # A patch is no object: OpenAPI has it for the bodies of PATCH.
    if form_of(component) == "object" and component != f"{META}Patch"
]


def names_of(message: Message) -> list[str]:
    """Name all fields, those of messages within included."""
    found = []
    for field in message.fields:
        found += names_of(field.message) if field.message else [field.name]
    return found


def fields_of(message: Message) -> dict[str, Field]:
    """Give the fields by name."""
    return {field.name: field for field in message.fields}


def test_every_field_of_every_built_in_type_has_a_number() -> None:
    for component in OBJECTS:
        assert is_message(component), component
        missing = builtin().type(component).fields.keys() - set(names_of(message_of(component)))
        assert missing <= NOT_WRITTEN, component


def test_numbers_are_in_order_and_used_once() -> None:
    for component in OBJECTS:
        numbers = [field.number for field in message_of(component).fields]
        assert numbers == sorted(set(numbers)), component


def test_a_reference_to_an_object_writes_its_kind() -> None:
    assert fields_of(message_of(f"{CORE}ObjectReference"))["apiVersion"].number == 5


def test_fields_that_json_has_in_the_object_itself_are_in_a_message_within() -> None:
    volume = message_of(f"{CORE}Volume")
    assert [(field.number, field.name, field.go) for field in volume.fields] == [
        (1, "name", "Name"),
        (2, "", "VolumeSource"),
    ]
    within = volume.fields[1].message
    assert within is not None
    assert fields_of(within)["hostPath"].number == 1
    assert within.name == "VolumeSource"


def test_messages_may_be_within_messages_twice() -> None:
    rule = message_of("io.k8s.api.admissionregistration.v1.NamedRuleWithOperations")
    outer = rule.fields[1].message
    assert outer is not None
    assert [field.name for field in outer.fields] == ["operations", ""]
    inner = outer.fields[1].message
    assert inner is not None
    assert [field.name for field in inner.fields][:2] == ["apiGroups", "apiVersions"]


def test_lists_that_are_messages_are_marked() -> None:
    user = message_of("io.k8s.api.authentication.v1.UserInfo")
    assert fields_of(user)["extra"].wrapped
    assert not fields_of(user)["groups"].wrapped


@pytest.mark.parametrize(
    ("api_version", "kind", "component"),
    [
        ("v1", "Pod", f"{CORE}Pod"),
        ("apps/v1", "DeploymentList", "io.k8s.api.apps.v1.DeploymentList"),
        (
            "meta.k8s.io/v1beta1",
            "PartialObjectMetadataList",
            "io.k8s.apimachinery.pkg.apis.meta.v1beta1.PartialObjectMetadataList",
        ),
        ("v1", "Table", None),
        ("example.com/v1", "Widget", None),
    ],
)
def test_a_kind_has_the_message_of_its_type(
    api_version: str, kind: str, component: str | None
) -> None:
    assert component_of(api_version, kind) == component
