"""A clock that stands still, and an authorizer with the roles of a fresh server."""

from datetime import UTC, datetime, timedelta

import pytest

from kedge.apiserver.auth.bootstrap import roles_and_bindings
from kedge.apiserver.auth.rbac import Authorizer


class StillClock:
    """Tells the time it was given."""

    def __init__(self) -> None:
        """Start at a moment in 2026."""
        self.time = datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC)

    def now(self) -> datetime:
        """Return that time."""
        return self.time

    def advance(self, step: timedelta) -> None:
        """Move on."""
        self.time += step


@pytest.fixture
def clock() -> StillClock:
    """Give a clock that stands still."""
    return StillClock()


@pytest.fixture
def authorizer() -> Authorizer:
    """Give an authorizer with the roles of a fresh server."""
    authorizer = Authorizer()
    authorizer.load(roles_and_bindings())
    return authorizer
