"""Pieces of bytes in sizes that are worth a request each."""

from collections.abc import AsyncGenerator, AsyncIterable


async def batched(data: bytes | AsyncIterable[bytes], size: int) -> AsyncGenerator[bytes, None]:
    """Go through data in pieces of at most twice this size, small ones put together."""
    if isinstance(data, bytes | bytearray | memoryview):
        for piece in _cut(bytes(data), size):
            yield piece
        return
    waiting: list[bytes] = []
    length = 0
    async for chunk in data:
        waiting.append(chunk)
        length += len(chunk)
        if length >= size:
            whole = waiting[0] if len(waiting) == 1 else b"".join(waiting)
            waiting, length = [], 0
            for piece in _cut(whole, size):
                yield piece
    if waiting:
        yield b"".join(waiting)


def _cut(whole: bytes, size: int) -> list[bytes]:
    if len(whole) < 2 * size:
        return [whole] if whole else []
    return [whole[start : start + size] for start in range(0, len(whole), size)]
