"""CustomResourceDefinitions of old archives come back in the only version that servers take."""

from typing import Any

from kedge.api.velero.restore import RestoreSpec
from kedge.engine.restore.actions.act import act
from kedge.engine.restore.actions.situation import Situation
from kedge.kube.kind import Object

CRDS = "customresourcedefinitions.apiextensions.k8s.io"
KEEPS = "x-kubernetes-preserve-unknown-fields"


def renewed(**spec: Any) -> Object:
    """Give the spec of a v1beta1 definition as it comes back."""
    old: Object = {"apiVersion": "apiextensions.k8s.io/v1beta1", "metadata": {}, "spec": spec}
    act(CRDS, old, Situation(RestoreSpec()))
    assert old["apiVersion"] == "apiextensions.k8s.io/v1"
    found: Object = old["spec"]
    return found


def test_what_was_said_once_is_said_for_each_version() -> None:
    columns = [{"name": "Size", "type": "integer", "JSONPath": ".spec.size"}]
    schema = {"type": "object", "properties": {"spec": {"type": "object"}}}
    found = renewed(
        group="old.io",
        version="v1",
        preserveUnknownFields=False,
        validation={"openAPIV3Schema": schema},
        subresources={"status": {}},
        additionalPrinterColumns=columns,
        versions=[
            {"name": "v1", "served": True, "storage": True},
            {"name": "v2", "served": False, "storage": False, "subresources": {"scale": {}}},
        ],
    )
    shown = [{"name": "Size", "type": "integer", "jsonPath": ".spec.size"}]
    shared = {"schema": {"openAPIV3Schema": schema}, "additionalPrinterColumns": shown}
    assert found == {
        "group": "old.io",
        "scope": "Namespaced",
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "subresources": {"status": {}},
                **shared,
            },
            {
                "name": "v2",
                "served": False,
                "storage": False,
                "subresources": {"scale": {}},
                **shared,
            },
        ],
    }


def test_one_version_by_name_becomes_a_list_of_one() -> None:
    [version] = renewed(version="v1alpha1", scope="Cluster")["versions"]
    assert (version["name"], version["served"], version["storage"]) == ("v1alpha1", True, True)


def test_no_field_is_lost_where_none_was_cut_off() -> None:
    inner = {"properties": {"a": {"type": "array", "items": {"type": "object"}}}}
    schema = {"properties": {"spec": {"type": "object", **inner}}}
    found = renewed(version="v1", validation={"openAPIV3Schema": schema})
    assert "preserveUnknownFields" not in found
    root = found["versions"][0]["schema"]["openAPIV3Schema"]
    spec = root["properties"]["spec"]
    assert root["type"] == "object"
    assert all(each[KEEPS] for each in (root, spec, spec["properties"]["a"]["items"]))
    assert KEEPS not in spec["properties"]["a"]


def test_what_v1_does_not_take_in_a_schema_is_not_said() -> None:
    port = {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]}
    one_of = [{"required": ["port"]}, {"properties": {"port": {"minimum": 1}}}]
    typed = {"anyOf": [{"type": "integer"}], "not": {"items": {"type": "string"}}}
    spec = {"type": "object", "properties": {"port": port, "old": typed}, "oneOf": one_of}
    held = {
        "type": "object",
        "x-kubernetes-embedded-resource": True,
        "properties": {"metadata": {}},
    }
    schema = {"properties": {"metadata": {"type": "object"}, "spec": spec, "held": held}}
    found = renewed(version="v1", validation={"openAPIV3Schema": schema})
    root = found["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
    assert root["metadata"] == root["held"]["properties"]["metadata"] == {"type": "object"}
    assert root["spec"]["properties"] == {"port": port, "old": {KEEPS: True}}
    assert root["spec"]["oneOf"] == one_of


def test_without_a_schema_all_is_kept() -> None:
    [version] = renewed(version="v1")["versions"]
    assert version["schema"] == {"openAPIV3Schema": {"type": "object", KEEPS: True}}


def test_a_webhook_for_conversion_is_named_in_its_new_place() -> None:
    hook = {"service": {"name": "convert"}}
    old = {"strategy": "Webhook", "webhookClientConfig": hook, "conversionReviewVersions": ["v1"]}
    assert renewed(version="v1", conversion=old)["conversion"] == {
        "strategy": "Webhook",
        "webhook": {"clientConfig": hook, "conversionReviewVersions": ["v1"]},
    }
    unsaid = renewed(version="v1", conversion={"strategy": "Webhook", "webhookClientConfig": hook})
    assert unsaid["conversion"]["webhook"]["conversionReviewVersions"] == ["v1beta1"]


def test_nonsense_is_left_for_the_server_to_refuse() -> None:
    assert renewed(versions=5, validation="x", conversion=[])["versions"] == 5
    assert renewed(version="v1", validation={"openAPIV3Schema": 5}, subresources=7)["versions"]
