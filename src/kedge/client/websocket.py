"""A WebSocket as messages of bytes; what is in them is not its business."""

from typing import Final

import aiohttp

from kedge.client.errors import Disconnected
from kedge.kube.foreign import cut

SWITCHED: Final = 101
FAREWELL_SECONDS: Final = 1.0
"""For the other side to say goodbye too."""
TIMES: Final = aiohttp.ClientWSTimeout(ws_receive=None, ws_close=FAREWELL_SECONDS)


class Socket:
    """An open WebSocket; one may read while another writes."""

    __slots__ = ("_quiet_seconds", "_socket", "code", "protocol")

    def __init__(self, opened: aiohttp.ClientWebSocketResponse, quiet_seconds: float) -> None:
        """Speak over what was opened; after quiet seconds the other side gets a ping."""
        self._socket = opened
        self._quiet_seconds = quiet_seconds
        self.code = SWITCHED
        self.protocol = opened.protocol or ""
        """The subprotocol that the server chose; empty: none of those that were offered."""

    async def receive(self) -> bytes:
        """Wait for a message; raises Disconnected where no more will come."""
        while True:
            try:
                message = await self._socket.receive(self._quiet_seconds)
            except TimeoutError:
                await self._ping()
                continue
            if message.type is aiohttp.WSMsgType.BINARY:
                return bytes(message.data)
            if message.type is aiohttp.WSMsgType.TEXT:
                return str(message.data).encode()
            is_told = message.type is aiohttp.WSMsgType.CLOSE and message.extra
            why = f": {cut(str(message.extra))}" if is_told else ""
            raise Disconnected(f"the connection was closed ({self._socket.close_code}){why}")

    async def send(self, message: bytes) -> None:
        """Send a message, when the other side takes it; raises Disconnected."""
        try:
            await self._socket.send_bytes(message)
        except (aiohttp.ClientError, OSError) as exc:
            raise Disconnected("the connection was closed while a message was sent") from exc

    async def close(self) -> None:
        """Say goodbye, and wait for a moment for the answer to that."""
        await self._socket.close()

    async def _ping(self) -> None:
        try:
            await self._socket.ping()
        except (aiohttp.ClientError, OSError) as exc:
            raise Disconnected("the connection was closed") from exc
