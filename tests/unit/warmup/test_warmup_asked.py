from datetime import timedelta

import pytest

from kedge.cli.warmup.asked import Asked, Mistake, plain_options


def asked(*args: str, **environ: str) -> Asked:
    given = plain_options(list(args))
    assert given is not None
    return Asked(given, environ)


def refusal(*args: str, **environ: str) -> tuple[str, str]:
    with pytest.raises(Mistake) as caught:
        asked(*args, **environ)
    return caught.value.name, str(caught.value)


def test_values_follow_their_option_or_an_equals_sign() -> None:
    assert plain_options(["--lead", "10m", "--schedule=0 8 * * *", "--zone="]) == {
        "--lead": "10m",
        "--schedule": "0 8 * * *",
        "--zone": "",
    }


def test_no_words_are_no_options() -> None:
    assert plain_options([]) == {}


@pytest.mark.parametrize(
    "args", [["--help"], ["-h"], ["--lead"], ["now"], ["--leads", "1m"], ["--", "--lead", "1"]]
)
def test_anything_else_is_left_to_those_who_can_explain_it(args: list[str]) -> None:
    assert plain_options(args) is None


def test_the_last_of_two_counts() -> None:
    assert asked("--lead", "1", "--lead=2").lead == timedelta(minutes=2)


@pytest.mark.parametrize(
    ("text", "lead"),
    [
        ("0", timedelta(0)),
        ("10", timedelta(minutes=10)),
        ("1h30m", timedelta(minutes=90)),
        ("120s", timedelta(minutes=2)),
        ("7d", timedelta(days=7)),
        ("10080", timedelta(days=7)),
    ],
)
def test_a_lead_is_read(text: str, lead: timedelta) -> None:
    assert asked("--lead", text).lead == lead


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "'' is not a duration; write it as 10 (minutes), 10m, 1h30m, 2d or 1d12h"),
        ("-5", "'-5' is not a duration; write it as 10 (minutes), 10m, 1h30m, 2d or 1d12h"),
        ("soon", "'soon' is not a duration; write it as 10 (minutes), 10m, 1h30m, 2d or 1d12h"),
        ("7d1m", "'7d1m' is 7d 1m; a lead is 7d at most"),
        ("9999999d", "'9999999d' is 9999999d; a lead is 7d at most"),
        ("90s", "'90s' has seconds; a lead is whole minutes"),
    ],
)
def test_a_lead_that_can_not_be_is_refused(text: str, problem: str) -> None:
    assert refusal("--lead", text) == ("--lead", problem)


def test_without_lead_and_schedule_there_is_nothing_to_wait_for() -> None:
    problem = "it is missing, and so is --schedule: no run is known"
    assert refusal() == ("--lead", problem)
    assert refusal("--schedule", "", KEDGE_JOB_NAME="a-29576520") == ("--lead", problem)


def test_the_name_of_the_job_is_an_option_before_it_is_a_variable() -> None:
    both = asked("--lead", "1", "--job-name", "a", KEDGE_JOB_NAME="b")
    assert (both.job, both.job_from) == ("a", "--job-name")
    one = asked("--lead", "1", "--job-name=", KEDGE_JOB_NAME="b")
    assert (one.job, one.job_from) == ("b", "KEDGE_JOB_NAME")
    assert asked("--lead", "1").job == ""
