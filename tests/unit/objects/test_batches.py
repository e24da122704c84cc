"""Pieces are put together and cut, and nothing of them is lost."""

import asyncio
from collections.abc import AsyncIterator

from hypothesis import given
from hypothesis import strategies as st

from kedge.objects.batches import batched


@given(st.lists(st.binary(max_size=40)), st.integers(1, 20))
def test_a_stream_keeps_its_bytes_in_pieces_of_bounded_size(pieces: list[bytes], size: int) -> None:
    async def source() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    async def run() -> list[bytes]:
        return [piece async for piece in batched(source(), size)]

    got = asyncio.run(run())
    assert b"".join(got) == b"".join(pieces)
    assert all(len(piece) < 2 * size for piece in got)
    assert all(len(piece) >= size for piece in got[:-1]) or max(map(len, pieces)) > size


@given(st.binary(max_size=200), st.integers(1, 20))
def test_bytes_are_cut(data: bytes, size: int) -> None:
    async def run() -> list[bytes]:
        return [piece async for piece in batched(data, size)]

    got = asyncio.run(run())
    assert b"".join(got) == data
    assert all(0 < len(piece) < 2 * size for piece in got)
