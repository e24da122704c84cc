import json

import pytest

from tests.unit.cli.conftest import Run

WORKDAYS = ("cron", "prime", "0 8 * * 1-5", "--zone", "Europe/Amsterdam")
MONTHLY = ("cron", "prime", "0 0 1 * *")


def test_json_of_a_static_plan_is_the_contract(kedge: Run) -> None:
    result = kedge(*WORKDAYS, "--lead", "10m", "--count", "2", "-o", "json")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {
        "mode": "static",
        "zone": "Europe/Amsterdam",
        "expressions": ["50 7 * * 1-5"],
        "next": ["2026-03-30T05:50:00Z", "2026-03-31T05:50:00Z"],
    }


def test_json_of_a_rolling_plan_is_the_contract(kedge: Run) -> None:
    result = kedge(*MONTHLY, "--lead", "10", "--count", "2", "-o", "json")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {
        "mode": "rolling",
        "zone": "UTC",
        "expressions": [],
        "next": ["2026-03-31T23:50:00Z", "2026-04-30T23:50:00Z"],
    }


@pytest.mark.parametrize(
    ("lead", "expression"),
    [
        ("10", "50 7 * * 1-5"),
        ("1h30m", "30 6 * * 1-5"),
        ("2d", "0 8 * * 0-3,6"),
        ("60s", "59 7 * * 1-5"),
    ],
)
def test_leads_are_taken_as_people_write_them(kedge: Run, lead: str, expression: str) -> None:
    result = kedge("cron", "prime", "0 8 * * 1-5", "--lead", lead, "-o", "json")
    assert json.loads(result.stdout)["expressions"] == [expression]


def test_the_text_of_a_static_plan_has_the_line_to_use_and_the_runs_it_serves(kedge: Run) -> None:
    result = kedge(*WORKDAYS, "--lead", "10m", "--count", "2")
    assert result.stdout == (
        "Mode   static\n"
        "Zone   Europe/Amsterdam\n"
        "Lead   10m\n"
        "\n"
        "For a CronJob, with timeZone: Europe/Amsterdam\n"
        "  50 7 * * 1-5\n"
        "\n"
        "WARM-UP (Europe/Amsterdam)    UTC                    FROM NOW    FOR THE RUN AT\n"
        "Mon 2026-03-30 07:50 +02:00   2026-03-30T05:50:00Z   in 2d 17h   "
        "Mon 2026-03-30 08:00 +02:00\n"
        "Tue 2026-03-31 07:50 +02:00   2026-03-31T05:50:00Z   in 3d 17h   "
        "Tue 2026-03-31 08:00 +02:00\n"
    )


@pytest.mark.parametrize(("lead", "shown"), [("1d12h30m", "1d 12h 30m"), ("2d30m", "2d 30m")])
def test_the_lead_is_shown_to_the_minute(kedge: Run, lead: str, shown: str) -> None:
    result = kedge("cron", "prime", "0 0 10 * *", "--lead", lead)
    assert f"Lead   {shown}\n" in result.stdout


def test_the_text_of_several_lines_says_that_each_needs_a_cronjob(kedge: Run) -> None:
    result = kedge("cron", "prime", "0-15 0 * * *", "--lead", "10m")
    lines = result.stdout.splitlines()
    at = lines.index("Put each of these lines into a CronJob of its own, with timeZone: UTC")
    assert sorted(lines[at + 1 : at + 3]) == ["  0-5 0 * * *", "  50-59 23 * * *"]


def test_the_text_of_a_rolling_plan_says_why(kedge: Run) -> None:
    result = kedge(*MONTHLY, "--lead", "10m", "--count", "1")
    assert "Five-field cron cannot express these warm-ups" in result.stdout
    assert "Tue 2026-03-31 23:50 +00:00" in result.stdout
    assert result.stdout.rstrip().endswith("Wed 2026-04-01 00:00 +00:00")


def test_warm_ups_start_after_the_time_given(kedge: Run) -> None:
    args = ("--lead", "10m", "--after", "2026-03-30T07:50", "--count", "1", "-o", "json")
    assert json.loads(kedge(*WORKDAYS, *args).stdout)["next"] == ["2026-03-31T05:50:00Z"]


def test_the_end_of_the_calendar_is_told(kedge: Run) -> None:
    result = kedge(*WORKDAYS, "--lead", "10m", "--after", "9999-12-31T20:00Z")
    assert result.exit_code == 0
    assert result.stdout.endswith("no further warm-ups\n")


@pytest.mark.parametrize("lead", ["0", "-10m", "", "1x", "m", "10m10m", "9" * 30])
def test_a_bad_lead_is_wrong_usage_that_shows_good_ones(kedge: Run, lead: str) -> None:
    result = kedge(*WORKDAYS, "--lead", lead)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"kedge: invalid value for '--lead': {lead!r} is ")
    assert "10m, 1h30m, 2d" in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("expression", "lead"),
    [
        pytest.param("* * * * *", "10m", id="nothing would ever be cold"),
        pytest.param("0 8 * * *", "90s", id="not whole minutes"),
        pytest.param("@yearly", "8d", id="longer than a week"),
    ],
)
def test_what_the_engine_refuses_is_one_line(kedge: Run, expression: str, lead: str) -> None:
    result = kedge("cron", "prime", expression, "--lead", lead)
    assert result.exit_code == 1
    assert result.stderr.startswith("kedge: ")
    assert "internal" not in result.stderr
    assert result.stderr.count("\n") == 1
