"""Things that are done at the same time, each to its end."""

import asyncio
from collections.abc import Awaitable
from typing import Any


async def together(*questions: Awaitable[Any]) -> list[Any]:
    """Ask all at once; raises the first failure when all have answered."""
    answers = await asyncio.gather(*questions, return_exceptions=True)
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
    return answers
