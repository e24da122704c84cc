"""The tail of the log: every record committed after now, in order."""

from collections.abc import Callable
from types import TracebackType

from kedge.aio.broadcast import Closed, Inbox, Overflow
from kedge.store.errors import SlowSubscriber, StoreClosed, StoreError
from kedge.store.record import Record


class Subscription:
    """The records of a prefix with a revision above `start`, without gap or repetition.

    To follow from an older revision: subscribe first, then read the changes up to `start`, then
    the batches.
    """

    def __init__(self, inbox: Inbox[Record], newest: Callable[[], int]) -> None:
        self._inbox = inbox
        self._newest = newest
        self.start = newest()
        """The newest revision when the subscription began."""

    @property
    def revision(self) -> int:
        """The revision up to which all records of the prefix have been taken.

        It moves with the whole log, also when nothing of the prefix changes; raises as
        `next_batch` does.
        """
        try:
            self._inbox.check()
        except (Overflow, Closed) as exc:
            raise self._explain(exc) from None
        unread = self._inbox.first()
        return self._newest() if unread is None else unread.revision - 1

    async def next_batch(self) -> list[Record]:
        """Wait for at least one record and take all there are.

        Raises SlowSubscriber when too many waited, and StoreClosed after `close`.
        """
        try:
            return await self._inbox.next_batch()
        except (Overflow, Closed) as exc:
            raise self._explain(exc) from None

    def take(self) -> list[Record]:
        """Take all records there are, without waiting; raises as `next_batch` does."""
        try:
            return self._inbox.take()
        except (Overflow, Closed) as exc:
            raise self._explain(exc) from None

    def close(self) -> None:
        """Receive nothing any more; may be called twice."""
        self._inbox.close()

    def __enter__(self) -> "Subscription":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _explain(self, exc: Exception) -> StoreError:
        prefix = self._inbox.prefix
        if isinstance(exc, Overflow):
            return SlowSubscriber(f"a subscriber of {prefix!r} was too slow and was dropped")
        return StoreClosed(f"the subscription of {prefix!r} is closed")
