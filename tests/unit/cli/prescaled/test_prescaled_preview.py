"""Previews of files, at 2026-03-27T12:00:00Z: what is shown is what the controller does."""

import json
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import Result

from kedge.cron import parse
from tests.unit.cli.conftest import NOW, Run

Preview = Callable[..., Result]
TICK = timedelta(microseconds=1)


def cron_job(schedule: str = "0 8 * * 1-5", **spec: Any) -> dict[str, Any]:
    template: dict[str, Any] = {"spec": {"template": {"spec": {"containers": []}}}}
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "report", "namespace": "shop"},
        "spec": {"schedule": schedule, "jobTemplate": template, **spec},
    }


def prescaled(within: dict[str, Any], **parts: Any) -> dict[str, Any]:
    return {
        "apiVersion": "psc.cronprimer.local/v1alpha1",
        "kind": "PreScaledCronJob",
        "metadata": {"name": "report", "namespace": "shop", **parts.pop("metadata", {})},
        "spec": {"cronJob": {"spec": within["spec"]}, **parts},
    }


@pytest.fixture
def preview(kedge: Run, tmp_path: Path) -> Preview:
    """Preview the objects of a file."""

    def run(objects: list[dict[str, Any]], *args: str) -> Result:
        file = tmp_path / "a.yaml"
        file.write_text(yaml.safe_dump_all(objects))
        return kedge("prescaled", "preview", "-f", str(file), *args)

    return run


def pairs(result: Result) -> list[tuple[str | None, str, str]]:
    assert (result.exit_code, result.stderr) == (0, "")
    found = json.loads(result.stdout)["next"]
    return [(one["warmUp"], one["run"], one["note"]) for one in found]


def test_the_coming_week_of_a_cronjob_is_shown_before_anything_is_applied(preview: Preview) -> None:
    job = cron_job("0 8 * * 1-5", timeZone="Europe/Amsterdam")
    done = preview([job], "--lead", "10m")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == (
        "PreScaledCronJob   report\n"
        "Schedule           0 8 * * 1-5\n"
        "In words           At 08:00 on Monday to Friday, on the clock of Europe/Amsterdam.\n"
        "Lead               10m\n"
        "Mode               Static\n"
        "Primer             50 7 * * 1-5 (Europe/Amsterdam)\n"
        "\n"
        "WARM-UP (Europe/Amsterdam)    UTC                    FROM NOW    FOR THE RUN AT\n"
        "Mon 2026-03-30 07:50 +02:00   2026-03-30T05:50:00Z   in 2d 17h   "
        "Mon 2026-03-30 08:00 +02:00\n"
        "Tue 2026-03-31 07:50 +02:00   2026-03-31T05:50:00Z   in 3d 17h   "
        "Tue 2026-03-31 08:00 +02:00\n"
        "Wed 2026-04-01 07:50 +02:00   2026-04-01T05:50:00Z   in 4d 17h   "
        "Wed 2026-04-01 08:00 +02:00\n"
        "Thu 2026-04-02 07:50 +02:00   2026-04-02T05:50:00Z   in 5d 17h   "
        "Thu 2026-04-02 08:00 +02:00\n"
        "Fri 2026-04-03 07:50 +02:00   2026-04-03T05:50:00Z   in 6d 17h   "
        "Fri 2026-04-03 08:00 +02:00\n"
    )


def test_a_clock_change_shows(preview: Preview) -> None:
    job = cron_job("30 2 * * *", timeZone="Europe/Amsterdam")
    assert preview([job], "--lead", "10m", "--days", "3").stdout == (
        "PreScaledCronJob   report\n"
        "Schedule           30 2 * * *\n"
        "In words           At 02:30, on the clock of Europe/Amsterdam.\n"
        "Lead               10m\n"
        "Mode               Static\n"
        "Primer             20 2 * * * (Europe/Amsterdam)\n"
        "\n"
        "WARM-UP (Europe/Amsterdam)    UTC                    FROM NOW     "
        "FOR THE RUN AT                NOTE\n"
        "Sat 2026-03-28 02:20 +01:00   2026-03-28T01:20:00Z   in 13h 20m   "
        "Sat 2026-03-28 02:30 +01:00\n"
        "                                                                  "
        "Sun 2026-03-29 02:30          skipped: 02:30 does not exist that day\n"
        "Mon 2026-03-30 02:20 +02:00   2026-03-30T00:20:00Z   in 2d 12h    "
        "Mon 2026-03-30 02:30 +02:00\n"
    )


def test_for_programs_it_is_a_document(preview: Preview) -> None:
    done = preview([cron_job("0-15 0 * * *")], "--lead", "10", "--count", "2", "-o", "json")
    assert json.loads(done.stdout) == {
        "name": "report",
        "namespace": "shop",
        "schedule": "0-15 0 * * *",
        "zone": "UTC",
        "warmUpTimeMins": 10,
        "mode": "Static",
        "primerSchedules": ["50-59 23 * * *", "0-5 0 * * *"],
        "primerZone": "UTC",
        "notes": [],
        "next": [
            {"warmUp": "2026-03-27T23:50:00Z", "run": "2026-03-28T00:00:00Z", "note": ""},
            {"warmUp": "2026-03-27T23:51:00Z", "run": "2026-03-28T00:01:00Z", "note": ""},
        ],
    }
    text = preview([cron_job("0-15 0 * * *")], "--lead", "10", "--count", "2", "-o", "yaml").stdout
    assert yaml.safe_load(text) == json.loads(done.stdout)


def test_several_are_the_items_of_one_document(preview: Preview) -> None:
    done = preview([cron_job(), cron_job("@daily")], "--lead", "10m", "-o", "json")
    assert [one["schedule"] for one in json.loads(done.stdout)["items"]] == [
        "0 8 * * 1-5",
        "@daily",
    ]
    assert preview([cron_job(), cron_job("@daily")], "--lead", "10m").stdout.count("In words") == 2


def test_runs_whose_warm_up_would_be_past_are_not_run_and_warm_ups_of_later_runs_are_listed(
    preview: Preview,
) -> None:
    late = "too late to warm up: not run"
    assert pairs(preview([cron_job("0 12 * * 1,4")], "--lead", "3d", "-o", "json")) == [
        (None, "2026-03-30T12:00:00Z", late),
        ("2026-03-30T12:00:00Z", "2026-04-02T12:00:00Z", ""),
        ("2026-04-03T12:00:00Z", "2026-04-06T12:00:00Z", ""),
    ]


@pytest.mark.parametrize(
    ("expression", "lead"),
    [
        ("*/30 * * * *", "10m"),
        ("0 0 1 * *", "1d"),
        ("0/15 * 1 * *", "10m"),
        ("5,12,48,56 * * * 5", "10m"),
        ("* 0 * * *", "5m"),
        ("0 0 29 2 *", "7d"),
        ("30 1-3 * * 0", "90m"),
    ],
)
def test_every_run_has_its_warm_up(preview: Preview, expression: str, lead: str) -> None:
    job = cron_job(expression, timeZone="Europe/Amsterdam")
    made = preview([job], "--lead", lead, "--days", "40", "--count", "100000", "-o", "json")
    found = pairs(made)
    minutes = json.loads(made.stdout)["warmUpTimeMins"]
    schedule = parse(expression, zone="Europe/Amsterdam")
    end = NOW + timedelta(40, minutes=minutes)
    runs = schedule.between(NOW + TICK, end + TICK)
    assert [run for _, run, _ in found] == [f"{run:%Y-%m-%dT%H:%M:%SZ}" for run in runs]
    for warm_up, run, _ in found:
        if warm_up is not None:
            lead_time = datetime.fromisoformat(run) - datetime.fromisoformat(warm_up)
            assert lead_time == timedelta(minutes=minutes)


def test_an_interval_is_counted_from_now_or_from_the_creation(preview: Preview) -> None:
    args = ("--days", "1", "--count", "2", "-o", "json")
    new = preview([cron_job("@every 9h")], "--lead", "1h", *args)
    assert pairs(new) == [
        ("2026-03-27T20:00:00Z", "2026-03-27T21:00:00Z", ""),
        ("2026-03-28T05:00:00Z", "2026-03-28T06:00:00Z", ""),
    ]
    meta = {"uid": "u", "creationTimestamp": "2026-03-27T10:00:30Z"}
    old = prescaled(cron_job("@every 9h"), warmUpTimeMins=60, metadata=meta)
    assert [run for _, run, _ in pairs(preview([old], *args))] == [
        "2026-03-27T19:00:00Z",
        "2026-03-28T04:00:00Z",
    ]


def test_one_that_exists_has_begun_to_warm_up(preview: Preview) -> None:
    meta = {"uid": "u", "creationTimestamp": "2026-03-01T00:00:00Z"}
    old = prescaled(cron_job("5 12 * * *"), warmUpTimeMins=10, metadata=meta)
    assert pairs(preview([old], "--days", "1", "-o", "json")) == [
        ("2026-03-27T11:55:00Z", "2026-03-27T12:05:00Z", "warming up now"),
        ("2026-03-28T11:55:00Z", "2026-03-28T12:05:00Z", ""),
    ]
    young = prescaled(
        cron_job("5 12 * * *"),
        warmUpTimeMins=10,
        metadata=meta | {"creationTimestamp": "2026-03-27T11:56:00Z"},
    )
    assert pairs(preview([young], "--days", "1", "-o", "json"))[0] == (
        None,
        "2026-03-27T12:05:00Z",
        "too late to warm up: not run",
    )


def test_with_another_lead_nothing_has_begun(preview: Preview) -> None:
    meta = {"uid": "u", "creationTimestamp": "2026-03-01T00:00:00Z"}
    old = prescaled(
        cron_job("5 12 * * *"), warmUpTimeMins=10, primerSchedule="0 * * * *", metadata=meta
    )
    assert pairs(preview([old], "--lead", "20m", "--days", "1", "-o", "json")) == [
        (None, "2026-03-27T12:05:00Z", "too late to warm up: not run"),
        ("2026-03-28T11:45:00Z", "2026-03-28T12:05:00Z", ""),
    ]


def test_starts_by_hand_lead_to_the_run_that_follows(preview: Preview) -> None:
    job = prescaled(cron_job("0 14,15,18 * * *"), primerSchedule="30,45 13,16 * * *")
    done = preview([job], "--days", "1")
    assert done.stdout == (
        "PreScaledCronJob   report\n"
        "Schedule           0 14,15,18 * * *\n"
        "In words           At 14:00, 15:00 and 18:00.\n"
        "Lead               given by hand\n"
        "Mode               Static\n"
        "Primer             30,45 13,16 * * * (UTC)\n"
        "\n"
        "WARM-UP (UTC)                 UTC                    FROM NOW    "
        "FOR THE RUN AT                NOTE\n"
        "Fri 2026-03-27 13:30 +00:00   2026-03-27T13:30:00Z   in 1h 30m   "
        "Fri 2026-03-27 14:00 +00:00\n"
        "Fri 2026-03-27 13:45 +00:00   2026-03-27T13:45:00Z   in 1h 45m   "
        "Fri 2026-03-27 14:00 +00:00   one more for the same run\n"
        "                                                                 "
        "Fri 2026-03-27 15:00 +00:00   no warm-up leads to it: not run\n"
        "Fri 2026-03-27 16:30 +00:00   2026-03-27T16:30:00Z   in 4h 30m   "
        "Fri 2026-03-27 18:00 +00:00\n"
        "Fri 2026-03-27 16:45 +00:00   2026-03-27T16:45:00Z   in 4h 45m   "
        "Fri 2026-03-27 18:00 +00:00   one more for the same run\n"
    )


def test_one_that_is_suspended_says_so(preview: Preview) -> None:
    done = preview([cron_job("@monthly", suspend=True)], "--lead", "10m", "--days", "1")
    assert done.stdout == (
        "PreScaledCronJob   report\n"
        "Schedule           @monthly\n"
        "In words           At 00:00 on the 1st of the month.\n"
        "Lead               10m\n"
        "Mode               Rolling\n"
        "Primer             each warm-up is scheduled by itself\n"
        "Note               suspended: nothing is started until spec.cronJob.spec.suspend"
        " is false\n"
        "\n"
        "no warm-ups and no runs in this time\n"
    )


def test_without_overlap_there_is_one_cronjob(preview: Preview) -> None:
    job = cron_job("0-15 0 * * *", concurrencyPolicy="Forbid")
    done = preview([job], "--lead", "10m", "-o", "json")
    assert json.loads(done.stdout)["mode"] == "Rolling"


def test_an_old_cronjob_is_read(preview: Preview) -> None:
    job = cron_job("@daily") | {"apiVersion": "batch/v1beta1"}
    assert len(pairs(preview([job], "--lead", "1h", "-o", "json"))) == 7


def test_many_lines_are_cut_aloud(preview: Preview) -> None:
    done = preview([cron_job("*/15 * * * *")], "--lead", "5m", "--days", "30", "-o", "json")
    assert len(json.loads(done.stdout)["next"]) == 1000
    assert done.stderr == "kedge: stopped after 1000 lines; --count lists more\n"


def test_names_and_labels_choose_among_those_of_a_file(preview: Preview) -> None:
    one, two = cron_job(), cron_job("@daily")
    two["metadata"] = {"name": "other", "labels": {"team": "red"}}
    everything = preview([one, two], "--lead", "1h", "-o", "json", "-l", "team=red")
    assert json.loads(everything.stdout)["name"] == "other"
    named = preview([one, two], "--lead", "1h", "-o", "json", "cronjob/other", "none")
    assert json.loads(named.stdout)["name"] == "other"
    assert named.exit_code == 1
    assert named.stderr.startswith('An error occurred: there is no "none" in ')


@pytest.mark.parametrize(
    ("job", "args", "line"),
    [
        (
            cron_job(),
            [],
            'CronJob "report" says nothing of warm-ups: --lead is required',
        ),
        (
            cron_job("0 25 * * *"),
            ["--lead=10"],
            "PreScaledCronJob \"report\": spec.cronJob.spec.schedule: hour '25': 25 is outside"
            " 0-23",
        ),
        (
            cron_job("0 8 * * *", timeZone="Mars"),
            ["--lead=10"],
            "PreScaledCronJob \"report\": spec.cronJob.spec.timeZone: zone 'Mars': no such time"
            " zone; use a name such as Europe/Amsterdam or UTC",
        ),
        (cron_job(), ["--lead=10s"], "--lead has seconds; a lead is whole minutes"),
        (
            cron_job("* * * * *"),
            ["--lead=10m"],
            "PreScaledCronJob \"report\": spec.warmUpTimeMins: lead '10m': * * * * * runs again"
            " within that time after every run, so nothing would ever be cold; use a shorter lead,"
            " or keep it warm all the time",
        ),
        (
            prescaled(cron_job(), primerSchedule="x"),
            [],
            "PreScaledCronJob \"report\": spec.primerSchedule: expression 'x': 1 of five fields;"
            " needed are minute, hour, day of month, month, day of week",
        ),
        (
            {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "a"}},
            ["--lead=10m"],
            "a CronJob needs metadata with a name, and a spec",
        ),
        (
            {"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {}, "spec": {}},
            ["--lead=10m"],
            "an object of the file has no metadata.name; give it one",
        ),
    ],
)
def test_what_can_not_be_is_told_in_a_line(
    preview: Preview, job: dict[str, Any], args: list[str], line: str
) -> None:
    done = preview([job], *args)
    assert (done.exit_code != 0, done.stdout) == (True, "")
    assert done.stderr == f"An error occurred: {line}\n"


def test_a_file_without_any_is_a_failure(preview: Preview) -> None:
    done = preview([{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x"}}])
    assert done.exit_code == 1
    assert done.stderr.startswith(
        "An error occurred: there is neither a CronJob nor a PreScaledCronJob in "
    )
