"""Our CRDs as API servers take them, and as kubectl shows them."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from kedge.api.crd import DEFINITIONS
from kedge.client.patches import merge
from tests.integration.api.places import Place
from tests.unit.api.examples import EXAMPLES, FULL, made

FILES = Path(__file__).parents[3] / "deploy" / "crds"
PLURALS = [each.kind.plural for each in DEFINITIONS if each.kind.group == "velero.io"]


def test_the_crds_are_taken_without_a_warning(place: Place) -> None:
    assert place.complaints == ""


def test_the_files_say_what_is_there_already(place: Place) -> None:
    told = place.kubectl.ok("apply", "--server-side", "--validate=strict", "-f", str(FILES))
    assert told.count("serverside-applied") == len(DEFINITIONS)
    # A generation counts changes of the spec: the files brought none.
    one = "--output=jsonpath={.items[*].metadata.generation}"
    generations = place.kubectl.ok("get", "-f", str(FILES), one).split()
    assert set(generations) == {"1"}


@pytest.mark.parametrize("plural", PLURALS)
def test_what_the_go_programs_write_is_taken(place: Place, plural: str) -> None:
    obj = EXAMPLES[plural]
    obj = {**obj, "metadata": {"name": "go", "creationTimestamp": None}}
    assert place.create(obj).endswith("/go created\n")


@pytest.mark.parametrize("plural", PLURALS)
def test_every_field_is_kept_and_the_status_is_written_apart(place: Place, plural: str) -> None:
    obj = FULL[plural]
    place.create(obj)
    what = f"{plural}.velero.io/{obj['metadata']['name']}"
    found = place.kubectl.get(what)
    assert found["spec"] == obj["spec"]
    assert not found.get("status"), "a status is not taken with the object"
    patch = json.dumps({"status": obj["status"]})
    place.kubectl.ok("patch", what, "--subresource=status", "--type=merge", f"--patch={patch}")
    found = place.kubectl.get(what)
    assert found["status"] == obj["status"]
    assert found["metadata"]["generation"] == 1
    noted = place.kubectl.get(what, "--show-managed-fields")["metadata"]["managedFields"]
    of_status = [one["fieldsV1"] for one in noted if one.get("subresource") == "status"]
    assert of_status == [{"f:status": {}}], "who has written it is noted once, not for each field"


def changed(plural: str, path: str, value: Any) -> dict[str, Any]:
    """Give an object that is good but for one value."""
    obj = json.loads(json.dumps(FULL[plural]))
    obj["metadata"]["name"] = "bad"
    *above, last = path.split(".")
    part = obj
    for name in above:
        part = part[int(name)] if name.isdigit() else part[name]
    part[last] = value
    return dict(obj)


@pytest.mark.parametrize(
    ("plural", "path", "value"),
    [
        ("schedules", "spec.paused", "yes"),
        ("schedules", "spec.schedule", 5),
        ("schedules", "spec.schedule", None),
        ("schedules", "spec.template", None),
        ("schedules", "spec.template.ttl", "30d"),
        ("schedules", "spec.template.ttl", ""),
        ("schedules", "spec.template.ttl", 3600),
        ("schedules", "spec.template.includedNamespaces", "all"),
        ("schedules", "spec.template.nonsense", True),
        ("schedules", "spec.template.hooks.resources.0.pre.0.exec.onError", "Panic"),
        ("schedules", "spec.template.hooks.resources.0.pre.0.exec.command", []),
        ("schedules", "spec.template.hooks.resources.0.pre.0.exec.command", None),
        ("backups", "spec.csiSnapshotTimeout", "1 hour"),
        ("backups", "spec.snapshotVolumes", "auto"),
        ("backups", "spec.orderedResources", {"pods": ["a"]}),
        ("backups", "spec.labelSelector.matchExpressions", [{"key": "a"}]),
        ("backups", "spec.uploaderConfig.parallelFilesUpload", "4"),
        ("restores", "spec.restorePVs", 1),
        ("restores", "spec.namespaceMapping", ["a"]),
        ("restores", "spec.resourceModifier", {"kind": "configmap"}),
        ("backupstoragelocations", "spec.accessMode", "WriteOnly"),
        ("backupstoragelocations", "spec.objectStorage", {"prefix": "p"}),
        ("backupstoragelocations", "spec.objectStorage.caCert", "not base64!"),
        ("backupstoragelocations", "spec.provider", None),
        ("backupstoragelocations", "spec.backupSyncPeriod", "often"),
        ("deletebackuprequests", "spec.backupName", None),
        ("downloadrequests", "spec.target.kind", "Everything"),
        ("podvolumebackups", "spec.uploaderType", "rsync"),
        ("backuprepositories", "spec.maintenanceFrequency", "daily"),
    ],
)
def test_what_can_not_be_meant_is_refused_with_its_place(
    place: Place, plural: str, path: str, value: Any
) -> None:
    said = place.refused(changed(plural, path, value))
    assert path.rpartition(".")[2] in said


@pytest.mark.parametrize(
    ("plural", "status"),
    [
        ("schedules", {"phase": "Sleeping"}),
        ("schedules", {"nextRun": "tomorrow"}),
        ("schedules", {"conditions": [{"type": "Ready", "status": "yes"}]}),
        ("backups", {"phase": "Done"}),
        ("backups", {"queuePosition": "first"}),
        ("restores", {"phase": "Queued"}),
        ("backupstoragelocations", {"phase": "Gone"}),
        ("deletebackuprequests", {"phase": "Done"}),
        ("serverstatusrequests", {"phase": "Done"}),
    ],
)
def test_a_status_that_nobody_knows_is_refused(
    place: Place, plural: str, status: dict[str, Any]
) -> None:
    obj = {**EXAMPLES[plural], "metadata": {"generateName": "status-"}}
    made = place.create(obj).split()[0]
    patch = json.dumps({"status": status})
    said = place.kubectl.refused(
        "patch", made, "--subresource=status", "--type=merge", f"--patch={patch}"
    )
    assert next(iter(status)) in said


@pytest.mark.parametrize("plural", PLURALS)
def test_every_phase_is_taken(place: Place, plural: str) -> None:
    model = next(each.kind for each in DEFINITIONS if each.kind.plural == plural)
    crd = place.kubectl.get("crd", str(model))
    schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    phases = schema["properties"]["status"]["properties"]["phase"]["enum"]
    obj = {**EXAMPLES[plural], "metadata": {"generateName": "phases-"}}
    name = place.create(obj).split()[0].partition("/")[2]

    async def write() -> None:
        async with place.client() as client:
            for phase in phases:
                change = merge({"status": {"phase": phase}})
                await client.patch_status(model, name, change, place.kubectl.namespace)

    asyncio.run(write())


def shown(place: Place, what: str, *flags: str) -> tuple[str, list[str]]:
    """Give the head and the rows of a table."""
    head, *rows = place.kubectl.ok("get", what, *flags).splitlines()
    return head, rows


def test_a_schedule_shows_what_a_person_wants_to_know(place: Place) -> None:
    name = place.create(made("Schedule", "shown", FULL["schedules"]["spec"])).split()[0]
    patch = json.dumps({"status": FULL["schedules"]["status"]})
    place.kubectl.ok("patch", name, "--subresource=status", "--type=merge", f"--patch={patch}")
    head, [row] = shown(place, "sched/shown")
    columns = "NAME STATUS SCHEDULE NEXT_RUN LAST_BACKUP LAST_SKIPPED PAUSED AGE"
    assert head.split() == columns.replace("_", " ").split()
    assert "Enabled" in row
    assert "2034-05-02T02:30:00Z" in row, "a time that is yet to come is no age"
    assert "<invalid>" not in row
    head, [row] = shown(place, "sched/shown", "--output=wide")
    assert row.split()[-4:] == ["720h0m0s", "it", "is", "paused"]


def test_a_backup_shows_what_a_person_wants_to_know(place: Place) -> None:
    obj = made("Backup", "shown", FULL["backups"]["spec"])
    obj["metadata"]["labels"] = {"velero.io/schedule-name": "nightly"}
    name = place.create(obj).split()[0]
    patch = json.dumps({"status": FULL["backups"]["status"]})
    place.kubectl.ok("patch", name, "--subresource=status", "--type=merge", f"--patch={patch}")
    head, [row] = shown(place, "bkp/shown")
    columns = "NAME STATUS ERRORS WARNINGS STARTED EXPIRES QUEUE AGE"
    assert head.split() == columns.split()
    assert row.split()[1:4] == ["PartiallyFailed", "4", "3"]
    assert row.split()[5:7] == ["2034-05-31T02:30:00Z", "2"]
    head, [row] = shown(place, "bkp/shown", "--output=wide")
    assert row.split()[-4:] == ["nightly", "default", "8", "r"]


@pytest.mark.parametrize("short", [name for each in DEFINITIONS for name in each.short_names])
def test_short_names_are_known(place: Place, short: str) -> None:
    place.kubectl.ok("get", short)


def test_one_word_shows_all_kinds(place: Place) -> None:
    place.create(made("ServerStatusRequest", "all-of-them", {}))
    assert "serverstatusrequest.velero.io/all-of-them" in place.kubectl.ok("get", "velero")
    main = place.kubectl.ok("get", "kedge", "--output=name", "--ignore-not-found")
    kinds = {line.partition(".")[0] for line in main.splitlines()}
    assert kinds <= {"schedule", "backup", "restore", "backupstoragelocation"}


def test_kubectl_explains_every_field_of_a_template(place: Place) -> None:
    text = place.explains("schedule.spec.template")
    assert "includedNamespaces" in text
    assert "Namespaces to save, with wildcards" in " ".join(text.split())
    assert "How long the command may take" in place.explains(
        "schedule.spec.template.hooks.resources.pre.exec.timeout"
    )
