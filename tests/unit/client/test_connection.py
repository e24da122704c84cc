"""Who hears a connection, and when."""

import asyncio
from math import inf
from typing import Any

import pytest

from kedge.client import Disconnected, tls
from kedge.client.connection import TICK_SECONDS, Connection
from tests.integration.eventually import eventually

pytestmark = pytest.mark.asyncio


class Wire(asyncio.Transport):
    """Takes note of what is done with it."""

    def __init__(self) -> None:
        super().__init__()
        self.sent = b""
        self.is_aborted = self.is_paused = False
        self.heard_again = asyncio.Event()

    def is_closing(self) -> bool:
        return self.is_aborted

    def write(self, data: Any) -> None:
        self.sent += data

    def abort(self) -> None:
        self.is_aborted = True

    def pause_reading(self) -> None:
        self.is_paused = True

    def resume_reading(self) -> None:
        self.is_paused = False
        self.heard_again.set()


class Ear:
    """Hears all, and wants to rest for so long."""

    def __init__(self, rest: float = 0.0) -> None:
        self.rest = rest
        self.heard = b""
        self.ends: list[BaseException | None] = []

    def hear(self, data: bytes) -> float:
        self.heard += data
        return self.rest

    def end(self, why: BaseException | None) -> None:
        self.ends.append(why)


def made(lost: list[Connection] | None = None) -> tuple[Connection, Wire]:
    connection, wire = Connection(None, ([] if lost is None else lost).append), Wire()
    connection.connection_made(wire)
    return connection, wire


async def test_what_is_said_is_sent_and_the_answer_is_heard() -> None:
    connection, wire = made()
    ear = Ear()
    connection.say(b"question", ear)
    connection.data_received(b"answer")
    assert (wire.sent, ear.heard, wire.is_paused) == (b"question", b"answer", False)


async def test_a_server_that_speaks_though_nobody_has_asked_is_left() -> None:
    connection, wire = made()
    connection.say(b"question", Ear())
    connection.leave()
    assert connection.is_open
    connection.data_received(b"and another thing")
    assert wire.is_aborted
    assert not connection.is_open


@pytest.mark.parametrize("why", [None, OSError("cut")])
async def test_the_end_is_told_to_who_listens_and_to_who_keeps_it(why: Exception | None) -> None:
    lost: list[Connection] = []
    connection, _ = made(lost)
    ear = Ear()
    connection.say(b"question", ear)
    connection.connection_lost(why)
    assert (ear.ends, lost) == ([why], [connection])
    with pytest.raises(Disconnected):
        connection.say(b"another", ear)


async def test_who_rests_hears_again_by_itself() -> None:
    connection, wire = made()
    connection.say(b"question", Ear(rest=TICK_SECONDS / 2))
    connection.data_received(b"a")
    assert wire.is_paused
    await wire.heard_again.wait()
    assert not wire.is_paused


class Sealed(tls.Transport):
    """Has something to be looked at, so often."""

    def __init__(self, connection: Connection, times: int) -> None:
        asyncio.Transport.__init__(self)
        self.connection, self.times = connection, times
        self.done: list[str] = []
        self.heard_again = asyncio.Event()

    def is_closing(self) -> bool:
        return False

    def write(self, data: Any) -> None: ...

    def look(self) -> None:
        self.done.append("look")
        self.times -= 1
        if self.times >= 0:
            self.connection.data_received(b"a")

    def pause_reading(self) -> None: ...

    def resume_reading(self) -> None:
        self.done.append("listen")
        self.heard_again.set()


async def test_over_tls_who_rests_looks_and_listens_when_there_is_nothing() -> None:
    connection = Connection(None, lambda _: None)
    sealed = Sealed(connection, 2)
    connection.connection_made(sealed)
    connection.say(b"question", Ear(rest=TICK_SECONDS / 2))
    connection.rest()
    await sealed.heard_again.wait()
    assert sealed.done == ["look", "look", "look", "listen"]


async def test_over_tls_who_looks_and_rests_for_ever_does_not_listen() -> None:
    connection = Connection(None, lambda _: None)
    sealed, ear = Sealed(connection, 1), Ear(rest=inf)
    connection.connection_made(sealed)
    connection.say(b"question", ear)
    connection.rest()
    await eventually(lambda: ear.heard == b"a")
    assert sealed.done == ["look"]
    connection.listen()
    assert sealed.done == ["look", "listen"]


async def test_connections_that_rest_wake_up_together() -> None:
    some = [made() for _ in range(3)]
    for number, (connection, _) in enumerate(some):
        connection.rest(TICK_SECONDS * (3 - number / 1000))
    await some[0][1].heard_again.wait()
    assert not any(wire.is_paused for _, wire in some)


async def test_who_rests_for_ever_hears_when_it_wants_to() -> None:
    connection, wire = made()
    connection.say(b"question", Ear(rest=inf))
    connection.data_received(b"a")
    assert wire.is_paused
    connection.listen()
    assert not wire.is_paused


async def test_a_connection_that_is_left_does_not_rest() -> None:
    connection, wire = made()
    connection.say(b"question", Ear())
    connection.rest()
    connection.leave()
    assert not wire.is_paused


async def test_a_connection_that_is_gone_rests_in_peace() -> None:
    connection, wire = made()
    connection.rest()
    connection.connection_lost(None)
    connection.rest()
    connection.listen()
    connection.close()
    assert wire.is_paused
    assert not wire.is_aborted
