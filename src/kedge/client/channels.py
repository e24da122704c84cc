"""The channels of a command in a container: several streams over the messages of one WebSocket.

The first byte of a message names its channel. Pure.
"""

from dataclasses import dataclass
from typing import Any, Final

import msgspec

from kedge.client.decoders import UNREADABLE
from kedge.client.errors import BadAnswer
from kedge.client.responses import error_from
from kedge.kube.errors import ApiError
from kedge.kube.foreign import cut

V5: Final = "v5.channel.k8s.io"
"""Like v4, and the end of the input can be told."""
V4: Final = "v4.channel.k8s.io"
PROTOCOLS: Final = (V5, V4)
"""In the order of liking."""

STDIN: Final = 0
STDOUT: Final = 1
STDERR: Final = 2
STATUS: Final = 3
RESIZE: Final = 4
CLOSE: Final = 255
"""Of v5: what follows is the number of a channel in which nothing more will come."""

PIECE: Final = 2**16
"""Bytes of input in one message: a server holds a message whole."""
EXIT: Final = "NonZeroExitCode"
EXIT_CODE: Final = "ExitCode"


@dataclass(frozen=True, slots=True)
class Message:
    """What came in a channel; a message without a byte has none."""

    channel: int | None
    data: bytes


def pack(channel: int, data: bytes) -> bytes:
    """Make a message."""
    return bytes((channel,)) + data


def unpack(message: bytes) -> Message:
    """Read a message."""
    return Message(message[0] if message else None, message[1:])


def inputs(data: bytes) -> list[bytes]:
    """Make the messages of some input."""
    return [pack(STDIN, data[at : at + PIECE]) for at in range(0, len(data), PIECE)]


def end_of_input() -> bytes:
    """Make the message that tells that the input has ended; for v5 only."""
    return bytes((CLOSE, STDIN))


def size(columns: int, rows: int) -> bytes:
    """Make the message that tells the size of the terminal."""
    if not (0 < columns < 2**16 and 0 < rows < 2**16):
        raise ValueError(f"a terminal of {columns} x {rows} is none; 1 to 65535 of each")
    return pack(RESIZE, msgspec.json.encode({"Width": columns, "Height": rows}))


def exit_code(data: bytes) -> int:
    """Read the last message, a Status, for the exit code of a command that was run.

    Raises the ApiError of a command that could not be run.
    """
    try:
        status = msgspec.json.decode(data, type=dict[str, Any])
    except UNREADABLE as exc:
        raise BadAnswer(f"the end of the command can not be read: {cut(str(exc))}") from exc
    if status.get("status") == "Success":
        return 0
    error = error_from(status)
    if status.get("reason") != EXIT:
        raise error
    return _told(error)


def _told(error: ApiError) -> int:
    causes = (error.details or {}).get("causes")
    for cause in causes if isinstance(causes, list) else ():
        if isinstance(cause, dict) and cause.get("reason") == EXIT_CODE:
            text = str(cause.get("message"))
            if text.isascii() and text.removeprefix("-").isdigit():
                return int(text)
    raise BadAnswer(f"the command failed without an exit code: {cut(error.message)}")
