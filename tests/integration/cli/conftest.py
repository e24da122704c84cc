"""Clusters for the commands."""

from collections.abc import Iterator

import pytest

from kedge.api.velero.backup import BACKUP
from kedge.api.velero.delete_request import DELETE_BACKUP_REQUEST
from kedge.api.velero.download_request import DOWNLOAD_REQUEST
from kedge.api.velero.restore import RESTORE
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
from tests.integration.cli.hand import Hand, reset
from tests.integration.cli.session import Session, session

KEPT = (BACKUP, RESTORE, BACKUP_STORAGE_LOCATION, DELETE_BACKUP_REQUEST, DOWNLOAD_REQUEST)


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


@pytest.fixture(scope="module")
def handed() -> Iterator[Session]:
    """Give a cluster with a stand-in for the server, for all tests of a module."""
    with session(hand=Hand()) as running:
        yield running


@pytest.fixture
def shop(handed: Session) -> Session:
    """Give that cluster without any object of ours."""
    assert handed.hand is not None
    handed.empty(*KEPT)
    for name in handed.names():
        handed.kedge("schedule", "delete", name, "--confirm")
    reset(handed.hand)
    return handed


@pytest.fixture
def hand(shop: Session) -> Hand:
    """Give the stand-in for the server."""
    assert shop.hand is not None
    return shop.hand
