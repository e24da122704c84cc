"""What a watcher needs of a client."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Protocol, TypeAlias

import msgspec

from kedge.client import Following, Page, Selection
from kedge.client.lines import Item
from kedge.kube.kind import Kind

Raw: TypeAlias = msgspec.Raw


class Watching(Protocol):
    """A watch that is open."""

    async def batch(self) -> Sequence[Item[Raw]]:
        """Wait for events and take all there are; none: the server has ended the watch."""

    def abort(self) -> None:
        """Break the connection off; whoever waits for a batch gets Disconnected or the end."""


class Peer(Protocol):
    """Lists and watches."""

    async def page(self, kind: Kind[Raw], selection: Selection, size: int, token: str) -> Page[Raw]:
        """Read one page of a list; a `size` of 0 is all in one."""

    def watch(
        self, kind: Kind[Raw], selection: Selection, following: Following
    ) -> AbstractAsyncContextManager[Watching]:
        """Follow the changes of a collection; raises Expired where the version is too old."""
