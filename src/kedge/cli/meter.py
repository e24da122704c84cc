"""What a person sees while a command waits: a bar on a terminal, or a dot a second."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Awaitable
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeVar

from kedge.cli.objects import part
from kedge.cli.output import write
from kedge.cli.screen import can_show, visible

if TYPE_CHECKING:
    from kedge.aio.clock import Clock
    from kedge.kube.kind import Object

T = TypeVar("T")

SECOND: Final = 1.0
HOUR: Final = 3600.0
WIDEST: Final = 40
"""Columns of the bar itself."""
FULL, EMPTY = "█", "░"
PLAIN_FULL, PLAIN_EMPTY = "#", "-"
ERASE: Final = "\r\x1b[K"
QUIET_SECONDS: Final = 10.0
"""A server that runs has looked at an object sooner than that."""
UNSEEN: Final = "nobody has looked at it yet: `kedge doctor` tells whether the server runs"


class Meter(Protocol):
    """Shows that something goes on."""

    def show(self, obj: Object) -> None:
        """Take an object as it is now."""

    async def run(self) -> None:
        """Go on until it is cancelled."""


class Drawn(Meter, Protocol):
    """One that has something on the screen."""

    def make_room(self) -> None:
        """Let something else be written."""


class Silent:
    """Nothing: for whoever waits for an end that has no steps before it."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def show(self, obj: Object) -> None:
        """Take no notice."""

    def make_room(self) -> None:
        """Do nothing: there is nothing in the way."""

    async def run(self) -> None:
        """Do nothing until it is cancelled."""
        while True:
            await self._clock.sleep(HOUR)


class Dots:
    """A dot on stdout each second, as Velero's command writes them."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def show(self, obj: Object) -> None:
        """Take no notice: a dot is a dot."""

    def make_room(self) -> None:
        """End the line."""
        write("\n")

    async def run(self) -> None:
        """Write dots until it is cancelled; then end the line."""
        try:
            while True:
                await self._clock.sleep(SECOND)
                write(".")
        finally:
            write("\n")


class Bar:
    """How far an object has come, in one line of stderr that is drawn again and again."""

    def __init__(self, clock: Clock, done: str, stream: Any = None) -> None:
        """Count with the field of `status.progress` that is called `done`."""
        self._clock = clock
        self._done = done
        self._stream = stream or sys.stderr
        self._began = clock.monotonic()
        self._object: Object = {}

    def show(self, obj: Object) -> None:
        """Draw an object as it is now."""
        self._object = obj
        self._draw()

    def make_room(self) -> None:
        """Take the bar away until it is drawn again."""
        self._put(ERASE)

    async def run(self) -> None:
        """Draw each second until it is cancelled; then leave the line as it was."""
        try:
            while True:
                self._draw()
                await self._clock.sleep(SECOND)
        finally:
            self.make_room()

    def _draw(self) -> None:
        columns = shutil.get_terminal_size().columns
        seconds = self._clock.monotonic() - self._began
        line = bar_text(self._object, self._done, seconds, columns - 1)
        if not can_show(line, self._stream):
            line = line.replace(FULL, PLAIN_FULL).replace(EMPTY, PLAIN_EMPTY)
        self._put(f"{ERASE}{line}")

    def _put(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


class Wonder:
    """A meter that says so, once, if nobody has looked at an object for a while."""

    def __init__(self, clock: Clock, inner: Drawn, told: str = UNSEEN) -> None:
        """Show what another meter shows; `told` is what is said."""
        self._clock = clock
        self._inner = inner
        self._told = told
        self._is_seen = False

    def show(self, obj: Object) -> None:
        """Take an object as it is now; whoever looks at it first gives it a phase."""
        self._is_seen = self._is_seen or bool(part(obj, "status", "phase"))
        self._inner.show(obj)

    async def run(self) -> None:
        """Go on until it is cancelled."""
        from kedge.aio.background import background

        async with background(self._wonder()):
            await self._inner.run()

    async def _wonder(self) -> None:
        from kedge.cli.errors import complain

        await self._clock.sleep(QUIET_SECONDS)
        if not self._is_seen:
            self._inner.make_room()
            complain(self._told)


def bar_text(obj: Object, done_field: str, seconds: float, columns: int) -> str:
    """Write the line: phase, bar, numbers and time, as far as they are known and have room."""
    from kedge.cli.durations import span

    phase = visible(str(part(obj, "status", "phase") or "New"))
    position = part(obj, "status", "queuePosition")
    if position:
        phase += f" ({_number(position)} in the queue)"
    total = _number(part(obj, "status", "progress", "totalItems"))
    done = _number(part(obj, "status", "progress", done_field))
    time = span(timedelta(seconds=seconds))
    if not total:
        return f"{phase} {time}"[:columns]
    share = min(done / total, 1.0)
    numbers = f"{done}/{total} items {int(share * 100)}% {time}"
    room = min(WIDEST, columns - len(phase) - len(numbers) - 2)
    if room < 1:
        return f"{phase} {numbers}"[:columns]
    filled = int(share * room)
    return f"{phase} {FULL * filled}{EMPTY * (room - filled)} {numbers}"


def meter(clock: Clock, done: str) -> Bar | Dots:
    """Choose what to show by what stderr is."""
    return Bar(clock, done) if _has_bar() else Dots(clock)


async def beside(display: Meter, work: Awaitable[T]) -> T:
    """Show that something goes on while it is waited for."""
    from kedge.aio.background import background

    try:
        async with background(display.run()):
            return await work
    except BaseExceptionGroup as group:
        raise group.exceptions[0] from None


def _has_bar() -> bool:
    return sys.stderr is not None and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"


def _number(value: Any) -> int:
    return value if isinstance(value, int) else 0
