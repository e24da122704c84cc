"""What is closed at the end of a block."""

from types import TracebackType
from typing import Self


class Closing:
    """Closes itself at the end of an `async with` block."""

    __slots__ = ()

    async def close(self) -> None:
        """Let go of all that is held."""
        raise NotImplementedError

    async def __aenter__(self) -> Self:
        """Use it as a context manager."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close it."""
        await self.close()
