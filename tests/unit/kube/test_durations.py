import pytest

from kedge.kube.durations import duration_problem


@pytest.mark.parametrize("text", ["0", "1s", "1h5m", "1.5s", ".5s", "5.s", "-1us", "+2µs"])
def test_durations_of_go_are_taken(text: str) -> None:
    assert duration_problem(text) == ""


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", 'invalid duration ""'),
        ("x", 'invalid duration "x"'),
        (".s", 'invalid duration ".s"'),
        ("99999999999h", 'invalid duration "99999999999h"'),
        ("1", 'missing unit in duration "1"'),
        ("1s2", 'missing unit in duration "1s2"'),
        ("1q", 'unknown unit "q" in duration "1q"'),
    ],
)
def test_others_are_refused_in_its_words(text: str, problem: str) -> None:
    assert duration_problem(text) == f"time: {problem}"
