"""Run `kedge` inside the test process, at a time that stands still."""

import io
import sys
from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from click.testing import CliRunner, Result

from kedge.cli.app import kedge as app

NOW = datetime(2026, 3, 27, 12, 0, tzinfo=UTC)
"""A Friday: two days before clocks change in Europe."""

Run = Callable[..., Result]


class StoppedClock:
    """A clock that always shows the same time."""

    def now(self) -> datetime:
        return NOW


class Terminal(io.StringIO):
    """An output that a person looks at."""

    def isatty(self) -> bool:
        return True


def look_at_stdout(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a terminal that wants colour in the place of stdout.

    Not a fixture: pytest puts its own stdout back between the set-up and the test.
    """
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")


@pytest.fixture
def kedge() -> Run:
    """Run the command with arguments, and return what came of it."""

    def run(*args: str, **env: str | None) -> Result:
        return CliRunner().invoke(app, args, obj=StoppedClock(), env=env)

    return run
