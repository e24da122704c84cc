import os
import signal
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from click.testing import Result

from kedge.cli.warmup import run
from kedge.cli.warmup.asked import Asked
from kedge.cli.warmup.run import wait, warmed_up
from tests.unit.cli.conftest import Run
from tests.unit.cli.conftest import kedge as kedge

NOW = datetime(2026, 3, 27, 12, 0, 3, tzinfo=UTC)
NOON = "autogen-report-29576880"


class Wall:
    """A clock that jumps to the instant that is waited for."""

    def __init__(self, now: datetime = NOW) -> None:
        self.time = now
        self.holds: list[datetime] = []
        self.lines: list[str] = []

    def now(self) -> datetime:
        return self.time

    def hold(self, instant: datetime) -> None:
        self.holds.append(instant)
        self.time = instant

    def wait(self, job: str = NOON, **options: str) -> None:
        asked = Asked({f"--{k}": v for k, v in options.items()}, {"KEDGE_JOB_NAME": job})
        wait(asked, self.now, self.hold, self.lines.append)


def test_it_sleeps_once_until_the_run() -> None:
    wall = Wall()
    wall.wait(lead="10m")
    assert wall.holds == [datetime(2026, 3, 27, 12, 10, tzinfo=UTC)]
    assert wall.lines == [
        "warming up for the run at 2026-03-27T12:10:00Z, in 9m 57s (job autogen-report-29576880)",
        "the run at 2026-03-27T12:10:00Z starts",
    ]


def test_without_a_minute_in_the_name_it_tells_what_it_goes_by() -> None:
    wall = Wall()
    wall.wait("by-hand", lead="10m", schedule="0 8 * * 1-5", zone="Europe/Amsterdam")
    assert wall.lines == [
        "warming up for the run at 2026-03-30T06:00:00Z, in 2d 17h 59m 57s"
        " (the next of 0 8 * * 1-5)",
        "the run at 2026-03-30T06:00:00Z starts",
    ]


@pytest.mark.parametrize(
    ("now", "late"),
    [
        (datetime(2026, 3, 27, 12, 10, 1, tzinfo=UTC), "1s"),
        (datetime(2026, 3, 27, 12, 13, 12, 900_000, tzinfo=UTC), "3m 12s"),
        (datetime(2027, 3, 27, 12, 10, tzinfo=UTC), "365d"),
    ],
)
def test_a_run_that_is_past_is_not_waited_for_and_it_says_how_late_it_is(
    now: datetime, late: str
) -> None:
    wall = Wall(now)
    wall.wait(lead="10m")
    assert wall.holds == []
    assert wall.lines == [
        f"late by {late} for the run at 2026-03-27T12:10:00Z (job autogen-report-29576880)"
    ]


@pytest.mark.parametrize("late", [timedelta(0), timedelta(milliseconds=999)])
def test_less_than_a_second_is_not_late(late: timedelta) -> None:
    wall = Wall(datetime(2026, 3, 27, 12, 10, tzinfo=UTC) + late)
    wall.wait(lead="10m")
    assert wall.holds == []
    assert wall.lines == ["the run at 2026-03-27T12:10:00Z starts"]


@pytest.fixture
def handler() -> Iterator[None]:
    """Put back what SIGTERM did before."""
    before = signal.getsignal(signal.SIGTERM)
    yield
    signal.signal(signal.SIGTERM, before)


@pytest.mark.usefixtures("handler")
@pytest.mark.parametrize(
    "args", [["--help"], ["--lead", "x"], [], ["--lead", "1m", "--schedule", "0 25 * * *"]]
)
def test_what_needs_an_answer_from_click_is_left_to_it(
    args: list[str], capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("KEDGE_JOB_NAME", raising=False)
    assert not warmed_up(args)
    assert capfd.readouterr() == ("", "")


@pytest.mark.usefixtures("handler")
def test_without_click_it_reads_the_environment(
    capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KEDGE_JOB_NAME", "a-23667840")
    assert warmed_up(["--lead=5"])
    assert capfd.readouterr().out.endswith(
        " for the run at 2015-01-01T00:05:00Z (job a-23667840)\n"
    )


def test_an_output_that_is_closed_is_no_reason_to_fail(monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise BrokenPipeError

    monkeypatch.setattr(os, "write", full)
    run.log("hello")


def test_sigterm_is_not_success(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        run._stop()
    assert caught.value.code == 143
    assert capfd.readouterr().out == "stopped by SIGTERM before the run\n"


def outcome(result: Result) -> tuple[int, str, str]:
    return result.exit_code, result.stdout, result.stderr


def test_the_command_of_click_does_the_same(kedge: Run) -> None:
    done = kedge("warmup", "--lead", "10m", KEDGE_JOB_NAME="report-29576865")
    line = "late by 5m for the run at 2026-03-27T11:55:00Z (job report-29576865)\n"
    assert outcome(done) == (0, line, "")


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["--lead", "8d"], "invalid --lead: '8d' is 8d; a lead is 7d at most"),
        (
            ["--lead", "10m"],
            "invalid KEDGE_JOB_NAME: it is not set, and there is no --schedule to go by",
        ),
        (
            ["--lead", "10m", "--schedule", "0 8 * *"],
            "invalid --schedule: expression '0 8 * *': 4 of five fields; needed are minute, hour,"
            " day of month, month, day of week",
        ),
        (["soon"], "got unexpected extra argument (soon)"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_2(kedge: Run, args: list[str], line: str) -> None:
    done = kedge("warmup", *args, KEDGE_JOB_NAME=None)
    assert outcome(done) == (2, "", f"kedge: {line} (see 'kedge warmup --help')\n")
