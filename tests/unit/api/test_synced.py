"""The mark of Backups from a bucket."""

import pytest

from kedge.api.velero.synced import SYNCED_FROM, is_half_synced, synced_from, synced_mark


def test_the_mark_tells_the_location_it_was_made_for() -> None:
    mark = {SYNCED_FROM: synced_mark("default", "nightly")}
    assert synced_from("nightly", mark) == "default"


@pytest.mark.parametrize("phase", ["", "New"])
def test_a_marked_backup_without_a_status_is_half_synced(phase: str) -> None:
    assert is_half_synced("nightly", {SYNCED_FROM: "default/nightly"}, phase)


@pytest.mark.parametrize(
    ("name", "annotations", "phase"),
    [
        pytest.param("nightly", None, "", id="no annotations"),
        pytest.param("nightly", {"a": "b"}, "", id="no mark"),
        pytest.param("nightly", {SYNCED_FROM: "default/nightly"}, "Completed", id="whole"),
        pytest.param("copy", {SYNCED_FROM: "default/nightly"}, "", id="a clone"),
        pytest.param("nightly", {SYNCED_FROM: "default"}, "", id="no name in the mark"),
        pytest.param("nightly", {SYNCED_FROM: "/nightly"}, "", id="no location in the mark"),
        pytest.param("nightly", {SYNCED_FROM: ""}, "", id="an empty mark"),
    ],
)
def test_all_others_are_not(name: str, annotations: dict[str, str] | None, phase: str) -> None:
    assert not is_half_synced(name, annotations, phase)
