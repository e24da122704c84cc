"""A log, over a file and in memory: every test that takes it runs on both."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from hypothesis import HealthCheck, settings

from kedge.store import Log, StoreSettings

settings.register_profile(
    "store", derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile("store")

TINY = StoreSettings(
    commit_rows=3, list_rows=2, change_revisions=3, compact_revisions=2, subscriber_records=20
)
"""So small that every loop over portions goes round more than once."""


@pytest_asyncio.fixture(params=["file", "memory"])
async def log(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Log]:
    path = tmp_path / "kedge.db" if request.param == "file" else ":memory:"
    async with Log.open(path, TINY) as opened:
        yield opened
