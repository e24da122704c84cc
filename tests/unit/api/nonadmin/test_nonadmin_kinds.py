"""The kinds of self-service: their CRDs, columns, rules and copies."""

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from kedge.api.crd import DEFINITIONS, crd_of
from kedge.api.definition import Definition
from kedge.api.nonadmin.group import GROUP
from kedge.testing import cluster

OURS = {each.kind.plural: each for each in DEFINITIONS if each.kind.group == GROUP}
SHORT = {
    "nonadminbackups": "nab",
    "nonadminrestores": "nar",
    "nonadminbackupstoragelocations": "nabsl",
    "nonadminbackupstoragelocationrequests": "nabslrequest",
    "nonadmindownloadrequests": "nadr",
}
STATUS = {
    "nonadminbackups": ("veleroBackup", "NonAdminBackup", {"backupSpec": {}}),
    "nonadminrestores": ("veleroRestore", "NonAdminRestore", {"restoreSpec": {"backupName": "x"}}),
}
FORWARD = ["New", "BackingOff", "Created", "Deleting"]


def schema_of(definition: Definition) -> dict[str, Any]:
    [version] = crd_of(definition)["spec"]["versions"]
    schema: dict[str, Any] = version["schema"]["openAPIV3Schema"]
    return schema


def nodes(schema: dict[str, Any], path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    yield path, schema
    for name, child in schema.get("properties", {}).items():
        yield from nodes(child, f"{path}.{name}")
    for key, mark in (("items", "[]"), ("additionalProperties", "{}")):
        if isinstance(schema.get(key), dict):
            yield from nodes(schema[key], path + mark)


def test_all_five_are_there_with_their_short_names() -> None:
    assert {plural: each.short_names[0] for plural, each in OURS.items()} == SHORT


@pytest.mark.parametrize("plural", OURS)
def test_each_has_a_status_subresource_and_no_label_of_velero(plural: str) -> None:
    crd = crd_of(OURS[plural])
    assert crd["spec"]["versions"][0]["subresources"] == {"status": {}}
    assert "labels" not in crd["metadata"]
    assert crd["metadata"]["name"] == f"{plural}.{GROUP}"
    assert "velero" not in crd["spec"]["names"].get("categories", [])


@pytest.mark.parametrize("plural", OURS)
def test_every_field_has_a_sentence(plural: str) -> None:
    for path, node in nodes(schema_of(OURS[plural])):
        if not path.endswith(("[]", "{}", ".metadata")) or path.endswith("Spec.metadata"):
            assert re.fullmatch(r"[A-Z0-9][^\n]*\.", node["description"]), path


@pytest.mark.parametrize("plural", OURS)
def test_columns_show_fields_that_there_are(plural: str) -> None:
    known = dict(nodes(schema_of(OURS[plural])))
    for column in OURS[plural].columns:
        path = re.sub(r"\[[^]]*\]", "[]", column.path)
        if not path.startswith(".metadata."):
            assert column.type in (known[path]["type"], "date"), path
    names = [column.name for column in OURS[plural].columns]
    assert names[0] in ("Request-Phase", "Request-Approved")
    assert "Age" in names


@pytest.mark.parametrize("plural", OURS)
def test_a_spec_is_not_required_but_what_is_in_it_is(plural: str) -> None:
    schema = schema_of(OURS[plural])
    assert "required" not in schema
    required = {
        "nonadminbackups": ["backupSpec"],
        "nonadminrestores": ["restoreSpec"],
        "nonadminbackupstoragelocations": ["backupStorageLocationSpec"],
        "nonadmindownloadrequests": ["target"],
    }
    assert schema["properties"]["spec"].get("required") == required.get(plural)


def test_the_fields_of_a_non_admin_backup() -> None:
    schema = schema_of(OURS["nonadminbackups"])["properties"]
    assert set(schema["spec"]["properties"]) == {"backupSpec", "deleteBackup", "forceDeleteBackup"}
    assert set(schema["status"]["properties"]) == {
        "phase",
        "conditions",
        "veleroBackup",
        "veleroDeleteBackupRequest",
        "queueInfo",
        "dataMoverDataUploads",
        "fileSystemPodVolumeBackups",
    }
    assert schema["status"]["properties"]["phase"]["enum"] == FORWARD
    assert schema["status"]["properties"]["queueInfo"]["required"] == ["estimatedQueuePosition"]


@pytest.mark.asyncio
async def test_a_server_takes_them_and_keeps_to_their_rules() -> None:
    async with cluster() as kube:
        for definition in OURS.values():
            await kube.define(crd_of(definition))
        for plural, (field, kind, spec) in STATUS.items():
            path = f"/apis/{GROUP}/v1alpha1/namespaces/default/{plural}"
            one = {"apiVersion": f"{GROUP}/v1alpha1", "kind": kind, "metadata": {"name": "x"}}
            await kube.client.create(path, {**one, "spec": spec})

            async def write(status: Any, path: str = path) -> Any:
                return await kube.client.patch(f"{path}/x/status", {"status": status})

            for old, new in pairwise(FORWARD):
                await write({"phase": old})
                await write({"phase": new})
                with pytest.raises(Exception, match="never returns"):
                    await write({"phase": old})
            await write({field: {"nacuuid": ""}})
            await write({field: {"nacuuid": "u"}})
            with pytest.raises(Exception, match="never changes"):
                await write({field: {"nacuuid": "v"}})
            newer = {"phase": "PhaseOfTomorrow", "fieldOfTomorrow": {"a": 1}}
            made = await write({field: {"status": newer}})
            assert made["status"][field]["status"] == newer
            with pytest.raises(Exception, match="Required value"):
                await write({"queueInfo": {}})
