"""The key of an object: all that goes from an event to a reconcile."""

from typing import NamedTuple


class Key(NamedTuple):
    """Names one object of a kind."""

    namespace: str
    """Empty for what is in no namespace."""
    name: str

    def __str__(self) -> str:
        """Write it as kubectl does: `namespace/name`."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name
