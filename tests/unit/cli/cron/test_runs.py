import json

import pytest
import yaml

from tests.unit.cli.conftest import Run

ZONE = ("--zone", "Europe/Amsterdam")
AFTER = ("--after", "2026-02-27T11:00:00Z")


def rows(text: str) -> list[list[str]]:
    """Cut a table into cells."""
    return [[cell.strip() for cell in line.split("   ") if cell] for line in text.splitlines()]


def test_next_as_json_is_the_contract(kedge: Run) -> None:
    result = kedge("cron", "next", "*/1  * * * *", *AFTER, "--count", "2", "-o", "json")
    assert result.exit_code == 0
    assert result.stdout == (
        "{\n"
        '  "expression": "*/1  * * * *",\n'
        '  "zone": "UTC",\n'
        '  "next": [\n'
        '    "2026-02-27T11:01:00Z",\n'
        '    "2026-02-27T11:02:00Z"\n'
        "  ]\n"
        "}\n"
    )


@pytest.mark.parametrize("form", [("-o", "yaml"), ("-oyaml",), ("-o=yaml",), ("--output=yaml",)])
def test_next_as_yaml_keeps_the_order_of_the_keys(kedge: Run, form: tuple[str, ...]) -> None:
    result = kedge("cron", "next", "@daily", *AFTER, "--count", "1", *form)
    document = yaml.safe_load(result.stdout)
    assert list(document) == ["expression", "zone", "next"]
    assert document["next"] == ["2026-02-28T00:00:00Z"]


def test_next_lists_five_runs_after_now_unless_told_otherwise(kedge: Run) -> None:
    result = kedge("cron", "next", "@daily", "-o", "json")
    found = json.loads(result.stdout)["next"]
    assert found == [f"2026-03-{day}T00:00:00Z" for day in (28, 29, 30, 31)] + [
        "2026-04-01T00:00:00Z"
    ]


def test_prev_goes_back_from_the_latest(kedge: Run) -> None:
    result = kedge(
        "cron", "prev", "@hourly", "--before", "2026-02-27T11:00:00Z", "--count", "2", "-o", "json"
    )
    assert json.loads(result.stdout) == {
        "expression": "@hourly",
        "zone": "UTC",
        "prev": ["2026-02-27T10:00:00Z", "2026-02-27T09:00:00Z"],
    }


def test_between_includes_its_start_and_excludes_its_end(kedge: Run) -> None:
    span = ("--start", "2026-03-27T00:00Z", "--end", "2026-03-27T02:00Z")
    result = kedge("cron", "between", "@hourly", *span, "-o", "json")
    assert result.exit_code == 0
    assert not result.stderr
    assert json.loads(result.stdout) == {
        "expression": "@hourly",
        "zone": "UTC",
        "between": ["2026-03-27T00:00:00Z", "2026-03-27T01:00:00Z"],
    }


def test_the_prefix_of_an_expression_wins_over_the_zone(kedge: Run) -> None:
    result = kedge("cron", "next", "CRON_TZ=Asia/Tokyo 0 8 * * *", *ZONE, "-o", "json")
    assert json.loads(result.stdout)["zone"] == "Asia/Tokyo"


@pytest.mark.parametrize(
    ("after", "first"),
    [
        ("2026-03-27T07:30", "2026-03-27T08:00:00Z"),  # 08:30 and 09:00 in Amsterdam
        ("2026-03-27", "2026-03-27T08:00:00Z"),
        ("2026-03-27T10:30", "2026-03-28T08:00:00Z"),
        ("2026-03-27T10:30Z", "2026-03-28T08:00:00Z"),
        ("2026-03-27T08:30+09:00", "2026-03-27T08:00:00Z"),
    ],
)
def test_a_time_without_an_offset_is_local_to_the_schedule(
    kedge: Run, after: str, first: str
) -> None:
    result = kedge("cron", "next", "0 9 * * *", *ZONE, "--after", after, "-o", "json")
    assert json.loads(result.stdout)["next"][0] == first


@pytest.mark.parametrize("limit", [1, 3])
def test_a_limited_list_says_that_it_is_cut(kedge: Run, limit: int) -> None:
    span = ("--start", "0001-01-01", "--end", "9999-01-01")
    result = kedge("cron", "between", "* * * * *", *span, "--limit", str(limit), "-o", "json")
    assert result.exit_code == 0
    assert len(json.loads(result.stdout)["between"]) == limit
    assert result.stderr == f"kedge: stopped after {limit} runs; --limit 0 lists them all\n"


@pytest.mark.parametrize("limit", ["2", "0"])
def test_a_list_that_just_fits_is_not_cut(kedge: Run, limit: str) -> None:
    span = ("--start", "2026-03-27T00:00Z", "--end", "2026-03-27T02:00Z")
    result = kedge("cron", "between", "@hourly", *span, "--limit", limit, "-o", "json")
    assert len(json.loads(result.stdout)["between"]) == 2
    assert not result.stderr


def test_between_lists_a_thousand_runs_unless_told_otherwise(kedge: Run) -> None:
    span = ("--start", "2026-03-01", "--end", "2026-03-02")
    result = kedge("cron", "between", "* * * * *", *span, "-o", "json")
    assert len(json.loads(result.stdout)["between"]) == 1000
    assert "--limit 0" in result.stderr


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (
            ["next", "@daily", "--after", "noon"],
            "invalid value for '--after': 'noon' is not a time",
        ),
        (["prev", "@daily", "--before", "x"], "invalid value for '--before': 'x' is not a time"),
        (["next", "@daily", "--count", "0"], "invalid value for '--count': 0 is not in the range"),
        (["next", "@daily", "--dst", "never"], "invalid value for '--dst': 'never' is not one of"),
        (["between", "@daily", "--start", "now"], "missing option '--end'"),
        (
            ["between", "@daily", "--start", "2026-01-02", "--end", "2026-01-01"],
            "invalid value for '--end': it is before --start",
        ),
        (
            ["between", "@daily", "--start", "now", "--end", "now", "--limit", "-1"],
            "invalid value for '--limit': -1 is not in the range",
        ),
        (
            ["next", "@daily", "--after", "0001-01-01T00:00+05:00"],
            "invalid value for '--after': outside the years 1 to 9999",
        ),
    ],
)
def test_a_bad_option_is_named_with_its_fix(kedge: Run, args: list[str], words: str) -> None:
    result = kedge("cron", *args)
    assert result.exit_code == 2
    assert result.stderr.startswith(f"kedge: {words}")
    assert result.stderr.endswith(f" (see 'kedge cron {args[0]} --help')\n")
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    "args",
    [
        ["next"],
        ["prev"],
        ["between", "--start", "now", "--end", "now"],
        ["explain"],
        ["prime", "--lead", "10m"],
    ],
)
@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("0 25 * * *", "kedge: hour '25': "),
        ("0 0 30 2 *", "kedge: "),
        ("", "kedge: "),
        ("a\nb", "kedge: "),
    ],
)
def test_a_bad_expression_is_one_line(
    kedge: Run, args: list[str], expression: str, words: str
) -> None:
    result = kedge("cron", *args, expression)
    assert result.exit_code == 1
    assert result.stderr.startswith(words)
    assert result.stderr.count("\n") == 1
    assert "internal" not in result.stderr
    assert not result.stdout


def test_the_table_shows_local_time_utc_and_distance(kedge: Run) -> None:
    result = kedge("cron", "next", "0 8 * * 1-5", *ZONE, "--count", "2")
    assert result.exit_code == 0
    assert result.stdout == (
        "LOCAL TIME (Europe/Amsterdam)   UTC                    FROM NOW\n"
        "Mon 2026-03-30 08:00 +02:00     2026-03-30T06:00:00Z   in 2d 18h\n"
        "Tue 2026-03-31 08:00 +02:00     2026-03-31T06:00:00Z   in 3d 18h\n"
    )


def test_the_table_of_prev_shows_how_long_ago(kedge: Run) -> None:
    result = kedge("cron", "prev", "0 8 * * 1-5", "--count", "2")
    assert [row[2] for row in rows(result.stdout)] == ["FROM NOW", "4h ago", "1d 4h ago"]


def test_seconds_are_shown_where_there_are_any(kedge: Run) -> None:
    result = kedge("cron", "next", "@every 90s", "--count", "2")
    assert [row[0] for row in rows(result.stdout)[1:]] == [
        "Fri 2026-03-27 12:01:30 +00:00",
        "Fri 2026-03-27 12:03:00 +00:00",
    ]


@pytest.mark.parametrize(
    ("args", "line"),
    [
        (["next", "@yearly", "--after", "9998-06-01"], "no further runs"),
        (["next", "@yearly", "--after", "9999-12-31T23:59:59"], "no further runs"),
        (["prev", "@yearly", "--before", "0002-06-01"], "no earlier runs"),
        (["prev", "@yearly", "--before", "0001-01-01"], "no earlier runs"),
    ],
)
def test_the_end_of_the_calendar_is_told(kedge: Run, args: list[str], line: str) -> None:
    result = kedge("cron", *args)
    lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert lines[-1] == line
    assert len(lines) < 6


def test_a_time_without_runs_is_told(kedge: Run) -> None:
    span = ("--start", "2026-03-27T01:00", "--end", "2026-03-27T02:00")
    result = kedge("cron", "between", "@daily", *span)
    assert (result.exit_code, result.stdout) == (0, "no runs in this time\n")
