import json
from collections.abc import Callable

import pytest
import yaml

from tests.unit.cli.conftest import Run


def test_a_valid_expression_is_shown_in_its_shortest_form(kedge: Run) -> None:
    result = kedge("cron", "check", "0,20 8 * JAN-MAR *")
    assert (result.exit_code, result.stdout) == (0, "valid: 0,20 8 * 1-3 *\n")


def test_a_problem_is_a_line_and_the_expression_with_carets(kedge: Run) -> None:
    result = kedge("cron", "check", "0 25 * * *")
    first, *picture = result.stderr.splitlines()
    assert result.exit_code == 1
    assert first.startswith("kedge: hour '25': ")
    assert picture == ["  0 25 * * *", "    ^^"]
    assert not result.stdout


def test_every_problem_is_told(kedge: Run) -> None:
    result = kedge("cron", "check", "61 25 * * 7")
    lines = result.stderr.splitlines()
    assert result.exit_code == 1
    assert [line.split("'")[0] for line in lines[::3]] == [
        "kedge: minute ",
        "kedge: hour ",
        "kedge: day of week ",
    ]
    assert lines[2::3] == ["  ^^", "     ^^", "            ^"]


def test_a_problem_outside_the_text_has_no_carets(kedge: Run) -> None:
    result = kedge("cron", "check", "@daily", "--zone", "Mars/Olympus")
    assert result.exit_code == 1
    assert result.stderr.startswith("kedge: zone 'Mars/Olympus': ")
    assert len(result.stderr.splitlines()) == 1


def test_a_leading_hyphen_goes_behind_two_of_them(kedge: Run) -> None:
    result = kedge("cron", "check", "--", "-1 * * * *")
    assert result.exit_code == 1
    assert result.stderr.splitlines()[1:] == ["  -1 * * * *", "  ^^"]


def test_json_of_a_valid_expression(kedge: Run) -> None:
    result = kedge("cron", "check", "0,20 8 * * *", "--zone", "Europe/Amsterdam", "-o", "json")
    assert result.exit_code == 0
    assert json.loads(result.stdout) == {
        "expression": "0,20 8 * * *",
        "zone": "Europe/Amsterdam",
        "valid": True,
        "canonical": "TZ=Europe/Amsterdam 0,20 8 * * *",
        "errors": [],
    }


@pytest.mark.parametrize(("output", "load"), [("json", json.loads), ("yaml", yaml.safe_load)])
def test_data_of_an_invalid_expression_goes_to_stdout_alone(
    kedge: Run, output: str, load: Callable[[str], object]
) -> None:
    result = kedge("cron", "check", "0 25 * * *", "-o", output)
    document = load(result.stdout)
    assert result.exit_code == 1
    assert not result.stderr
    assert isinstance(document, dict)
    (error,) = document.pop("errors")
    assert document == {
        "expression": "0 25 * * *",
        "zone": None,
        "valid": False,
        "canonical": None,
    }
    assert error.pop("message").startswith("hour '25': ")
    assert error == {"field": "hour", "piece": "25", "position": 2}


@pytest.mark.parametrize(
    "expression",
    ["", " ", "\x1b[31m * * * *", "\udcff * * * *", "*\n* * *", "é " * 3, "9" * 100_000],
)
@pytest.mark.parametrize("output", ["table", "json", "yaml"])
def test_no_text_breaks_it(kedge: Run, expression: str, output: str) -> None:
    result = kedge("cron", "check", "-o", output, "--", expression)
    assert result.exit_code == 1
    assert "internal error" not in result.output
    assert "\x1b" not in result.output
