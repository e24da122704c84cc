"""Text of any size from somewhere else, on stdout as it comes."""

import codecs
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Final

from kedge.cli.output import write
from kedge.cli.screen import is_terminal

_KEPT: Final = "\n\t"
_ESCAPED: Final = {
    code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if chr(code) not in _KEPT
}


async def print_bytes(source: AsyncGenerator[bytes, None]) -> None:
    """Print pieces of UTF-8, of which a character may be cut in two, and close where they are from.

    On a terminal, what would move its cursor is written as an escape: a log repeats what others
    wrote.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    escaped = _ESCAPED if is_terminal() else {}
    async with aclosing(source) as pieces:
        async for piece in pieces:
            write(decoder.decode(piece).translate(escaped))
    write(decoder.decode(b"", final=True))
