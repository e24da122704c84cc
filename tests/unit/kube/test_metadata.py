from typing import Any

import pytest

from kedge.kube.metadata import (
    validate_finalizers,
    validate_managed_fields,
    validate_manager,
    validate_meta,
    validate_meta_update,
    validate_owners,
)
from kedge.kube.names import subdomain_name
from tests.unit.kube.test_names import LABEL, QUALIFIED, SUBDOMAIN, VALUE

GOOD = {"name": "web", "namespace": "default"}
OLD = GOOD | {"uid": "u", "resourceVersion": "7", "generation": 3}


def problems(meta: dict[str, Any], *, namespaced: bool = True) -> list[str]:
    found = validate_meta(meta, namespaced=namespaced, validate_name=subdomain_name)
    return [str(error) for error in found]


def update_problems(new: dict[str, Any], old: dict[str, Any]) -> list[str]:
    return [str(error) for error in validate_meta_update(new, old)]


@pytest.mark.parametrize(
    ("meta", "expected"),
    [
        pytest.param({}, [], id="name and namespace are enough"),
        pytest.param(
            {"name": ""},
            ["metadata.name: Required value: name or generateName is required"],
            id="a name is required",
        ),
        pytest.param(
            {"name": "A"}, [f'metadata.name: Invalid value: "A": {SUBDOMAIN}'], id="a bad name"
        ),
        pytest.param({"generateName": "web-"}, [], id="a base ends with a hyphen"),
        pytest.param(
            {"generateName": "Wb-"},
            [f'metadata.generateName: Invalid value: "Wb-": {SUBDOMAIN}'],
            id="a bad base",
        ),
        pytest.param(
            {"namespace": ""}, ["metadata.namespace: Required value"], id="a namespace is required"
        ),
        pytest.param(
            {"namespace": "A"},
            [f'metadata.namespace: Invalid value: "A": {LABEL}'],
            id="a bad namespace",
        ),
        pytest.param(
            {"generation": -1},
            ["metadata.generation: Invalid value: -1: must be greater than or equal to 0"],
            id="a negative generation",
        ),
        pytest.param(
            {"labels": {"app": "web", "a b": "c d", "": ""}},
            [
                f'metadata.labels: Invalid value: "a b": name part {QUALIFIED}',
                f'metadata.labels: Invalid value: "c d": {VALUE}',
                'metadata.labels: Invalid value: "": name part must be non-empty',
                f'metadata.labels: Invalid value: "": name part {QUALIFIED}',
            ],
            id="bad labels",
        ),
        pytest.param({"annotations": {"Example.com/A": "any text\n"}}, [], id="case of a key"),
        pytest.param(
            {"annotations": {"a b": ""}},
            [f'metadata.annotations: Invalid value: "a b": name part {QUALIFIED}'],
            id="a bad annotation",
        ),
        pytest.param({"annotations": {"ab": "x" * 262142}}, [], id="annotations at the limit"),
        pytest.param(
            {"annotations": {"ab": "é" * 131072}},
            ["metadata.annotations: Too long: may not be more than 262144 bytes"],
            id="annotations beyond the limit, in bytes",
        ),
        pytest.param(
            {"finalizers": ["kubernetes.io/x", ""]},
            [
                'metadata.finalizers: Invalid value: "": name part must be non-empty',
                f'metadata.finalizers: Invalid value: "": name part {QUALIFIED}',
            ],
            id="a bad finalizer",
        ),
        pytest.param(
            {"managedFields": [{"operation": "Update"}, {}]},
            ['metadata.managedFields[1].operation: Invalid value: "": must be `Apply` or `Update`'],
            id="a bad entry of managed fields",
        ),
        pytest.param(
            {"labels": None, "annotations": None, "finalizers": None, "ownerReferences": None},
            [],
            id="null is as good as absent",
        ),
    ],
)
def test_metadata_of_a_new_object_is_checked(meta: dict[str, Any], expected: list[str]) -> None:
    assert problems(GOOD | meta) == expected


def test_a_cluster_wide_object_has_no_namespace() -> None:
    assert problems({"name": "a"}, namespaced=False) == []
    assert problems(GOOD, namespaced=False) == [
        "metadata.namespace: Forbidden: not allowed on this type"
    ]


def test_errors_start_with_the_path_that_is_given() -> None:
    found = validate_meta(
        {"name": "a"}, namespaced=True, validate_name=subdomain_name, path="template.metadata"
    )
    assert [str(error) for error in found] == ["template.metadata.namespace: Required value"]


def owner(**changes: Any) -> dict[str, Any]:
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "a", "uid": "u"} | changes


@pytest.mark.parametrize(
    ("owners", "expected"),
    [
        pytest.param([owner(controller=True), owner(controller=False)], [], id="good"),
        pytest.param(
            [{}],
            [
                'o.apiVersion: Invalid value: "": version must not be empty',
                'o.kind: Invalid value: "": must not be empty',
                'o.name: Invalid value: "": must not be empty',
                'o.uid: Invalid value: "": must not be empty',
            ],
            id="all is missing",
        ),
        pytest.param(
            [owner(apiVersion="a/b/c")],
            ['o.apiVersion: Invalid value: "a/b/c": version must not be empty'],
            id="no version",
        ),
        pytest.param(
            [owner(apiVersion="v1", kind="Event", blockOwnerDeletion=False)],
            [
                'o: Invalid value: {"apiVersion":"v1","kind":"Event","name":"a","uid":"u",'
                '"blockOwnerDeletion":false}: /v1, Kind=Event is disallowed from being an owner'
            ],
            id="an event",
        ),
        pytest.param(
            [owner(controller=True), owner(name="b", controller=True)],
            [
                'o: Invalid value: [{"apiVersion":"apps/v1","kind":"ReplicaSet","name":"a",'
                '"uid":"u","controller":true},{"apiVersion":"apps/v1","kind":"ReplicaSet",'
                '"name":"b","uid":"u","controller":true}]: Only one reference can have Controller '
                'set to true. Found "true" in references for ReplicaSet/a and ReplicaSet/b'
            ],
            id="two controllers",
        ),
    ],
)
def test_owner_references_are_checked(owners: list[dict[str, Any]], expected: list[str]) -> None:
    assert [str(error) for error in validate_owners(owners, "o")] == expected
    errors = validate_meta(
        GOOD | {"ownerReferences": owners}, namespaced=True, validate_name=subdomain_name
    )
    assert len(errors) == len(expected)


def test_dependents_are_orphaned_or_deleted_but_not_both() -> None:
    found = validate_finalizers(["orphan", "foregroundDeletion"], "f")
    assert [str(error) for error in found] == [
        'f: Invalid value: ["orphan","foregroundDeletion"]: finalizer orphan and '
        "foregroundDeletion cannot be both set"
    ]


def test_a_field_manager_is_short_and_printable() -> None:
    assert validate_manager("kubectl é", "m") == []
    assert [str(error) for error in validate_manager("é\x07x\u200b", "m")] == [
        'm: Invalid value: "é\\ax\\u200b": invalid character U+0007 (at position 2)',
        'm: Invalid value: "é\\ax\\u200b": invalid character U+200B (at position 4)',
    ]
    assert [str(error) for error in validate_manager("é" * 65, "m")] == [
        "m: Too long: may not be more than 128 bytes"
    ]


def test_entries_of_managed_fields_are_checked() -> None:
    entry = {"operation": "Patch", "fieldsType": "FieldsV2", "subresource": "s" * 257}
    assert [str(error) for error in validate_managed_fields([entry], "m")] == [
        'm[0].operation: Invalid value: "Patch": must be `Apply` or `Update`',
        'm[0].fieldsType: Invalid value: "FieldsV2": must be `FieldsV1`',
        "m[0].subresource: Too long: may not be more than 256 bytes",
    ]


@pytest.mark.parametrize(
    ("new", "old", "expected"),
    [
        pytest.param({}, {}, [], id="nothing changes"),
        pytest.param({"labels": {"a": "b"}}, {}, [], id="labels change"),
        pytest.param(
            {"resourceVersion": ""},
            {},
            ['metadata.resourceVersion: Invalid value: "": must be specified for an update'],
            id="no version",
        ),
        pytest.param(
            {"generation": 2},
            {},
            ["metadata.generation: Invalid value: 2: must not be decremented"],
            id="generation goes back",
        ),
        pytest.param(
            {"name": "b", "namespace": "c", "uid": "<"},
            {},
            [
                'metadata.name: Invalid value: "b": field is immutable',
                'metadata.namespace: Invalid value: "c": field is immutable',
                'metadata.uid: Invalid value: "\\u003c": field is immutable',
            ],
            id="identity changes",
        ),
        pytest.param(
            {"creationTimestamp": "2024-01-01T01:00:00+01:00"},
            {"creationTimestamp": "2024-01-01T00:00:00Z"},
            [],
            id="the same instant, written differently",
        ),
        pytest.param(
            {"creationTimestamp": "2024-01-01T01:00:00+02:00"},
            {"creationTimestamp": "2024-01-01T00:00:00Z"},
            [
                'metadata.creationTimestamp: Invalid value: "2023-12-31T23:00:00Z": '
                "field is immutable"
            ],
            id="another instant",
        ),
        pytest.param(
            {},
            {
                "creationTimestamp": "2024-01-01T00:00:00Z",
                "deletionTimestamp": "soon",
                "deletionGracePeriodSeconds": 30,
            },
            [
                "metadata.creationTimestamp: Invalid value: null: field is immutable",
                "metadata.deletionTimestamp: Invalid value: null: field is immutable",
                "metadata.deletionGracePeriodSeconds: Invalid value: null: field is immutable",
            ],
            id="times and grace are taken away",
        ),
        pytest.param(
            {"finalizers": ["b", "c", "a"], "deletionTimestamp": "2024-01-01T00:00:00Z"},
            {"finalizers": ["b"], "deletionTimestamp": "2024-01-01T00:00:00Z"},
            [
                "metadata.finalizers: Forbidden: no new finalizers can be added if the object is "
                'being deleted, found new finalizers []string{"a", "c"}'
            ],
            id="new finalizers while being deleted",
        ),
        pytest.param(
            {"finalizers": ["b"], "deletionTimestamp": "2024-01-01T00:00:00Z"},
            {"finalizers": ["b", "a"], "deletionTimestamp": "2024-01-01T00:00:00Z"},
            [],
            id="fewer finalizers while being deleted",
        ),
        pytest.param(
            {"annotations": {"": "x"}, "managedFields": [{}]},
            {},
            [
                'metadata.annotations: Invalid value: "": name part must be non-empty',
                f'metadata.annotations: Invalid value: "": name part {QUALIFIED}',
                'metadata.managedFields[0].operation: Invalid value: "": must be `Apply` or '
                "`Update`",
            ],
            id="what is new is checked too",
        ),
    ],
)
def test_what_may_change_in_metadata_is_checked(
    new: dict[str, Any], old: dict[str, Any], expected: list[str]
) -> None:
    assert update_problems(OLD | new, OLD | old) == expected
