"""Which revision was the newest at which time, as far back as compaction wants to know."""

from collections import deque
from datetime import datetime

KEPT = 1000
"""One a minute is enough, and that is most of a day."""


class Marks:
    """Pairs of time and revision, both only growing. In memory: a restart begins anew."""

    def __init__(self) -> None:
        self._marks: deque[tuple[datetime, int]] = deque(maxlen=KEPT)

    def add(self, now: datetime, revision: int) -> None:
        """Note the newest revision of this moment; a clock that went back is ignored."""
        if not self._marks or self._marks[-1][0] < now:
            self._marks.append((now, revision))

    def at(self, instant: datetime) -> int:
        """Return the newest revision noted up to an instant; 0 if there is none."""
        return next((revision for time, revision in reversed(self._marks) if time <= instant), 0)
