import json

from tests.unit.cli.conftest import Run

WORKDAYS = ("cron", "explain", "0 8 * * MON-FRI", "--zone", "Europe/Amsterdam")


def test_json_is_the_contract(kedge: Run) -> None:
    document = json.loads(kedge(*WORKDAYS, "--dst", "once", "-o", "json").stdout)
    explanation = document.pop("explanation")
    assert "08:00" in explanation
    assert document == {
        "expression": "0 8 * * MON-FRI",
        "canonical": "TZ=Europe/Amsterdam 0 8 * * 1-5",
        "zone": "Europe/Amsterdam",
        "dst": "once",
        "next": "2026-03-30T06:00:00Z",
    }


def test_json_says_null_where_there_is_no_next_run(kedge: Run) -> None:
    result = kedge("cron", "explain", "@yearly", "--after", "9999-06-01", "-o", "json")
    assert json.loads(result.stdout)["next"] is None


def test_the_text_has_the_sentence_the_short_form_the_zone_and_the_next_run(kedge: Run) -> None:
    result = kedge(*WORKDAYS)
    sentence, empty, *lines = result.stdout.splitlines()
    assert result.exit_code == 0
    assert sentence == json.loads(kedge(*WORKDAYS, "-o", "json").stdout)["explanation"]
    assert empty == ""
    assert lines == [
        "Canonical   TZ=Europe/Amsterdam 0 8 * * 1-5",
        "Zone        Europe/Amsterdam",
        "Next run    Mon 2026-03-30 08:00 +02:00   2026-03-30T06:00:00Z   in 2d 18h",
    ]


def test_the_text_says_none_where_there_is_no_next_run(kedge: Run) -> None:
    result = kedge("cron", "explain", "@yearly", "--after", "9999-06-01")
    assert result.stdout.splitlines()[-1] == "Next run    none"


def test_there_is_no_picture_where_nobody_looks(kedge: Run) -> None:
    assert "several" not in kedge(*WORKDAYS).stdout


def test_a_picture_can_be_asked_for(kedge: Run) -> None:
    assert "several" in kedge(*WORKDAYS, "--picture").stdout


def test_a_picture_is_never_in_data(kedge: Run) -> None:
    plain = kedge(*WORKDAYS, "-o", "json").stdout
    assert kedge(*WORKDAYS, "--picture", "-o", "json").stdout == plain
