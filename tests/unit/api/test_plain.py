"""Typed objects from plain ones, and back."""

import msgspec
import pytest

from kedge.api.plain import from_plain, to_plain
from kedge.api.velero.backup import BACKUP, Backup, BackupSpec
from kedge.api.velero.schedule import SCHEDULE
from kedge.kube.meta import ObjectMeta
from tests.unit.api.examples import EXAMPLES, FULL


def test_null_counts_as_absent_anywhere() -> None:
    obj = {
        "metadata": {"name": "a", "labels": None, "finalizers": [None]},
        "spec": {"schedule": None, "paused": None, "template": {"ttl": None, "hooks": None}},
        "status": None,
    }
    typed = from_plain(SCHEDULE, obj)
    assert typed == from_plain(
        SCHEDULE, {"metadata": {"name": "a", "finalizers": []}, "spec": {"template": {}}}
    )
    assert obj["status"] is None, "what is read is not changed"


def test_a_field_of_another_type_is_refused_by_name() -> None:
    with pytest.raises(msgspec.ValidationError, match=r"\$\.spec\.paused"):
        from_plain(SCHEDULE, {"spec": {"paused": "yes"}})


def test_a_typed_object_says_first_what_it_is() -> None:
    backup = Backup(metadata=ObjectMeta(name="b"), spec=BackupSpec(ttl="1h0m0s"))
    plain = to_plain(BACKUP, backup)
    assert list(plain) == ["apiVersion", "kind", "metadata", "spec"]
    assert plain == {
        "apiVersion": "velero.io/v1",
        "kind": "Backup",
        "metadata": {"name": "b"},
        "spec": {"ttl": "1h0m0s"},
    }


def test_there_and_back_again_is_the_same() -> None:
    for example in (EXAMPLES["schedules"], FULL["schedules"]):
        typed = from_plain(SCHEDULE, example)
        assert from_plain(SCHEDULE, to_plain(SCHEDULE, typed)) == typed
