"""Answers that are held back while others pass: order between connections."""

from types import TracebackType

from kedge.testing.faults.request import Matcher
from kedge.testing.faults.signal import Signal


class Hold:
    """Keeps answers from their clients, connections open, until it is released."""

    def __init__(self, when: Matcher, signal: Signal) -> None:
        """Hold from now on, also in the middle of an answer."""
        self.when = when
        self.is_released = False
        self._signal = signal

    def release(self) -> None:
        """Let all that was held back pass."""
        self.is_released = True
        self._signal.notify()

    def __enter__(self) -> "Hold":
        """Hold while the block runs."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Release."""
        self.release()
