"""Restores run in the order in which they were made, also after a restart."""

from pathlib import Path

import pytest

from kedge.testing import faults
from tests.integration.controllers.wharf import Server, wharf

pytestmark = pytest.mark.asyncio

NAMES = ["z", "m", "a", "q", "b", "k", "c"]


async def test_those_that_were_there_before_the_server_go_by_age(tmp_path: Path) -> None:
    server = Server(tmp_path)
    async with wharf(server) as port:
        for name in NAMES:
            await port.restore(name, backupName="b")
        async with port.running():
            for name in NAMES:
                await port.ended(name)
    assert server.engine is not None
    assert server.engine.order == NAMES


async def test_one_whose_writes_fail_holds_up_nobody(tmp_path: Path) -> None:
    server = Server(tmp_path)
    async with wharf(server) as port:
        for name in ("first", "second"):
            await port.restore(name, backupName="b")
        fault = port.proxy.inject(
            faults.Refuse(faults.failure(500)), faults.matches(path="*/restores/first*", write=True)
        )
        async with port.running():
            await port.ended("second")
            assert server.engine is not None
            assert server.engine.order == ["second"]
            fault.remove()
            await port.ended("first")
