"""Archives that the original wrote are read, item by item, as the original meant them."""

import io
import json
from collections import defaultdict

import msgspec
import pytest

from kedge.api.velero.backup import Backup
from kedge.archive import layout
from kedge.archive.contents import Contents, ContentsBuilder
from kedge.archive.files import read_results
from kedge.archive.verify import Verifier
from tests.velero.recorded import ALL, EVERY_KIND, PARTIAL, VERSIONS, Recorded

CHUNK = 10_000
one_version = pytest.mark.parametrize("recorded", [EVERY_KIND, PARTIAL], ids=lambda one: one.name)
every_recording = pytest.mark.parametrize("recorded", ALL, ids=lambda one: one.name)


def contents_of(recorded: Recorded) -> Contents:
    builder = ContentsBuilder(io.BytesIO())
    data = recorded.archive
    for start in range(0, len(data), CHUNK):
        builder.feed(data[start : start + CHUNK])
    return builder.finish()


def listed(contents: Contents) -> dict[str, list[str]]:
    """Name all items as the original's resource list does."""
    found: dict[str, list[str]] = defaultdict(list)
    for resource in contents.resources:
        for item in contents.items(resource):
            obj = json.loads(item.data)
            name, namespace = item.place.name, item.place.namespace
            kind = f"{obj['apiVersion']}/{obj['kind']}"
            found[kind].append(f"{namespace}/{name}" if namespace else name)
    return {kind: sorted(names) for kind, names in found.items()}


@every_recording
def test_each_item_is_read_as_it_was_written(recorded: Recorded) -> None:
    contents = contents_of(recorded)
    read = {
        (item.place.resource, item.place.namespace, item.place.name): bytes(item.data)
        for resource in contents.resources
        for item in contents.items(resource)
    }
    assert read == recorded.items()
    assert contents.version == "1.1.0"
    assert contents.warnings == []
    assert contents.refused == []


@one_version
def test_the_items_are_those_that_the_original_lists(recorded: Recorded) -> None:
    assert listed(contents_of(recorded)) == recorded.of_backup("resource-list.json")


def test_of_an_object_in_several_versions_one_is_read() -> None:
    ours, theirs = listed(contents_of(VERSIONS)), VERSIONS.of_backup("resource-list.json")
    others = {
        "autoscaling/v1/HorizontalPodAutoscaler": ["trouble/web"],
        "sea.example.com/v1beta1/Boat": ["other/tug", "trouble/barge", "trouble/tug"],
    }
    assert theirs == ours | others


@one_version
def test_the_verifier_finds_it_whole(recorded: Recorded) -> None:
    verifier = Verifier()
    verifier.feed(recorded.archive)
    assert verifier.finish().items == len(recorded.items())


@every_recording
def test_the_backup_beside_it_is_one_of_ours(recorded: Recorded) -> None:
    obj = recorded.json(layout.backup_metadata(recorded.name))
    backup = msgspec.convert(obj, Backup)
    assert backup.metadata.name == recorded.name
    assert backup.status.format_version == "1.1.0"
    assert backup.status.progress is not None
    names = recorded.of_backup("resource-list.json").values()
    assert backup.status.progress.items_backed_up == sum(map(len, names))


def test_what_went_wrong_is_read() -> None:
    file = PARTIAL.file(layout.backup_results("partial"))
    errors, warnings = read_results(file, "results")
    assert errors.count == 1
    assert "Error executing hook" in errors.velero[0]
    assert all("Failed to discover group: metrics.k8s.io/v1beta1" in one for one in warnings.velero)


@every_recording
def test_every_file_has_the_key_that_we_give_it(recorded: Recorded) -> None:
    name = recorded.name
    keys = {
        str(path.relative_to(recorded.folder))
        for path in (recorded.folder / "backups").rglob("*")
        if path.is_file()
    }
    assert keys == {
        layout.backup_metadata(name),
        layout.backup_contents(name),
        layout.backup_log(name),
        layout.backup_results(name),
        layout.backup_resource_list(name),
        layout.backup_pod_volumes(name),
        layout.backup_snapshots(name),
        layout.backup_operations(name),
        layout.backup_volume_info(name),
    }
