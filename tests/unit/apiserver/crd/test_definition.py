from typing import Any

import pytest

from kedge.apiserver.crd.definition import NO_WEBHOOKS, NOT_ENFORCED, DefinitionStrategy
from kedge.apiserver.resource import Context
from kedge.kube.metadata import validate_meta
from kedge.kube.names import subdomain_name
from tests.unit.apiserver.crd.recording import lines, told
from tests.unit.apiserver.crd.samples import crd, created, established, version

STRATEGY = DefinitionStrategy()
MAIN, STATUS = Context(), Context(subresource="status")


def problems(definition: dict[str, Any]) -> list[str]:
    return [str(error) for error in STRATEGY.validate(created(definition), MAIN)]


@pytest.mark.parametrize("case", lines("definitions"), ids=lambda case: str(case["errors"])[:70])
def test_a_definition_is_refused_for_kubernetes_reasons(case: Any) -> None:
    definition = created(case["crd"])
    errors = validate_meta(
        definition["metadata"], namespaced=False, validate_name=subdomain_name
    ) + STRATEGY.validate(definition, MAIN)
    assert told(errors) == case["errors"]


def test_a_sound_definition_has_no_problems() -> None:
    assert problems(crd()) == []


def test_names_and_conversion_have_defaults() -> None:
    definition = crd()
    STRATEGY.default(definition)
    spec = definition["spec"]
    assert spec["names"]["singular"] == "thing"
    assert spec["names"]["listKind"] == "ThingList"
    assert spec["conversion"] == {"strategy": "None"}
    assert definition["status"]["storedVersions"] == ["v1"]


def test_a_new_definition_has_the_status_of_an_empty_struct() -> None:
    assert created(crd())["status"] == {
        "conditions": None,
        "acceptedNames": {"plural": "", "kind": ""},
        "storedVersions": ["v1"],
    }


def test_conversion_webhooks_are_refused() -> None:
    webhook = {"conversionReviewVersions": ["v1"], "clientConfig": {"url": "https://a.b"}}
    found = problems(crd(conversion={"strategy": "Webhook", "webhook": webhook}))
    assert found == [f"spec.conversion.strategy: Forbidden: {NO_WEBHOOKS}"]


def test_the_name_is_that_of_plural_and_group() -> None:
    definition = crd()
    definition["metadata"]["name"] = "other.example.com"
    assert problems(definition) == [
        'metadata.name: Invalid value: "other.example.com": '
        'must be spec.names.plural+"."+spec.group'
    ]


def test_what_all_versions_share_is_named_above_them() -> None:
    wrong = {"type": "object", "properties": {"a": {}}}
    second = version("v2", wrong, storage=False)
    one = problems(crd(version(schema=wrong)))
    both = problems(crd(version(schema=wrong), second))
    other = problems(crd(version(), second))
    shared = "spec.validation.openAPIV3Schema.properties[a].type"
    rule = "Required value: must not be empty for specified object fields"
    assert one == both == [f"{shared}: {rule}"]
    assert other == [f"spec.versions[1].schema.openAPIV3Schema.properties[a].type: {rule}"]


def changed(old: dict[str, Any], **spec: Any) -> list[str]:
    new = {**old, "spec": {**old["spec"], **spec}}
    STRATEGY.prepare_update(new, old, MAIN)
    return [str(error) for error in STRATEGY.validate_update(new, old, MAIN)]


def test_scope_and_kind_are_immutable_once_established() -> None:
    old = established(crd())
    names = {**old["spec"]["names"], "kind": "Other"}
    assert changed(old, scope="Cluster") == [
        'spec.scope: Invalid value: "Cluster": field is immutable'
    ]
    assert changed(old, names=names) == [
        'spec.names.kind: Invalid value: "Other": field is immutable'
    ]
    assert changed(created(crd()), scope="Cluster") == []


def test_a_version_that_objects_are_stored_in_must_stay() -> None:
    found = changed(established(crd()), versions=[version("v2")])
    assert found == [
        'status.storedVersions[0]: Invalid value: "v1": missing from spec.versions; v1 was '
        "previously a storage version, and must remain in spec.versions until a storage migration "
        "ensures no data remains persisted in v1 and removes v1 from status.storedVersions"
    ]


def test_a_new_storage_version_is_noted() -> None:
    old = established(crd())
    new = {**old, "spec": {**old["spec"]}}
    new["spec"]["versions"] = [version(storage=False), version("v2")]
    STRATEGY.prepare_update(new, old, MAIN)
    assert new["status"]["storedVersions"] == ["v1", "v2"]
    assert old["status"]["storedVersions"] == ["v1"]


def test_the_status_endpoint_leaves_the_spec_alone() -> None:
    old = established(crd())
    new = {**old, "spec": {}, "status": {"acceptedNames": {"plural": "Wrong"}}}
    STRATEGY.prepare_update(new, old, STATUS)
    found = STRATEGY.validate_update(new, old, STATUS)
    assert new["spec"] is old["spec"]
    assert [error.field for error in found] == ["status.acceptedNames.plural"]


def test_unknown_formats_are_warned_of_once_they_come() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "string", "format": "colour"}}}
    with_format, without = created(crd(version(schema=schema))), created(crd())
    assert STRATEGY.warnings(with_format, None) == ['unrecognized format "colour"']
    assert STRATEGY.warnings(with_format, without) == ['unrecognized format "colour"']
    assert STRATEGY.warnings(with_format, with_format) == []


def test_rules_are_taken_with_a_warning_where_they_are_not_enforced() -> None:
    schema = {"type": "object", "x-kubernetes-validations": [{"rule": "this is no rule"}]}
    definition = created(crd(version(schema=schema)))
    lenient = DefinitionStrategy(enforce=False)
    assert lenient.validate(definition, MAIN) == []
    assert lenient.warnings(definition, None) == [NOT_ENFORCED]
    assert STRATEGY.validate(definition, MAIN) != []


def test_deletion_waits_for_the_objects_of_the_kind() -> None:
    definition = established(crd())
    assert STRATEGY.hold_deletion(definition, "2026-02-01T00:00:00Z")
    meta = definition["metadata"]
    assert meta["finalizers"] == ["customresourcecleanup.apiextensions.k8s.io"]
    assert meta["deletionTimestamp"] == "2026-02-01T00:00:00Z"
    assert definition["status"]["conditions"][-1]["reason"] == "InstanceDeletionPending"
    assert not STRATEGY.hold_deletion(definition, "2026-02-02T00:00:00Z")


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        pytest.param(None, "Required value", id="missing"),
        pytest.param("because", "Invalid value", id="neither a URL nor unapproved"),
        pytest.param("unapproved, experimental", "", id="unapproved"),
        pytest.param("https://github.com/kubernetes/kubernetes/pull/1", "", id="approved"),
    ],
)
def test_groups_of_kubernetes_need_an_approval(annotation: str | None, expected: str) -> None:
    definition = crd(group="things.k8s.io")
    definition["metadata"]["name"] = "things.things.k8s.io"
    if annotation:
        definition["metadata"]["annotations"] = {"api-approved.kubernetes.io": annotation}
    assert [text.split(": ")[1] for text in problems(definition)] == [expected] * bool(expected)


def test_an_expensive_rule_of_an_unchanged_schema_may_stay() -> None:
    items = {"type": "array", "items": {"type": "string"}}
    rule = {"rule": "self.all(a, self.all(b, a == b))"}
    schema = {
        "type": "object",
        "properties": {"l": {**items, "maxItems": 40, "x-kubernetes-validations": [rule]}},
    }
    old = established(crd(version(schema=schema)))
    assert any("exceeds budget" in text for text in problems(crd(version(schema=schema))))
    assert not any(
        "estimated rule cost exceeds" in text for text in changed(old, scope="Namespaced")
    )


def test_a_schema_too_deep_for_python_is_refused_without_a_crash() -> None:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(3000):
        schema = {"type": "object", "properties": {"a": schema}}
    assert problems(crd(version(schema=schema))) == [
        "spec.versions: Forbidden: a schema nests too deeply"
    ]
