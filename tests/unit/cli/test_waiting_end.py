"""What is said at the end of a wait."""

from typing import Any

import pytest

from kedge.cli.backup.kind import BACKUPS
from kedge.cli.errors import Failure
from kedge.cli.waiting import Work, tell

WORK = Work("backup", BACKUPS, "itemsBackedUp", frozenset({"Completed"}))


def ended(**status: Any) -> dict[str, Any]:
    """Give a Backup that is over."""
    return {"metadata": {"name": "b"}, "status": status}


@pytest.mark.parametrize(
    ("count", "words"),
    [(1, "kedge: 1 warning: `kedge backup describe b` shows them\n"),
     (3, "kedge: 3 warnings: `kedge backup describe b` shows them\n")],
)  # fmt: skip
def test_warnings_are_pointed_out(
    capsys: pytest.CaptureFixture[str], count: int, words: str
) -> None:
    tell(WORK, ended(phase="Completed", warnings=count))
    shown = capsys.readouterr()
    assert shown.out.startswith("Backup completed with status: Completed.")
    assert shown.err == words


def test_without_warnings_there_is_nothing_more_to_say(capsys: pytest.CaptureFixture[str]) -> None:
    tell(WORK, ended(phase="Completed", warnings=0))
    assert capsys.readouterr().err == ""


def test_one_that_was_refused_has_no_log_to_look_at(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(Failure, match='backup "b" is FailedValidation: no location'):
        tell(WORK, ended(phase="FailedValidation", validationErrors=["no location"]))
    assert capsys.readouterr().out == (
        "Backup completed with status: FailedValidation. You may check for more information using "
        "the command `kedge backup describe b`.\n"
    )


def test_a_failure_has_its_reason() -> None:
    with pytest.raises(Failure, match='backup "b" is Failed: the store is away'):
        tell(WORK, ended(phase="Failed", failureReason="the store is away", warnings=2))
