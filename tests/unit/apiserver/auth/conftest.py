"""A clock that stands still, and an authorizer with the roles of a fresh server."""

from datetime import UTC, datetime

import pytest

from kedge.apiserver.auth.bootstrap import roles_and_bindings
from kedge.apiserver.auth.rbac import Authorizer
from kedge.testing import FakeClock

MOMENT = datetime(2026, 5, 4, 3, 2, 1, tzinfo=UTC)


@pytest.fixture
def clock() -> FakeClock:
    """Give a clock that stands still."""
    return FakeClock(MOMENT)


@pytest.fixture
def authorizer() -> Authorizer:
    """Give an authorizer with the roles of a fresh server."""
    authorizer = Authorizer()
    authorizer.load(roles_and_bindings())
    return authorizer
