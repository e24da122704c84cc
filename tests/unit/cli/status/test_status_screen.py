"""How `kedge status` looks: what ran, what comes, what waits, whether the server runs."""

import os
import sys
from datetime import timedelta

import pytest

from kedge.cli.status.drawing import drawn
from kedge.cli.status.gathering import MISSING
from kedge.cli.status.kinds import (
    APPROVALS,
    BACKUPS,
    LOCATIONS,
    NABS,
    PRESCALED,
    SCHEDULES,
)
from kedge.cli.status.reporting import report_of
from kedge.kube.times import format_time
from tests.unit.cli.conftest import NOW, Terminal, look_at_stdout
from tests.unit.cli.status.seen import ago, backup, obj, view

SOON = format_time(NOW + timedelta(hours=1))


def test_all_parts_are_on_one_screen() -> None:
    nab = obj(
        "mine",
        "shop",
        metadata={"creationTimestamp": ago(minutes=5)},
        status={
            "phase": "Created",
            "queueInfo": {"estimatedQueuePosition": 3},
            "veleroBackup": {"name": "shop-mine-1", "status": {"phase": "Queued"}},
        },
    )
    running = backup("big", "InProgress", progress={"totalItems": 9, "itemsBackedUp": 4})
    queued = backup("next", "Queued", queuePosition=1)
    failed = backup("bad", "Failed", failureReason="disk full")
    approval = obj(
        "req",
        status={"nonAdminBackupStorageLocation": {"name": "bucket", "namespace": "shop"}},
        metadata={"creationTimestamp": ago(hours=3)},
    )
    report = report_of(
        view(
            (
                SCHEDULES,
                [obj("nightly", status={"nextRun": SOON}), obj("off", spec={"paused": True})],
            ),
            (BACKUPS, [running, queued, failed, backup("shop-mine-1", "Queued", queuePosition=2)]),
            (NABS, [nab]),
            (APPROVALS, [approval]),
            (PRESCALED, [obj("report", "ferry", status={"nextWarmUpTime": SOON})]),
        )
    )
    assert drawn(report, "kedge") == (
        """\
Server runs: it looks at the storage locations; 1 thing is wrong

RAN
  backup bad  Failed  1h ago

NEXT
  schedule nightly        backup   2026-03-27T13:00:00Z  in 1h
  prescaled ferry/report  warm-up  2026-03-27T13:00:00Z  in 1h

WAITS
  backup big     InProgress            1h ago  4 of 9 objects
  backup next    Queued      number 1  1h ago
  nab shop/mine  Queued      number 3  5m ago
  request req    Pending               3h ago  shop/bucket waits for an administrator
  do: kedge nabsl approve bucket -n shop

WRONG
  backup bad: Failed: disk full
    do: kedge backup describe bad

NOTICE
  schedule off: paused: it makes no backups
    do: kedge schedule unpause off
"""
    )


def test_thousands_are_counted_and_not_listed() -> None:
    made = [backup(f"b{number:04}", "Failed", failureReason="x") for number in range(3000)]
    text = drawn(report_of(view((BACKUPS, made))), "kedge")
    assert len(text.splitlines()) < 40
    assert text.count("  and 2995 more\n") == 2
    assert text.endswith("All of it: kedge status -o yaml\n")


def test_the_newest_come_first_and_the_document_has_twenty() -> None:
    made = [backup(f"b{n:02}", "Completed", made=ago(hours=n)) for n in range(30)]
    report = report_of(view((BACKUPS, made)))
    document = report.document
    assert [one["name"] for one in document["ran"]] == [f"b{n:02}" for n in range(20)]
    assert document["ranTotal"] == 30
    assert document["healthy"] is True


@pytest.mark.parametrize("columns", [20, 40, 80, 200])
def test_lines_fit_on_the_screen_but_commands_are_whole(
    columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    look_at_stdout(monkeypatch)
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setenv("NO_COLOR", "1")
    report = report_of(view((BACKUPS, [backup("b" * 63, "Failed", failureReason="y" * 300)])))
    lines = drawn(report, "kedge").splitlines()
    assert all(len(line) <= columns for line in lines if "do: " not in line)
    assert f"    do: kedge backup describe {'b' * 63}" in lines
    assert os.environ["COLUMNS"] == str(columns)


def test_what_others_wrote_does_not_move_the_cursor() -> None:
    bad = backup("bad", "Failed", failureReason="\x1b[2Jgone\nand more")
    text = drawn(report_of(view((BACKUPS, [bad]))), "kedge")
    assert "\x1b" not in text
    assert "\\x1b[2Jgone\\nand more" in text


LEASE = {"spec": {"holderIdentity": "kedge-1", "leaseDurationSeconds": 15}}


def _lease(**spec: object) -> dict[str, object]:
    return {"spec": LEASE["spec"] | spec}


@pytest.mark.parametrize(
    ("lease", "state", "detail"),
    [
        (_lease(renewTime=ago(seconds=3)), "running", "kedge-1 leads"),
        (_lease(renewTime=format_time(NOW + timedelta(seconds=20))), "running", "kedge-1 leads"),
        (
            _lease(renewTime=ago(minutes=7)),
            "away",
            "kedge-1 has not renewed the Lease for 7m",
        ),
        (_lease(holderIdentity=""), "away", "it has ended, and released its Lease"),
        (_lease(), "unknown", "kedge-1 has the Lease"),
    ],
)
def test_a_lease_tells_whether_the_server_runs(
    lease: dict[str, object], state: str, detail: str
) -> None:
    report = report_of(view(lease=lease))
    assert (report.server.state, report.server.detail) == (state, detail)
    assert report.is_healthy == (state != "away")


def test_a_server_that_is_away_is_the_first_thing_that_is_wrong() -> None:
    late = obj("late", status={"nextRun": ago(hours=1)})
    stale = {"phase": "Available", "lastValidationTime": ago(hours=1)}
    lists = ((SCHEDULES, [late]), (LOCATIONS, [obj("default", status=stale)]))
    (problem,) = report_of(view(*lists, is_asked=True)).wrong
    assert problem.text.startswith("the server does not run")
    assert problem.fix == "kedge install -n velero --wait"
    (scaled,) = report_of(view(*lists, is_asked=True, deployment={"spec": {"replicas": 0}})).wrong
    assert scaled.fix == "kubectl scale deployment/kedge --replicas 1 -n velero"
    (pods,) = report_of(view(*lists, is_asked=True, deployment={"spec": {}})).wrong
    assert pods.fix.startswith("kubectl describe pods -n velero -l ")
    (place,) = report_of(view(*lists, is_asked=True, elsewhere="openadp")).wrong
    assert place.fix == "kedge status -n openadp"


def test_a_server_that_answers_runs() -> None:
    lists = ((LOCATIONS, [obj("default")]),)
    report = report_of(view(*lists, is_asked=True, answer="v1"))
    assert (report.server.state, report.server.detail) == ("running", "it answers: v1")


def test_kinds_that_are_missing_are_named_with_what_adds_them() -> None:
    report = report_of(view(problems={PRESCALED.plural: MISSING}))
    assert report.unseen == [
        "the cluster does not have prescaledcronjobs: `kedge install --crds-only` adds them"
    ]
