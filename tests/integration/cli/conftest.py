"""Clusters for the commands."""

from collections.abc import Iterator

import pytest

from tests.integration.cli.session import Session, session


@pytest.fixture(scope="module")
def shared() -> Iterator[Session]:
    """Give a cluster for all tests of a module."""
    with session() as running:
        yield running


@pytest.fixture
def place(shared: Session) -> Session:
    """Give a cluster without a single Schedule."""
    for name in shared.names():
        shared.kedge("schedule", "delete", name, "--confirm")
    return shared
