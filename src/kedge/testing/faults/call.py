"""One API call in the proxy's log: what was asked, what was done to it, what came back."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from kedge.kube.fieldselectors import parse_fields
from kedge.kube.requirements import SelectorError
from kedge.kube.selectors import parse_labels
from kedge.testing.faults.hold import Hold
from kedge.testing.faults.request import Matcher, Request
from kedge.testing.faults.signal import Signal


class Traffic(Protocol):
    """All that passes a proxy, for faults that concern more than one call."""

    calls: list["Call"]
    signal: Signal

    def hold(self, when: Matcher) -> Hold:
        """Hold back the answers to these requests until it is released."""


@dataclass(eq=False)
class Call:
    """One request to the proxy, and what became of it."""

    number: int
    """Its place in the log, from 0."""
    request: Request
    """As the client sent it."""
    sending: Request
    """As it is sent on; a fault may change it."""
    traffic: Traffic = field(repr=False)
    reached: int = 0
    """How often the request was sent to the server, all of it."""
    answered: list[int] = field(default_factory=list)
    """The codes that the server answered, one for each time it was asked."""
    status: int | None = None
    """The code that the client was told; None as long as it knows nothing."""
    faults: list[str] = field(default_factory=list)
    """The names of the faults it met."""
    sent: int = 0
    """Bytes to the client, heads and framing included."""
    is_over: bool = False
    """The client has got all, or gets no more."""
    position: int = 0
    """Of a watch: the version of the newest event that was passed on, or where it began."""
    _finally: list[Callable[[], None]] = field(default_factory=list, repr=False)

    @property
    def method(self) -> str:
        """The method."""
        return self.request.method

    @property
    def path(self) -> str:
        """The path without the query."""
        return self.request.path

    @property
    def query(self) -> dict[str, str]:
        """The parameters."""
        return self.request.query

    @property
    def is_write(self) -> bool:
        """Whether it may change something."""
        return self.request.is_write

    def when_over(self, action: Callable[[], None]) -> None:
        """Do something when the client has got all, or gets no more."""
        self._finally.append(action)

    @contextmanager
    def under_way(self) -> Iterator["Call"]:
        """Note the end when the block ends."""
        try:
            yield self
        finally:
            self.is_over = True
            for action in self._finally:
                action()
            self.traffic.signal.notify()

    def sees(self, write: Request, metadata: dict[str, Any]) -> bool:
        """Tell whether this is an open watch that gets an event for an object that was written."""
        mine, other = self.request.aim, write.aim
        return (
            self.request.is_watch
            and self.status == 200
            and not self.is_over
            and (mine.group, mine.plural) == (other.group, other.plural)
            and mine.namespace in {"", other.namespace}
            and _selects(self.query, metadata)
        )


def _selects(query: dict[str, str], metadata: dict[str, Any]) -> bool:
    try:
        fields = parse_fields(query.get("fieldSelector", ""))
        labels = parse_labels(query.get("labelSelector", ""))
    except SelectorError:
        return False
    # Of other fields nobody here knows the values: such a watch is not counted on.
    is_named = fields.empty or str(fields) == f"metadata.name={metadata.get('name')}"
    return is_named and labels.matches(metadata.get("labels"))
