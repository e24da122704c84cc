"""The bar and the dots that are shown while a command waits."""

import io
import sys
from datetime import timedelta
from typing import Any

import pytest

from kedge.aio.background import background
from kedge.cli.meter import UNSEEN, Bar, Dots, Wonder, bar_text, meter
from kedge.testing import FakeClock
from tests.unit.cli.conftest import NOW, Terminal

SECOND = timedelta(seconds=1)


def backup(phase: str = "", **progress: int) -> dict[str, Any]:
    return {"status": {"phase": phase, "progress": progress}}


@pytest.mark.parametrize(
    ("obj", "line"),
    [
        ({}, "New 5s"),
        (backup("InProgress"), "InProgress 5s"),
        ({"status": {"phase": "Queued", "queuePosition": 3}}, "Queued (3 in the queue) 5s"),
        (
            backup("InProgress", totalItems=200, itemsBackedUp=50),
            f"InProgress {'█' * 10}{'░' * 30} 50/200 items 25% 5s",
        ),
        (
            backup("Finalizing", totalItems=3, itemsBackedUp=3),
            f"Finalizing {'█' * 40} 3/3 items 100% 5s",
        ),
        (
            backup("InProgress", totalItems=2, itemsBackedUp=5),
            f"InProgress {'█' * 40} 5/2 items 100% 5s",
        ),
        (backup("InProgress", totalItems=0, itemsBackedUp=0), "InProgress 5s"),
        ({"status": {"phase": "\x1b[2J", "progress": {"totalItems": "x"}}}, "\\x1b[2J 5s"),
    ],
)
def test_the_line_tells_what_is_known(obj: dict[str, Any], line: str) -> None:
    assert bar_text(obj, "itemsBackedUp", 5, 120) == line


def test_the_bar_takes_the_room_that_there_is() -> None:
    obj = backup("InProgress", totalItems=4, itemsBackedUp=2)
    assert bar_text(obj, "itemsBackedUp", 5, 40) == "InProgress ██████░░░░░░ 2/4 items 50% 5s"
    assert bar_text(obj, "itemsBackedUp", 5, 28) == "InProgress 2/4 items 50% 5s"
    assert bar_text(obj, "itemsBackedUp", 5, 12) == "InProgress 2"


@pytest.mark.asyncio
async def test_the_bar_is_drawn_on_each_change_and_each_second_and_goes_away() -> None:
    clock, stream = FakeClock(NOW), Terminal()
    bar = Bar(clock, "itemsBackedUp", stream)
    async with background(bar.run()):
        await clock.slept()
        clock.advance(SECOND)
        await clock.slept()
        bar.show(backup("Completed"))
        clock.advance(SECOND)
        await clock.slept()
    drawn = stream.getvalue().split("\r\x1b[K")
    assert drawn == ["", "New 0s", "New 1s", "Completed 1s", "Completed 2s", ""]


def test_a_stream_without_the_characters_gets_others() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    bar = Bar(FakeClock(NOW), "itemsBackedUp", stream)
    bar.show(backup("InProgress", totalItems=2, itemsBackedUp=1))
    stream.flush()
    assert "#-" in stream.buffer.getvalue().decode("ascii").replace("--", "-")


@pytest.mark.asyncio
async def test_a_dot_is_written_each_second(capsys: pytest.CaptureFixture[str]) -> None:
    clock = FakeClock(NOW)
    dots = Dots(clock)
    dots.show({})
    async with background(dots.run()):
        await clock.slept()
        for _ in range(3):
            clock.advance(SECOND)
            await clock.slept()
    assert capsys.readouterr().out == "...\n"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("seen", "told"), [({}, f"kedge: {UNSEEN}\n"), (backup("New"), ""), (backup("Queued"), "")]
)
async def test_one_that_nobody_has_looked_at_is_wondered_about_once(
    capsys: pytest.CaptureFixture[str], seen: dict[str, Any], told: str
) -> None:
    clock, stream = FakeClock(NOW), Terminal()
    display = Wonder(clock, Bar(clock, "itemsBackedUp", stream))
    display.show(seen)
    async with background(display.run()):
        await clock.slept(lambda delays: len(delays) == 2)
        for _ in range(30):
            clock.advance(SECOND)
            await clock.slept()
    assert capsys.readouterr().err == told
    assert stream.getvalue().endswith("\r\x1b[K")


@pytest.mark.parametrize(
    ("stream", "term", "kind"),
    [
        (Terminal(), "xterm", Bar),
        (Terminal(), "dumb", Dots),
        (io.StringIO(), "xterm", Dots),
        (None, "xterm", Dots),
    ],
)
def test_a_bar_is_for_terminals(
    stream: Any, term: str, kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", term)
    assert isinstance(meter(FakeClock(NOW), "itemsBackedUp"), kind)
