"""Hands on what one controller has written to another of the same process.

The other would see it in its watch as well, a moment later: where many wait for one another, the
moments add up. Nothing may depend on it: a process may end between the write and the word.
"""

from collections.abc import Callable

from kedge.kube.kind import Object

Hear = Callable[[Object], None]
"""Takes note of an object as it was written; it does not keep the writer waiting."""


class Relay:
    """Has one listener, or none."""

    def __init__(self) -> None:
        """Begin with none."""
        self._hear: Hear | None = None

    def to(self, hear: Hear) -> None:
        """Have somebody hear of what is told from now on."""
        self._hear = hear

    @property
    def is_heard(self) -> bool:
        """Whether there is a listener."""
        return self._hear is not None

    def tell(self, obj: Object) -> None:
        """Tell of an object, as the server has answered the write."""
        if self._hear is not None:
            self._hear(obj)
