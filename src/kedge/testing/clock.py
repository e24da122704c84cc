"""A clock for tests: it stands still until it is moved."""

from datetime import UTC, datetime, timedelta

START = datetime(2030, 1, 1, tzinfo=UTC)


class FakeClock:
    """Hand it to `cluster(clock=...)`: every time that the server writes comes from it."""

    def __init__(self, start: datetime = START) -> None:
        """Stand at an instant, which must know its time zone."""
        if start.tzinfo is None:
            raise ValueError("the start of a clock needs a time zone")
        self._now = start.astimezone(UTC)

    def now(self) -> datetime:
        """Return the present instant, aware, in UTC."""
        return self._now

    def advance(self, by: timedelta) -> datetime:
        """Move on, never back; return the new time."""
        if by < timedelta(0):
            raise ValueError("a clock does not go back")
        self._now += by
        return self._now
