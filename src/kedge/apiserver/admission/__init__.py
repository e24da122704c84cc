"""Admission plugins: rules of a write that look at other objects."""

from typing import Protocol

from kedge.apiserver.call import Call
from kedge.apiserver.resource import Object


class Plugin(Protocol):
    """Looks at every write before its object is checked, and after. Raises ApiError to refuse."""

    async def admit(self, call: Call, new: Object, old: Object | None) -> None:
        """Complete the object, in place; `old` is None for a creation."""

    async def judge(self, call: Call, new: Object, old: Object | None) -> None:
        """Look at the object as it will be stored."""
