"""The time at which a volume's phase changed is kept by the server."""

import pytest

from kedge.apiserver.builtin.persistentvolumes import PersistentVolumeStrategy
from kedge.apiserver.resource import Context, Object

HOOKS = PersistentVolumeStrategy()
NOW, THEN, OTHER = "2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z", "2025-01-01T00:00:00Z"
TIME = "lastPhaseTransitionTime"


def volume(phase: str, time: str | None = None) -> Object:
    status = {"phase": phase, **({TIME: time} if time else {})}
    return {"metadata": {"name": "v"}, "spec": {}, "status": status}


@pytest.mark.parametrize(
    ("phase", "told", "kept"),
    [
        pytest.param("Pending", None, THEN, id="same phase, no time told"),
        pytest.param("Pending", OTHER, OTHER, id="same phase, a time told"),
        pytest.param("Bound", None, NOW, id="new phase, no time told"),
        pytest.param("Bound", THEN, NOW, id="new phase, the old time told"),
        pytest.param("Bound", OTHER, OTHER, id="new phase, a time told"),
    ],
)
def test_the_time_moves_with_the_phase(phase: str, told: str | None, kept: str) -> None:
    new = volume(phase, told)
    HOOKS.prepare_update(new, volume("Pending", THEN), Context(subresource="status", now=NOW))
    assert new["status"][TIME] == kept


def test_a_new_volume_is_pending_since_it_was_made() -> None:
    obj = volume("Bound")
    obj["metadata"]["creationTimestamp"] = THEN
    HOOKS.prepare_create(obj, Context())
    assert obj["status"] == {"phase": "Pending", TIME: THEN}
    assert obj["metadata"]["finalizers"] == ["kubernetes.io/pv-protection"]
