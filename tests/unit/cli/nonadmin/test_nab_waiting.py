import asyncio
from datetime import timedelta
from typing import Any

import pytest

from kedge.aio.background import background
from kedge.cli.errors import Failure
from kedge.cli.meter import QUIET_SECONDS
from kedge.cli.nab.kind import BACKING_UP
from kedge.cli.nab.waiting import UNSEEN, Lines, display, tell, view
from kedge.cli.nar.kind import RESTORING
from kedge.testing import FakeClock
from tests.unit.cli.conftest import NOW
from tests.unit.cli.nonadmin.test_nab_outlook import EARLY, LEAVING, LOST, nab, nar

Object = dict[str, Any]
RUNNING = {"phase": "InProgress", "progress": {"totalItems": 9, "itemsBackedUp": 4}}


@pytest.mark.parametrize(
    ("obj", "shown"),
    [
        (nab(), {"phase": "", "queuePosition": 0}),
        (nab("New"), {"phase": "New", "queuePosition": 0}),
        (nab("BackingOff"), {"phase": "BackingOff", "queuePosition": 0}),
        (nab("Created", {}, queue=3), {"phase": "Waiting", "queuePosition": 3}),
        (nab("Created", {"phase": "Queued"}, queue=2), {"phase": "Waiting", "queuePosition": 2}),
        (
            nab("Created", RUNNING, queue=1),
            {"phase": "InProgress", "progress": RUNNING["progress"]},
        ),
        (nab("Created", {"phase": "Finalizing"}), {"phase": "Finalizing"}),
    ],
)
def test_the_queue_is_shown_while_it_waits_and_the_progress_then(
    obj: Object, shown: Object
) -> None:
    assert view(BACKING_UP, obj) == {"status": shown}


def test_without_a_terminal_there_is_a_line_for_each_step(
    capsys: pytest.CaptureFixture[str],
) -> None:
    lines = Lines(FakeClock(NOW))
    for obj in (
        nab(),
        nab("New"),
        nab("Created", {}, queue=2),
        nab("Created", {}, queue=2),
        nab("Created", {}, queue=1),
        nab("Created", {}, queue=0),
        nab("Created", RUNNING),
        nab("Created", {"phase": "Completed"}),
    ):
        lines.show(view(BACKING_UP, obj))
    assert capsys.readouterr().err.splitlines() == [
        "New",
        "Waiting, 2 in the queue",
        "Waiting, 1 in the queue",
        "InProgress",
        "Completed",
    ]


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("obj", "told"),
    [(nab(), f"New\nkedge: {UNSEEN}\n"), (nab("New"), "New\n"), (nar(), f"New\nkedge: {UNSEEN}\n")],
)
async def test_one_that_nobody_has_looked_at_is_wondered_about(
    capsys: pytest.CaptureFixture[str], obj: Object, told: str
) -> None:
    clock = FakeClock(NOW)
    shown = display(clock, BACKING_UP)
    shown.show(view(BACKING_UP, obj))
    async with background(shown.run()):
        await clock.slept(lambda delays: len(delays) == 2)
        clock.advance(timedelta(seconds=QUIET_SECONDS))
        await clock.slept()
    assert capsys.readouterr().err == told


@pytest.mark.asyncio
async def test_lines_go_on_until_they_are_cancelled() -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0):
            await Lines(FakeClock(NOW)).run()


@pytest.mark.parametrize(
    ("obj", "over"),
    [
        (nab(), False),
        (nab("New"), False),
        (nab("Created", {}), False),
        (nab("Created", {"phase": "SomethingNew"}), False),
        (nab("Created", RUNNING, conditions=[("Accepted", "False")]), False),
        (nab("Created", {"phase": "Completed"}), True),
        (nab("Created", {"phase": "Failed"}), True),
        (nab("BackingOff"), True),
        (nab("BackingOff", conditions=[("Accepted", "False")]), True),
        (nab("BackingOff", conditions=[("Accepted", "True")]), False),
        (nab("Deleting"), True),
        (nab("Created", RUNNING, meta=LEAVING), True),
        (nab("Created", RUNNING, conditions=[LOST]), True),
    ],
)
def test_it_is_over_when_nothing_more_comes_by_itself(obj: Object, over: bool) -> None:
    assert BACKING_UP.is_over(obj) is over


def test_a_restore_waits_for_its_backup_and_that_is_shown() -> None:
    early = nar("BackingOff", conditions=[EARLY])
    assert not RESTORING.is_over(early)
    assert view(RESTORING, early) == {"status": {"phase": "Waiting for its backup"}}
    assert RESTORING.is_over(nar("BackingOff", conditions=[EARLY, ("Failed", "True")]))
    assert RESTORING.is_over(nar("BackingOff", conditions=[("Accepted", "False")]))


def test_only_completed_is_fine(capsys: pytest.CaptureFixture[str]) -> None:
    tell(BACKING_UP, nab("Created", {"phase": "Completed", "warnings": 2}))
    tell(RESTORING, nar("Created", {"phase": "Completed"}))
    shown = capsys.readouterr()
    assert 'NonAdminBackup "shop" ended with status: Completed' in shown.out
    assert shown.err == "kedge: 2 warnings: `kedge nab describe shop` tells more\n"


@pytest.mark.parametrize(
    ("obj", "words"),
    [
        (nab("Created", {"phase": "Failed", "failureReason": "no disk"}), "is Failed: no disk"),
        (nab("Created", {"phase": "PartiallyFailed", "errors": 3}), "PartiallyFailed: 3 errors"),
        (nab("Created", {"phase": "FailedValidation", "validationErrors": ["a"]}), ": a"),
        (
            nab("BackingOff", conditions=[("Accepted", "False", "Invalid", "ttl is wrong")]),
            "was not accepted: ttl is wrong",
        ),
        (nab("BackingOff"), "does not say why"),
        (nab("Deleting", RUNNING, conditions=[("Deleting", "True")]), "is being deleted: told"),
        (nab("Created", RUNNING, conditions=[LOST]), "backup of .* is gone, and is not made again"),
    ],
)
def test_everything_else_is_a_failure_with_its_reason(obj: Object, words: str) -> None:
    with pytest.raises(Failure, match=words):
        tell(BACKING_UP, obj)
