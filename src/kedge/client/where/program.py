"""Running a program to its end, within a time, without a terminal and without a leak."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

LARGEST: Final = 1024 * 1024
"""Bytes that are kept of what a program writes; credentials have some thousands."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a program ended."""

    code: int
    """Below zero: the signal that ended it."""
    output: bytes = field(repr=False)
    complaint: bytes = field(repr=False)
    is_cut: bool = False
    """Whether it wrote more than is kept."""


async def run(command: Sequence[str], environ: Mapping[str, str], seconds: float) -> Outcome:
    """Run a program; it and its children are killed at the end of the time, or if cancelled.

    Raises OSError or ValueError if it cannot be started, TimeoutError if it does not end.
    """
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env=dict(environ),
        start_new_session=True,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    try:
        async with asyncio.timeout(seconds):
            output, complaint = await asyncio.gather(_kept(process.stdout), _kept(process.stderr))
            code = await process.wait()
    finally:
        if process.returncode is None:
            _kill(process)
        # A grandchild may keep the pipes open for ever; some versions of Python would wait for it.
        process._transport.close()  # type: ignore[attr-defined]
        await process.wait()
    is_cut = len(output) > LARGEST
    return Outcome(code, output[:LARGEST], complaint[:LARGEST], is_cut)


async def _kept(stream: asyncio.StreamReader) -> bytes:
    """Read to the end, as the program would wait otherwise; keep the beginning."""
    kept = bytearray()
    while chunk := await stream.read(65536):
        if len(kept) <= LARGEST:
            kept += chunk
    return bytes(kept)


def _kill(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
