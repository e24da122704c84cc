"""A store that goes away in the middle of a large upload."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

import pytest

from kedge.aio.background import background
from kedge.objects import web
from kedge.objects.errors import Unreachable
from kedge.objects.open import Surroundings, open_bucket
from tests.integration.objects.seaweed import Seaweed
from tests.integration.objects.test_s3_settings import left_uploads

MIB = 1024 * 1024


class Relay:
    """Passes bytes on to a server until so many have come; then it cuts a connection, or all."""

    def __init__(self, port: int, limit: int, comes_back: bool) -> None:
        self.port = port
        self.left = limit
        self.comes_back = comes_back
        self.is_down = False
        self._writers: list[asyncio.StreamWriter] = []
        self._tasks: list[asyncio.Task[Any] | None] = []

    async def close(self) -> None:
        """Cut what is left, so that nothing outlives the test."""
        for writer in self._writers:
            writer.transport.abort()
        if tasks := [task for task in self._tasks if task is not None]:
            await asyncio.wait(tasks)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Relay one connection."""
        self._writers.append(writer)
        self._tasks.append(asyncio.current_task())
        with suppress(OSError):
            if not self.is_down:
                there, back = await asyncio.open_connection("127.0.0.1", self.port)
                self._writers.append(back)
                async with background(self._pass(there, writer)):
                    await self._pass(reader, back)
                back.close()
        writer.close()

    async def _pass(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while not self.is_down and (data := await source.read(65536)):
                self.left -= len(data)
                if self.left < 0:
                    self.is_down = not self.comes_back
                    self.left = 1000 * MIB
                    return
                target.write(data)
                await target.drain()


@asynccontextmanager
async def relayed(
    server: Seaweed, limit: int, comes_back: bool = False
) -> AsyncIterator[tuple[Relay, str]]:
    relay = Relay(int(server.url.rpartition(":")[2]), limit, comes_back)
    listening = await asyncio.start_server(relay.serve, "127.0.0.1", 0)
    try:
        yield relay, f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"
    finally:
        listening.close()
        await relay.close()
        await listening.wait_closed()


async def large() -> AsyncIterator[bytes]:
    for _ in range(40):
        yield b"x" * MIB


@pytest.mark.asyncio
async def test_an_upload_to_a_store_that_stays_away_fails_and_is_told(
    s3: Seaweed, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(web, "RETRIES", 1)
    async with relayed(s3, 12 * MIB) as (_, url):
        bucket = open_bucket(s3.place("lost-one", config={"s3Url": url}), Surroundings())
        with caplog.at_level(logging.WARNING), pytest.raises(Unreachable):
            await bucket.put("large", large())
    assert "could not undo an upload" in caplog.text
    assert not await open_bucket(s3.place("lost-one"), Surroundings()).exists("large")


@pytest.mark.asyncio
async def test_a_connection_that_breaks_in_an_upload_is_made_anew(s3: Seaweed) -> None:
    async with relayed(s3, 12 * MIB, comes_back=True) as (relay, url):
        bucket = open_bucket(s3.place("lost-two", config={"s3Url": url}), Surroundings())
        await bucket.put("large", large())
        assert relay.left > 12 * MIB, "no connection was cut"
        assert await bucket.get("large") == b"x" * 40 * MIB
    assert left_uploads(s3, "lost-two") == []
