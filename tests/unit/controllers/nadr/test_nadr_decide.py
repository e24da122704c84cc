"""What a request of a user's for a download needs now."""

from datetime import UTC, datetime
from typing import Any

import pytest

from kedge.controllers.nadr.decide import Ask, Remove, Wait, Write, decide, failed
from kedge.controllers.nadr.heads import Download, Nadr
from kedge.kube.meta import ObjectMeta

NOW = datetime(2030, 1, 1, tzinfo=UTC)
LATER = "2030-01-01T00:10:00Z"
EARLIER = "2029-12-31T23:59:59Z"
LATER_TIME = datetime(2030, 1, 1, 0, 10, tzinfo=UTC)
TARGET: dict[str, Any] = {"target": {"kind": "BackupLog", "name": "nightly"}}


def nadr(status: dict[str, Any] | None = None, spec: dict[str, Any] | None = TARGET) -> Nadr:
    return Nadr(ObjectMeta(namespace="shop", name="log", uid="u", generation=2), spec, status)


def answer(**status: Any) -> Download:
    return Download(status=status)


@pytest.mark.parametrize(
    ("one", "download", "wanted"),
    [
        (nadr(spec=None), None, Wait()),
        (nadr(spec={}), None, Wait()),
        (nadr(spec={"target": {"kind": "", "name": "x"}}), None, Wait()),
        (nadr(spec={"target": {"kind": "BackupLog", "name": ""}}), None, Wait()),
        (nadr(), None, Ask()),
        (nadr(), Download(), Wait()),
        (nadr(), answer(phase="New", downloadURL="x"), Wait()),
        (nadr(), answer(phase="Processed"), Wait()),
        (nadr(), answer(phase="Processed", downloadURL="x", expiration=EARLIER), Wait()),
        (
            nadr({"velero": {"status": {"downloadURL": "x", "expiration": LATER}}}),
            None,
            Wait(LATER_TIME),
        ),
        (nadr({"velero": {"status": {"downloadURL": "x"}}}), None, Wait()),
        (nadr({"velero": {"status": {"expiration": EARLIER}}}), None, Remove()),
        (nadr({"velero": {"status": {"expiration": "soon"}}}), None, Ask()),
    ],
)
def test_a_request_is_compared_with_its_answer_and_the_time(
    one: Nadr, download: Download | None, wanted: object
) -> None:
    assert decide(one, download, NOW) == wanted


def test_an_answer_takes_the_place_of_what_was_in_the_way() -> None:
    told = failed(nadr(), "NonAdminBackupNotAvailable", "cannot get nonadminbackup", EARLIER)
    assert told["phase"] == "BackingOff"
    step = decide(nadr(told), answer(phase="Processed", downloadURL="x", expiration=LATER), NOW)
    assert isinstance(step, Write)
    assert step.change["phase"] == "Created"
    assert [one["type"] for one in step.change["conditions"]] == ["Processed"]
    assert step.change["velero"]["status"]["downloadURL"] == "x"


def test_the_same_failure_is_written_once() -> None:
    told = failed(nadr(), "NonAdminBackupNotAvailable", "cannot get nonadminbackup", EARLIER)
    again = failed(nadr(told), "NonAdminBackupNotAvailable", "cannot get nonadminbackup", LATER)
    assert told == again
