"""The typed kinds of velero.io/v1 read what Velero writes, and write what they have read."""

from typing import Any

import msgspec
import pytest

from kedge.api.crd import DEFINITIONS
from kedge.api.velero import backup, restore
from kedge.api.velero.backup import BackupHooks, BackupPhase, BackupSpec
from kedge.api.velero.restore import RestorePhase
from kedge.api.velero.schedule import Schedule, ScheduleSpec
from kedge.kube.kind import Kind
from tests.unit.api.examples import EXAMPLES, FULL

KINDS: dict[str, Kind[Any]] = {
    each.kind.plural: each.kind for each in DEFINITIONS if each.kind.group == "velero.io"
}


def decoded(plural: str, obj: dict[str, Any]) -> Any:
    return msgspec.json.decode(msgspec.json.encode(obj), type=KINDS[plural].model)


def kept(value: Any) -> Any:
    """Leave out what counts as absent: null."""
    if isinstance(value, dict):
        return {key: kept(each) for key, each in value.items() if each is not None}
    return [kept(each) for each in value] if isinstance(value, list) else value


def test_every_kind_that_a_velero_server_insists_on_is_there() -> None:
    assert set(KINDS) == {
        "backups",
        "restores",
        "schedules",
        "downloadrequests",
        "deletebackuprequests",
        "podvolumebackups",
        "podvolumerestores",
        "backuprepositories",
        "backupstoragelocations",
        "volumesnapshotlocations",
        "serverstatusrequests",
    }
    assert {kind.api_version for kind in KINDS.values()} == {"velero.io/v1"}
    assert all(kind.namespaced for kind in KINDS.values())


@pytest.mark.parametrize("plural", KINDS)
def test_what_the_go_programs_write_is_read(plural: str) -> None:
    obj = EXAMPLES[plural]
    typed = decoded(plural, obj)
    assert (typed.api_version, typed.kind) == ("velero.io/v1", KINDS[plural].name)
    assert typed.metadata.name == obj["metadata"]["name"]
    assert typed.status == type(typed.status)()


@pytest.mark.parametrize("plural", KINDS)
def test_a_round_trip_keeps_every_field(plural: str) -> None:
    obj = FULL[plural]
    assert msgspec.to_builtins(decoded(plural, obj)) == kept(obj)


@pytest.mark.parametrize("plural", KINDS)
def test_a_round_trip_keeps_zero_durations_and_empty_parts(plural: str) -> None:
    obj = {**EXAMPLES[plural], "status": {}}
    again = msgspec.to_builtins(decoded(plural, obj))
    texts = {"repoIdentifier", "resticIdentifier", "uploaderType"}  # empty is as good as absent
    spec = {key: value for key, value in kept(obj["spec"]).items() if value or key not in texts}
    spec.pop("useOwnerReferencesInBackup", None)
    found = again["spec"]
    found.pop("useOwnerReferencesInBackup", None)
    assert found == spec
    assert again["status"] == {}


@pytest.mark.parametrize("plural", KINDS)
def test_an_object_without_spec_and_status_is_read_and_gets_none(plural: str) -> None:
    typed = decoded(plural, {"metadata": {"name": "bare"}})
    assert msgspec.to_builtins(typed) == {"metadata": {"name": "bare"}}


@pytest.mark.parametrize("plural", KINDS)
def test_fields_and_phases_of_a_newer_velero_do_no_harm(plural: str) -> None:
    obj = {"spec": {"brandNew": {"a": [1]}}, "status": {"phase": "Dreaming", "mood": 7}}
    assert decoded(plural, obj).status.phase == "Dreaming"


@pytest.mark.parametrize("plural", KINDS)
def test_null_is_as_good_as_absent_where_a_field_may_be_unset(plural: str) -> None:
    typed = decoded(plural, EXAMPLES[plural])
    for part in ("spec", "status"):
        struct = type(getattr(typed, part))
        unset = [one.encode_name for one in msgspec.structs.fields(struct) if one.default is None]
        data = msgspec.json.encode(dict.fromkeys(unset))
        assert msgspec.json.decode(data, type=struct) == struct()


@pytest.mark.parametrize("value", [None, False, True])
def test_a_boolean_that_may_be_unset_has_three_states(value: bool | None) -> None:
    read = msgspec.json.decode(
        msgspec.json.encode({"skipImmediately": value, "template": {"snapshotVolumes": value}}),
        type=ScheduleSpec,
    )
    assert read.skip_immediately is value
    assert read.template.snapshot_volumes is value
    written = msgspec.to_builtins(read)
    assert ("skipImmediately" in written) == (value is not None)


def test_a_schedule_is_written_with_a_template_even_if_it_says_nothing() -> None:
    schedule = Schedule(spec=ScheduleSpec(schedule="@daily"))
    assert msgspec.to_builtins(schedule)["spec"] == {"schedule": "@daily", "template": {}}


def test_a_part_that_is_set_but_empty_is_written() -> None:
    assert msgspec.to_builtins(BackupSpec(hooks=BackupHooks())) == {"hooks": {}}
    assert msgspec.to_builtins(BackupSpec(included_namespaces=[])) == {"includedNamespaces": []}


def test_objects_can_not_be_changed_by_whoever_reads_them() -> None:
    with pytest.raises(AttributeError):
        Schedule().spec.paused = True  # type: ignore[misc]


def test_a_label_selector_selects() -> None:
    typed = decoded("backups", FULL["backups"])
    selector = typed.spec.label_selector.selector
    assert selector.matches({"app": "web", "tier": "front"})
    assert not selector.matches({"app": "web", "tier": "front", "old": ""})
    assert typed.spec.or_label_selectors[1].selector.empty


OVER = {"FailedValidation", "Completed", "PartiallyFailed", "Failed", "Deleting"}


@pytest.mark.parametrize("phase", ["", "Dreaming", *BackupPhase])
def test_the_run_of_a_backup_is_over_in_these_phases_only(phase: str) -> None:
    assert backup.is_terminal(phase) == (phase in OVER)


@pytest.mark.parametrize("phase", ["", "Dreaming", *RestorePhase])
def test_a_restore_is_over_in_these_phases_only(phase: str) -> None:
    assert restore.is_terminal(phase) == (phase in OVER)
