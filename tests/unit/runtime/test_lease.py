from typing import Any

import pytest

from kedge.aio.clock import SystemClock
from kedge.client.where import explicit
from kedge.kube.kind import Object
from kedge.runtime.leadersettings import LeaderSettings
from kedge.runtime.lease import Record, lease_client, read, write

STAMP = "2030-01-01T00:00:00.000000Z"
FULL = {
    "holderIdentity": "me",
    "leaseDurationSeconds": 15,
    "acquireTime": STAMP,
    "renewTime": STAMP,
    "leaseTransitions": 3,
}


def test_a_record_is_written_in_the_fields_of_client_go() -> None:
    record = Record("me", 15, STAMP, STAMP, 3)
    assert write({"metadata": {}}, record) == {"metadata": {}, "spec": FULL}
    assert read({"metadata": {}, "spec": FULL}).record == record


@pytest.mark.parametrize(
    "obj",
    [
        {},
        {"metadata": None, "spec": None},
        {"metadata": {}, "spec": dict.fromkeys(FULL)},
        {"metadata": {}, "spec": {"leaseDurationSeconds": "x", "holderIdentity": 1}},
    ],
)
def test_what_is_not_told_is_empty(obj: dict[str, Any]) -> None:
    lease = read(obj)
    assert lease.record == Record()
    assert lease.uid == ""


def test_a_released_lease_names_an_empty_holder() -> None:
    spec = write({"metadata": {}}, Record("", 1, STAMP, STAMP, 3))["spec"]
    assert (spec["holderIdentity"], spec["leaseDurationSeconds"]) == ("", 1)


def test_the_rest_of_a_lease_stays_as_it_is() -> None:
    obj: Object = {
        "metadata": {"labels": {"a": "b"}},
        "spec": {**FULL, "strategy": "OldestEmulation"},
    }
    written = write(obj, Record("you", 15, STAMP, STAMP, 4))
    assert written["metadata"] == obj["metadata"]
    assert written["spec"]["strategy"] == "OldestEmulation"
    assert obj["spec"]["holderIdentity"] == "me"


@pytest.mark.asyncio
async def test_a_renewal_that_hangs_leaves_time_for_another() -> None:
    settings = LeaderSettings("boat", "sea", "me")
    async with lease_client(explicit("http://127.0.0.1:1"), settings, SystemClock()) as client:
        bounds = client.settings
        assert 2 * bounds.answer_seconds <= settings.renew_seconds
        assert bounds.connect_seconds <= bounds.answer_seconds
        assert bounds.retrying.attempts == 1
