"""What was written counts until the cache shows it; what the queue sees of a Backup."""

from datetime import timedelta

import msgspec
import pytest

from kedge.controllers.queue.heads import BackupHead, facts_of, member_of, phase_of
from kedge.controllers.queue.recent import LAG_SECONDS, Recent
from kedge.kube.kind import Object
from kedge.runtime import Key
from kedge.testing import FakeClock

KEY = Key("velero", "b")


def head(version: str = "1", phase: str | None = None, **metadata: object) -> BackupHead:
    meta = {"name": "b", "namespace": "velero", "resourceVersion": version, **metadata}
    obj: Object = {"metadata": meta, "spec": {}}
    if phase is not None:
        obj["status"] = {"phase": phase}
    return msgspec.convert(obj, BackupHead)


def test_a_write_counts_until_the_cache_has_it() -> None:
    recent = Recent(FakeClock())
    recent.wrote(KEY, head("10"))
    assert recent.keys() == [KEY]
    assert recent.newer(KEY, "9") == head("10")
    assert recent.newer(KEY, "10") is None
    assert recent.keys() == []
    assert recent.newer(KEY, "9") is None


def test_a_write_that_never_comes_back_is_forgotten() -> None:
    clock = FakeClock()
    recent = Recent(clock)
    recent.wrote(KEY, head("10"))
    clock.advance(timedelta(seconds=LAG_SECONDS))
    assert recent.newer(KEY, "9") is None


def test_versions_that_are_no_numbers_are_not_waited_for() -> None:
    recent = Recent(FakeClock())
    recent.wrote(KEY, head("b"))
    assert recent.newer(KEY, "a") is None


@pytest.mark.parametrize(
    ("phase", "mark", "seen"),
    [
        (None, None, "New"),
        ("", None, "New"),
        ("New", None, "New"),
        ("Queued", None, "Queued"),
        (None, "default/b", ""),
        ("New", "default/b", ""),
        ("Completed", "default/b", "Completed"),
        (None, "default/another", "New"),
    ],
)
def test_an_empty_phase_is_new_unless_it_is_being_brought_in(
    phase: str | None, mark: str | None, seen: str
) -> None:
    annotations = {"kedge.dev/synced-from": mark} if mark else None
    assert phase_of(head(phase=phase, annotations=annotations)) == seen


def test_a_new_place_is_no_news_and_another_phase_is() -> None:
    queued = msgspec.convert(
        {"metadata": {}, "status": {"phase": "Queued", "queuePosition": 4}}, BackupHead
    )
    assert facts_of(queued) == facts_of(
        msgspec.convert({"metadata": {}, "status": {"phase": "Queued"}}, BackupHead)
    )
    assert facts_of(head(phase="Queued")) != facts_of(head(phase="ReadyToStart"))
    assert facts_of(head(phase="InProgress")) == facts_of(head(phase="ReadyToStart"))
    assert facts_of(head(phase="Queued")) != facts_of(
        head(phase="Queued", deletionTimestamp="2030-01-01T00:00:00Z")
    )


def test_null_fields_are_as_good_as_none() -> None:
    obj = {"metadata": {"name": "b"}, "spec": {"includedNamespaces": None}, "status": None}
    assert member_of(msgspec.convert(obj, BackupHead)).namespaces == ((), ())
