"""How long the name of a Backup may be where its bucket is a folder."""

from pathlib import Path

import pytest

from kedge.engine.backup.run import back_up
from tests.integration.controllers.quay import Server, quay

pytestmark = pytest.mark.asyncio

LONGEST = 230
"""As docs/howto/object-storage.md says: the rest is for what the layout puts behind it."""


async def test_the_longest_name_that_files_can_have_is_taken(tmp_path: Path) -> None:
    name = "n" * LONGEST
    async with quay(Server(tmp_path, collect=back_up)) as port, port.running():
        await port.backup(name, includedNamespaces=["default"])
        assert (await port.ended(name))["phase"] == "Completed"


async def test_a_longer_name_fails_with_the_bytes_that_are_too_many(tmp_path: Path) -> None:
    name = "n" * (LONGEST + 1)
    async with quay(Server(tmp_path, collect=back_up)) as port, port.running():
        await port.backup(name, includedNamespaces=["default"])
        status = await port.ended(name)
    assert status["phase"] == "Failed"
    assert status["failureReason"].endswith(
        "256 bytes are too many for the name of a file, which can have 255 here; use a shorter name"
    )
