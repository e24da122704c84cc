"""Options of ours on a Schedule: what each of them does, and what is said of a bad one."""

from datetime import UTC, datetime, timedelta

import pytest

from kedge.controllers.schedule.timetable import stable_delay
from kedge.kube.times import format_time
from tests.integration.controllers.harbour import (
    Harbour,
    condition,
    harbour,
    is_phase,
    is_waiting_for,
    status,
)

pytestmark = pytest.mark.asyncio

START = datetime(2030, 1, 1, tzinfo=UTC)


def options(**given: str) -> dict[str, dict[str, str]]:
    named = {f"kedge.dev/{key.replace('_', '-')}": value for key, value in given.items()}
    return {"annotations": named}


async def hourly(port: Harbour, **given: str) -> None:
    """Have an hourly schedule with options, which waits for its first run."""
    await port.schedule("s", "@hourly", options(**given))
    await port.until("s", is_waiting_for("01:00:00"))


async def late(port: Harbour, by: timedelta, **given: str) -> None:
    """Have an hourly schedule whose first run could not be made for some time."""
    async with port.running():
        await hourly(port, **given)
    port.clock.advance(timedelta(hours=1) + by)


async def test_missed_runs_once_makes_one_late_backup() -> None:
    async with harbour() as port:
        await late(port, timedelta(minutes=50), missed_runs="once")
        async with port.running():
            await port.until("s", is_waiting_for("02:00:00"))
            assert await port.backups() == ["s-20300101010000"]


@pytest.mark.parametrize("hours", [0, 5])
async def test_missed_runs_skip_makes_no_late_backup_and_tells_so(hours: int) -> None:
    async with harbour() as port:
        await late(port, timedelta(hours=hours, minutes=50), missed_runs="skip")
        async with port.running():
            done = await port.until("s", is_waiting_for(f"{hours + 2:02}:00:00"))
            assert await port.backups() == []
            assert status(done)["lastSkipped"] == f"2030-01-01T{hours + 1:02}:50:00Z"
            runs = "1 run was" if not hours else f"{hours + 1} runs were"
            at = f"2030-01-01T{hours + 1:02}:00:00Z"
            assert port.events.told == [("MissedRuns", f"{runs} missed, the last of {at}")]
            await port.pass_time(minutes=10, milliseconds=1)
            await port.until("s", is_waiting_for(f"{hours + 3:02}:00:00"))
            assert await port.backups() == [f"s-20300101{hours + 2:02}0000"]
            assert port.events.reasons == ["MissedRuns"], "told once"


async def test_missed_runs_skip_does_not_skip_a_run_that_is_a_little_late() -> None:
    async with harbour() as port:
        await late(port, timedelta(seconds=59), missed_runs="skip")
        async with port.running():
            await port.until("s", is_waiting_for("02:00:00"))
            assert await port.backups() == ["s-20300101010000"]


@pytest.mark.parametrize(("minutes", "runs"), [(9, True), (11, False)])
async def test_a_starting_deadline_says_how_late_is_too_late(minutes: int, runs: bool) -> None:
    async with harbour() as port:
        await late(port, timedelta(minutes=minutes), starting_deadline="10m")
        async with port.running():
            await port.until("s", is_waiting_for("02:00:00"))
            assert await port.backups() == (["s-20300101010000"] if runs else [])


async def test_a_run_that_is_blocked_past_its_deadline_is_missed() -> None:
    async with harbour() as port, port.running():
        await hourly(port, starting_deadline="10m")
        await port.pass_time(hours=1, milliseconds=1)
        await port.until("s", is_waiting_for("02:00:00"))
        await port.pass_time(hours=1)
        await port.until("s", lambda one: condition(one, "Blocked") == "True/Overlap")
        await port.pass_time(minutes=10, milliseconds=1)
        missed = await port.until("s", is_waiting_for("03:00:00"))
        assert status(missed)["lastSkipped"] == "2030-01-01T02:10:00Z"
        await port.finish("s-20300101010000")
        await port.quiet()
        assert await port.backups() == ["s-20300101010000"]
        assert port.events.reasons == ["Overlap", "MissedRuns"]


DAY_OF_CHANGE = datetime(2030, 3, 31, tzinfo=UTC)
"""In Vienna there is no 02:30 on this day."""


@pytest.mark.parametrize(
    ("dst", "following"),
    [("wall", "2030-04-01T00:30:00Z"), ("once", "2030-03-31T01:00:00Z")],
)
async def test_dst_says_what_becomes_of_a_time_that_the_clocks_leave_out(
    dst: str, following: str
) -> None:
    async with harbour() as port:
        port.clock.advance(DAY_OF_CHANGE - START)
        async with port.running():
            await port.schedule("s", "CRON_TZ=Europe/Vienna 30 2 * * *", options(dst=dst))
            await port.until("s", is_waiting_for(following))


@pytest.mark.parametrize(("dst", "runs"), [("wall", 2), ("once", 1)])
async def test_dst_says_what_becomes_of_a_time_that_comes_twice(dst: str, runs: int) -> None:
    async with harbour() as port:
        port.clock.advance(datetime(2030, 10, 27, tzinfo=UTC) - START)
        async with port.running():
            await port.schedule("s", "CRON_TZ=Europe/Vienna 30 2 * * *", options(dst=dst))
            await port.until("s", is_waiting_for("2030-10-27T00:30:00Z"))
            for _ in range(4):
                await port.pass_time(minutes=30, milliseconds=1)
                for name in await port.backups():
                    await port.finish(name)
            await port.until("s", is_waiting_for("2030-10-28T01:30:00Z"))
            assert len(await port.backups()) == runs


async def test_jitter_delays_each_run_by_the_same_time_which_comes_from_the_uid() -> None:
    async with harbour() as port, port.running():
        for name in ("a", "b", "c"):
            made = await port.schedule(name, "@hourly", options(jitter="30m"))
            delay = stable_delay(timedelta(minutes=30), made["metadata"]["uid"])
            assert timedelta(0) <= delay < timedelta(minutes=30)
            first = START + delay if delay else START + timedelta(hours=1)
            await port.until(name, is_waiting_for(format_time(first)))


async def test_a_run_with_jitter_is_named_after_its_delayed_instant() -> None:
    async with harbour() as port, port.running():
        made = await port.schedule("s", "@hourly", options(jitter="1h"))
        delay = stable_delay(timedelta(hours=1), made["metadata"]["uid"])
        first = START + (delay or timedelta(hours=1))
        await port.until("s", is_waiting_for(format_time(first)))
        await port.pass_time(seconds=(first - START).total_seconds(), milliseconds=1)
        await port.until("s", is_waiting_for(format_time(first + timedelta(hours=1))))
        assert await port.backups() == [f"s-{first:%Y%m%d%H%M%S}"]


@pytest.mark.parametrize("skip", [True, False])
async def test_pause_until_pauses_and_goes_on_by_itself(skip: bool) -> None:
    async with harbour() as port, port.running():
        until = options(pause_until="2030-01-01T06:30:00+01:00")
        await port.schedule("s", "@hourly", until, skipImmediately=skip)
        held = await port.until("s", lambda one: condition(one, "Paused") == "True/PauseUntil")
        [why] = [one for one in status(held)["conditions"] if one["type"] == "Ready"]
        assert why["message"] == "the schedule is paused until 2030-01-01T05:30:00Z"
        await port.pass_time(hours=5, minutes=29)
        assert await port.backups() == []
        await port.pass_time(minutes=1)
        await port.until("s", is_waiting_for("06:00:00"))
        assert await port.backups() == ([] if skip else ["s-20300101050000"])


async def test_pause_until_can_be_taken_back_and_put_off() -> None:
    async with harbour() as port, port.running():
        await port.schedule("s", "@hourly", options(pause_until="2030-01-02T00:00:00Z"))
        await port.until("s", lambda one: condition(one, "Paused") == "True/PauseUntil")
        await port.annotate("s", pause_until="2030-01-03T00:00:00Z")
        await port.until("s", lambda one: "01-03" in status(one)["conditions"][0]["message"])
        await port.pass_time(days=1, hours=1, minutes=1)
        assert await port.backups() == []
        await port.annotate("s", pause_until=None)
        await port.until("s", is_waiting_for("2030-01-02T02:00:00Z"))
        assert await port.backups() == ["s-20300102010000"]


async def test_a_standing_policy_skips_each_time_that_it_is_unpaused_but_no_other_run() -> None:
    async with harbour() as port, port.running():
        await hourly(port, skip_immediately="always")
        for day in (1, 2, 3):
            await port.patch("s", {"spec": {"paused": True}})
            await port.until("s", lambda one: condition(one, "Paused") == "True/Paused")
            await port.pass_time(hours=22, minutes=30)
            await port.patch("s", {"spec": {"paused": False}})
            await port.until("s", is_waiting_for(f"2030-01-{day:02}T23:00:00Z"))
            assert len(await port.backups()) == day - 1
            await port.pass_time(minutes=30, milliseconds=1)
            await port.until("s", is_waiting_for(f"2030-01-{day + 1:02}T00:00:00Z"))
            name = f"s-203001{day:02}230000"
            assert (await port.backups())[-1] == name
            await port.finish(name)
            await port.pass_time(minutes=59, seconds=59, milliseconds=999)


@pytest.mark.parametrize(
    ("key", "value", "help_"),
    [
        ("missed-runs", "all", 'write "once" to make up'),
        ("missed-runs", "", 'write "once" to make up'),
        ("starting-deadline", "10", "write it as 10s or 10m"),
        ("starting-deadline", "-5m", "above zero"),
        ("dst", "summer", 'write "wall" to follow'),
        ("jitter", "a lot", "write it as 30s, 15m or 1h30m"),
        ("jitter", "48h", "below 24h"),
        ("pause-until", "tomorrow", "write it as 2026-01-31T08:00:00Z"),
        ("skip-immediately", "true", 'write "always", or remove it'),
    ],
)
async def test_a_bad_option_is_told_with_words_that_help(key: str, value: str, help_: str) -> None:
    async with harbour() as port, port.running():
        await port.schedule("s", "@hourly", {"annotations": {f"kedge.dev/{key}": value}})
        bad = await port.until("s", is_phase("FailedValidation"))
        [error] = status(bad)["validationErrors"]
        assert error.startswith(f"annotation kedge.dev/{key}: ")
        assert help_ in error
        assert condition(bad, "Ready") == "False/Invalid"
        await port.pass_time(hours=3)
        assert port.events.told == [("FailedValidation", error)]
        assert await port.backups() == []
        await port.patch("s", {"metadata": {"annotations": {f"kedge.dev/{key}": None}}})
        good = await port.until("s", is_phase("Enabled"))
        assert "validationErrors" not in status(good)


async def test_all_that_is_wrong_is_told_at_once() -> None:
    async with harbour() as port, port.running():
        await port.schedule("s", "nonsense", options(dst="x", jitter="y"))
        bad = await port.until("s", is_phase("FailedValidation"))
        errors = status(bad)["validationErrors"]
        assert [error.split(":")[0] for error in errors] == [
            "invalid schedule",
            "annotation kedge.dev/dst",
            "annotation kedge.dev/jitter",
        ]


TYPO = (
    "UnknownAnnotation",
    "annotation kedge.dev/skip-imediately is not known and has no effect; "
    "did you mean kedge.dev/skip-immediately?",
)


async def test_an_option_that_is_not_known_is_told_once_and_the_schedule_runs() -> None:
    async with harbour() as port, port.running():
        await hourly(port, skip_imediately="always")
        await port.pass_time(hours=1, milliseconds=1)
        await port.until("s", is_waiting_for("02:00:00"))
        await port.finish("s-20300101010000")
        await port.pass_time(hours=1)
        assert port.events.told == [TYPO]
        assert len(await port.backups()) == 2


async def test_an_option_that_is_not_known_is_told_again_when_it_comes_back() -> None:
    async with harbour() as port, port.running():
        await hourly(port, skip_imediately="always")
        await port.annotate("s", skip_imediately=None)
        await port.quiet()
        await port.annotate("s", skip_imediately="always")
        await port.quiet()
        assert port.events.told == [TYPO, TYPO]


async def test_an_option_that_is_not_known_is_told_beside_what_is_wrong() -> None:
    async with harbour() as port, port.running():
        await port.schedule("s", "nonsense", options(skip_imediately="always"))
        await port.until("s", is_phase("FailedValidation"))
        await port.quiet()
        assert sorted(port.events.reasons) == ["FailedValidation", "UnknownAnnotation"]
