from pathlib import Path

import pytest

from kedge.cli.errors import Failure
from kedge.cli.manifest import read_objects

ONE = "{apiVersion: velero.io/v1, kind: Schedule, metadata: {name: %s}}"


def names(path: Path, text: str) -> list[str]:
    file = path / "file.yaml"
    file.write_text(text)
    return [one["metadata"]["name"] for one in read_objects(str(file), "velero.io/v1", "Schedule")]


def test_several_documents_and_lists_are_read_and_others_passed_over(tmp_path: Path) -> None:
    text = "\n---\n".join(
        [
            ONE % "a",
            "",
            "{apiVersion: v1, kind: ConfigMap, metadata: {name: no}}",
            f"{{apiVersion: v1, kind: List, items: [{ONE % 'b'}, 7]}}",
            "{apiVersion: velero.io/v1, kind: ScheduleList, items: [{metadata: {name: c}}]}",
            "- a list",
        ]
    )
    assert names(tmp_path, text) == ["a", "b", "c"]


def test_json_is_read_too(tmp_path: Path) -> None:
    text = '{"apiVersion": "velero.io/v1", "kind": "Schedule", "metadata": {"name": "a"}}'
    assert names(tmp_path, text) == ["a"]


def test_times_stay_texts(tmp_path: Path) -> None:
    file = tmp_path / "file.yaml"
    file.write_text("apiVersion: velero.io/v1\nkind: Schedule\nmade: 2026-03-27T12:00:00Z\n")
    (one,) = read_objects(str(file), "velero.io/v1", "Schedule")
    assert one["made"] == "2026-03-27T12:00:00Z"


@pytest.mark.parametrize("text", ["", "kind: Pod", "{", "a: b: c", "!!python/object:os.system {}"])
def test_what_has_no_object_is_a_failure(tmp_path: Path, text: str) -> None:
    with pytest.raises(Failure):
        names(tmp_path, text)


def test_a_file_that_is_not_there_is_a_failure(tmp_path: Path) -> None:
    with pytest.raises(Failure, match="No such file"):
        read_objects(str(tmp_path / "none"), "velero.io/v1", "Schedule")


def test_bytes_that_are_no_text_are_a_failure(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(Failure, match="neither YAML nor JSON"):
        read_objects(str(file), "velero.io/v1", "Schedule")
