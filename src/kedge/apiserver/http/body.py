"""The body of a request, within bounds of size and time."""

import asyncio

from aiohttp import HttpVersion11, web

from kedge.kube.errors import Timeout
from kedge.kube.refusals import body_too_large

MAX_BODY = 3 * 1024 * 1024
CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"


async def read_body(request: web.BaseRequest, seconds: float) -> bytes:
    """Give the whole body; raises RequestEntityTooLarge and Timeout."""
    headers = request.headers
    length = headers.get("Content-Length")
    if length is not None and length.isdigit() and int(length) > MAX_BODY:
        raise body_too_large(f"limit is {MAX_BODY}")
    if "Expect" in headers:
        await _encourage(request)
    if request.content.is_eof():
        return _within(request.content.read_nowait())  # it came with its head: nothing to wait for
    chunks: list[bytes] = []
    size = 0
    try:
        async with asyncio.timeout(seconds):
            while chunk := await request.content.readany():
                size += len(chunk)
                if size > MAX_BODY:
                    raise body_too_large(f"limit is {MAX_BODY}")
                chunks.append(chunk)
    except TimeoutError:
        why = "request did not complete within the requested timeout - context deadline exceeded"
        raise Timeout(f"Timeout: {why}") from None
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def _within(body: bytes) -> bytes:
    if len(body) > MAX_BODY:
        raise body_too_large(f"limit is {MAX_BODY}")
    return body


async def _encourage(request: web.BaseRequest) -> None:
    """Tell a client that waits before it sends a big body that the body is welcome."""
    if request.headers["Expect"].lower() == "100-continue" and request.version >= HttpVersion11:
        await request.writer.write(CONTINUE)
        # The answer proper has not begun.
        request.writer.output_size = 0
