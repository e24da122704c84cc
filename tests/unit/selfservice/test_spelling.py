"""Fields as Go holds them: set or not, the same or not, and how they print."""

from typing import Any

import msgspec
import pytest

from kedge.api.part import Part
from kedge.api.velero.backup import BackupSpec
from kedge.api.velero.restore import RestoreSpec
from kedge.api.velero.storage_location import StorageLocationSpec
from kedge.kube.kind import Object
from kedge.selfservice.spelling import (
    BACKUP_FORMS,
    LOCATION_FORMS,
    RESTORE_FORMS,
    Form,
    Forms,
    is_same,
    is_set,
    text_of,
)


@pytest.mark.parametrize(
    ("forms", "spec"),
    [
        (BACKUP_FORMS, BackupSpec),
        (RESTORE_FORMS, RestoreSpec),
        (LOCATION_FORMS, StorageLocationSpec),
    ],
)
def test_every_field_of_a_spec_has_a_form(forms: Forms, spec: type[Part]) -> None:
    assert set(forms) == {each.encode_name for each in msgspec.structs.fields(spec)}


@pytest.mark.parametrize(
    ("form", "value", "expected"),
    [
        (Form.POINTER, None, False),
        (Form.POINTER, False, True),
        (Form.POINTER, {}, True),
        (Form.LIST, [], True),
        (Form.LIST, None, False),
        (Form.MAP, {}, True),
        (Form.TEXT, "", False),
        (Form.TEXT, "x", True),
        (Form.FLAG, False, False),
        (Form.FLAG, True, True),
        (Form.DURATION, "", False),
        (Form.DURATION, "0s", False),
        (Form.DURATION, "0", False),
        (Form.DURATION, "1s", True),
        (Form.DURATION, "-1s", True),
        (Form.STRUCT, {}, False),
        (Form.STRUCT, {"resources": None}, False),
        (Form.STRUCT, {"resources": []}, True),
        (Form.STRUCT, {"labels": {}}, True),
        (Form.STRUCT, {"bucket": ""}, False),
    ],
)
def test_what_is_set(form: Form, value: Any, expected: bool) -> None:
    assert is_set(form, value) is expected


def hooks(**execution: str) -> Object:
    return {"resources": [{"name": "h", "pre": [{"exec": {"command": ["sync"], **execution}}]}]}


def init(**context: int) -> Object:
    containers = [{"name": "c", "securityContext": context}]
    return {"resources": [{"name": "h", "postHooks": [{"init": {"initContainers": containers}}]}]}


@pytest.mark.parametrize(
    ("name", "one", "other", "expected"),
    [
        ("ttl", "1h", "60m0s", True),
        ("ttl", "1h", "61m", False),
        ("excludedResources", ["a", "b"], ["b", "a"], False),
        ("excludedResources", [], ["a"], False),
        ("snapshotVolumes", False, False, True),
        ("snapshotVolumes", True, False, False),
        (
            "labelSelector",
            {"matchLabels": {"a": "b"}, "x": None},
            {"matchLabels": {"a": "b"}},
            True,
        ),
        ("labelSelector", {"matchLabels": {"a": ""}}, {"matchLabels": {}}, False),
        ("labelSelector", {"matchLabels": {}}, {}, False),
        ("orderedResources", {"pods": ""}, {}, False),
        ("uploaderConfig", {"parallelFilesUpload": 0}, {}, True),
        ("uploaderConfig", {"parallelFilesUpload": 2}, {}, False),
        ("uploaderConfig", {"writeSparseFiles": False}, {}, False),
        ("resourcePolicy", {"name": "x", "apiGroup": ""}, {"name": "x"}, False),
        ("hooks", hooks(timeout="1m"), hooks(timeout="60s"), True),
        ("hooks", hooks(timeout="1m"), hooks(timeout="61s"), False),
        ("hooks", hooks(timeout="0s", container=""), hooks(), True),
        ("hooks", hooks(onError="Fail"), hooks(), False),
        ("hooks", init(runAsUser=0), init(), False),
    ],
)
def test_what_is_the_same(name: str, one: Any, other: Any, expected: bool) -> None:
    assert is_same(name, one, other) is expected


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("snapshotVolumes", False, "false"),
        ("excludedResources", ["a", "b"], "[a b]"),
        ("ttl", "36h", "36h0m0s"),
        ("ttl", "no duration", "no duration"),
        ("orderedResources", {"pods": "a/b", "nodes": "c"}, "map[nodes:c pods:a/b]"),
        ("datamover", "velero", "velero"),
    ],
)
def test_how_go_prints_it(name: str, value: Any, expected: str) -> None:
    assert text_of(name, value) == expected
