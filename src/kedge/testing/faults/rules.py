"""Which requests a fault meets: by what they are, and by count; never by time or chance."""

from collections.abc import Awaitable, Collection
from fnmatch import fnmatchcase
from types import TracebackType
from typing import Protocol

from kedge.testing.faults.answer import Answer, Forward
from kedge.testing.faults.call import Call
from kedge.testing.faults.request import Matcher, Request
from kedge.testing.faults.signal import PATIENCE_SECONDS, Signal


class Fault(Protocol):
    """What is done to a request and its answer; any async function of this shape is one."""

    def __call__(self, call: Call, forward: Forward, /) -> Awaitable[Answer]:
        """Send `call.sending` on with `forward`, or not; return the answer, or raise Cut."""


def every(request: Request) -> bool:
    """Match all requests."""
    return True


def matches(
    *,
    method: str | Collection[str] | None = None,
    path: str | None = None,
    verb: str | Collection[str] | None = None,
    resource: str | Collection[str] | None = None,
    watch: bool | None = None,
    write: bool | None = None,
) -> Matcher:
    """Match requests of which all of this is true; what is left out does not matter.

    `path` is a pattern as of the shell (`*/configmaps/*`), without the query. `verb` is one of
    Kubernetes: get, list, watch, create, update, patch, delete, deletecollection. `resource` is a
    plural, with a slash and the subresource if it has one: `pods`, `pods/status`.
    """

    def holds(request: Request) -> bool:
        aim = request.aim
        plural = f"{aim.plural}/{aim.subresource}" if aim.subresource else aim.plural
        return (
            _among(request.method, method)
            and (path is None or fnmatchcase(request.path, path))
            and _among(aim.verb, verb)
            and _among(plural, resource)
            and watch in {None, request.is_watch}
            and write in {None, request.is_write}
        )

    return holds


def _among(value: str, wanted: str | Collection[str] | None) -> bool:
    if wanted is None:
        return True
    return value == wanted if isinstance(wanted, str) else value in wanted


class Injection:
    """A fault in force, until it is removed or its `with` block ends."""

    def __init__(
        self, fault: Fault, when: Matcher, times: int | None, after: int, signal: Signal
    ) -> None:
        """Meet `times` requests (None: all) after letting `after` of them pass."""
        if after < 0 or (times is not None and times < 0):
            raise ValueError("a fault is injected 0 or more times, after 0 or more requests")
        self.fault = fault
        self.hits: list[Call] = []
        """The calls that it met."""
        self._when = when
        self._times = times
        self._after = after
        self._signal = signal
        self._removed = False

    def meets(self, call: Call) -> bool:
        """Tell whether this call is to have the fault, and count it."""
        if self._removed or len(self.hits) == self._times or not self._when(call.request):
            return False
        if self._after:
            self._after -= 1
            return False
        self.hits.append(call)
        call.faults.append(_name_of(self.fault))
        self._signal.notify()
        return True

    async def hit(self, times: int = 1, seconds: float = PATIENCE_SECONDS) -> Call:
        """Wait until it met this many requests, and give the last of them; raises TimeoutError."""
        await self._signal.until(lambda: len(self.hits) >= times, seconds)
        return self.hits[times - 1]

    def remove(self) -> None:
        """Meet no more requests; what it does to those it met goes on."""
        self._removed = True

    def __enter__(self) -> "Injection":
        """Be in force while the block runs."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        exc: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Remove it."""
        self.remove()


def _name_of(fault: Fault) -> str:
    return str(getattr(fault, "__qualname__", type(fault).__name__))
