from typing import Any

import pytest

from kedge.apiserver.crd.resource import decode, rank, resources_of
from kedge.kube.errors import Invalid
from kedge.kube.goerror import GoError
from tests.unit.apiserver.crd.samples import crd, created, established, served, thing, version

SCALE = {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n"}


def schema(**fields: Any) -> dict[str, Any]:
    spec = {"type": "object", "properties": fields}
    return {"type": "object", "properties": {"spec": spec}}


def test_nothing_is_served_before_the_names_are_accepted() -> None:
    assert resources_of(created(crd())) == []


def test_a_resource_is_what_the_crd_says() -> None:
    names = {"plural": "things", "kind": "Thing", "shortNames": ["th"], "categories": ["all"]}
    fields = [{"jsonPath": ".spec.color"}]
    colored = version(
        schema=schema(color={"type": "string"}),
        subresources={"status": {}, "scale": SCALE},
        selectableFields=fields,
    )
    (resource,) = served(colored, names=names, scope="Cluster")
    assert (resource.group, resource.version, resource.plural) == ("example.com", "v1", "things")
    assert (resource.kind, resource.list_kind, resource.singular) == (
        "Thing",
        "ThingList",
        "thing",
    )
    assert (resource.short_names, resource.categories) == (("th",), ("all",))
    assert not resource.namespaced
    assert resource.custom
    assert resource.selectable == ("spec.color",)
    assert {name: one.kind for name, one in resource.subresources.items()} == {
        "status": "Thing",
        "scale": "Scale",
    }
    assert resource.storage_hash == "MkkTy7bNlnM="


def test_only_served_versions_are_served_and_the_hash_is_that_of_a_served_one() -> None:
    found = served(
        version("v1", served=False), version("v2", storage=False), version("v3", storage=False)
    )
    assert [one.version for one in found] == ["v2", "v3"]
    assert {one.storage_hash for one in found} == {""}


def test_a_terminating_kind_is_not_written_to() -> None:
    definition = established(crd())
    definition["status"]["conditions"].append({"type": "Terminating", "status": "True"})
    assert resources_of(definition)[0].verbs == (
        "delete",
        "deletecollection",
        "get",
        "list",
        "watch",
    )


def test_objects_go_through_the_schema_of_the_stored_version_and_of_this_one() -> None:
    one = version("v1", schema(a={"type": "string", "default": "x"}, old={"type": "string"}))
    two = version(
        "v2", schema(a={"type": "string"}, new={"type": "string", "default": "y"}), storage=False
    )
    first, second = served(one, two)
    obj = thing({"new": "n", "gone": 1})
    obj["apiVersion"] = "example.com/v2"
    stored = second.strategy.to_storage(obj)
    assert stored["apiVersion"] == "example.com/v1"
    assert stored["spec"] == {}
    assert obj["spec"] == {"new": "n", "gone": 1}
    read = second.strategy.from_storage(stored)
    assert read["apiVersion"] == "example.com/v2"
    assert read["spec"] == {"a": "x"}
    assert first.strategy.from_storage(thing({"old": "o"}))["spec"] == {"a": "x", "old": "o"}


def test_objects_are_served_as_stored_only_while_the_schema_is_the_first() -> None:
    definition = established(crd())
    assert resources_of(definition)[0].stored
    definition["metadata"]["generation"] = 2
    assert not resources_of(definition)[0].stored


def test_decoding_names_what_it_drops() -> None:
    (resource,) = served(version(schema=schema(a={"type": "string"})))
    body = thing({"a": "x", "b": {"c": 1}}, other=1)
    body["metadata"] |= {"labels": {"x": "y"}, "nonsense": True}
    obj, unknown = decode(resource, body, "Warn")
    assert unknown == ["metadata.nonsense", "other", "spec.b"]
    assert obj["spec"] == {"a": "x"}
    assert obj["metadata"] == {"name": "a", "namespace": "default", "labels": {"x": "y"}}


def test_decoding_refuses_metadata_of_the_wrong_type_in_gos_words() -> None:
    (resource,) = served()
    body = thing()
    body["metadata"]["labels"] = {"a": 1}
    with pytest.raises(GoError) as caught:
        decode(resource, body, "Warn")
    assert caught.value.text == (
        "json: cannot unmarshal number into Go struct field ObjectMeta.labels of type string"
    )


def test_decoding_refuses_embedded_metadata_of_the_wrong_type() -> None:
    inner = {
        "type": "object",
        "x-kubernetes-embedded-resource": True,
        "x-kubernetes-preserve-unknown-fields": True,
    }
    (resource,) = served(version(schema=schema(inner=inner)))
    body = thing({"inner": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": 5}}})
    with pytest.raises(GoError) as caught:
        decode(resource, body, "Warn")
    assert caught.value.text == (
        'spec.inner.metadata: Invalid value: {"name":5}: json: cannot unmarshal number into Go '
        "struct field ObjectMeta.name of type string"
    )


def test_an_object_of_another_kind_is_invalid() -> None:
    (resource,) = served()
    with pytest.raises(Invalid) as caught:
        decode(resource, {**thing(), "kind": "Other"}, "Warn")
    assert caught.value.message == (
        'Other.example.com "a" is invalid: kind: Invalid value: "Other": must be Thing'
    )


def test_versions_are_ranked_by_stability_first() -> None:
    names = ["v1", "v10", "foo", "v2beta1", "v2", "v3alpha2", "v3alpha1", "bar", "v1beta3"]
    assert sorted(names, key=rank, reverse=True) == [
        "v10",
        "v2",
        "v1",
        "v2beta1",
        "v1beta3",
        "v3alpha2",
        "v3alpha1",
        "bar",
        "foo",
    ]


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        pytest.param(
            {}, "example.com/v1beta1 Thing is deprecated; use example.com/v2 Thing", id="usual"
        ),
        pytest.param({"deprecationWarning": "run"}, "run", id="own words"),
    ],
)
def test_a_deprecated_version_says_so(more: dict[str, Any], expected: str) -> None:
    old = version("v1beta1", storage=False, deprecated=True, **more)
    found = served(version("v1"), version("v2", storage=False), old)
    assert [one.strategy.notice for one in found] == ["", "", expected]  # type: ignore[attr-defined]
