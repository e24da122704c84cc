"""Writes to the Backup that is being worked on, whatever becomes of their answers."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from kedge.client.errors import Disconnected
from kedge.client.patches import Patch, merge
from kedge.client.status import StatusOf
from kedge.controllers.backup.held import BACKUPS, Held, Lost
from kedge.kube.errors import Conflict, Forbidden, NotFound, ServiceUnavailable
from kedge.kube.kind import Kind, Object

pytestmark = pytest.mark.asyncio

Act = Callable[["Server"], None]


class Server:
    """Keeps one Backup, and fails the next writes as it is told."""

    def __init__(self, *, has_subresource: bool = True) -> None:
        self.has_subresource = has_subresource
        self.version = 1
        self.uid = "u1"
        self.status: Object = {"phase": "InProgress"}
        self.labels: Object = {}
        self.before: list[Exception | Act] = []
        self.after: list[Exception] = []
        self.writes: list[str] = []

    @property
    def obj(self) -> Object:
        meta = {"name": "b", "namespace": "velero", "uid": self.uid, "labels": dict(self.labels)}
        return {
            "metadata": {**meta, "resourceVersion": str(self.version)},
            "status": dict(self.status),
        }

    async def get(self, kind: Kind[Any], name: str, namespace: str) -> Object:
        return self.obj

    async def patch(self, kind: Kind[Any], name: str, change: Patch, namespace: str) -> Object:
        return self._write("object", change)

    async def write_status(self, kind: Kind[Any], over: StatusOf, change: Object) -> Object:
        bound = {"metadata": {"resourceVersion": over.metadata.resource_version}, "status": change}
        return self._write("status", merge(bound))

    def _write(self, where: str, patch: Patch) -> Object:
        self.writes.append(where)
        if self.before:
            fault = self.before.pop(0)
            if isinstance(fault, Exception):
                raise fault
            fault(self)
        change = msgspec.json.decode(patch.body)
        if change["metadata"]["resourceVersion"] != str(self.version):
            raise Conflict("it was changed")
        self.version += 1
        if where == "status" or not self.has_subresource:
            self.status |= change.get("status", {})
        if where == "object":
            self.labels |= change["metadata"].get("labels", {})
        if self.after:
            raise self.after.pop(0)
        return self.obj


class Still:
    """A clock that stands: whoever sleeps wakes at once."""

    def __init__(self) -> None:
        self.elapsed = 0.0

    def monotonic(self) -> float:
        return self.elapsed

    async def sleep(self, seconds: float) -> None:
        self.elapsed += seconds


def held(server: Server, patience: float = 10.0) -> Held:
    return Held(server, Still(), BACKUPS, server.obj, patience)  # type: ignore[arg-type]


def relabel(server: Server) -> None:
    server.version += 1
    server.labels["mine"] = "yes"


def take_over(server: Server) -> None:
    server.version += 1
    server.status = {"phase": "Failed"}


def come_to_the_same(server: Server) -> None:
    server.version += 1
    server.status = {"phase": "Finalizing", "errors": 7}


def replace(server: Server) -> None:
    server.version += 1
    server.uid = "u2"


FINAL = {"phase": "Finalizing", "errors": 0}


@pytest.mark.parametrize(("has_subresource", "writes"), [(True, 2), (False, 1)])
async def test_a_status_and_a_change_are_as_few_writes_as_can_be(
    has_subresource: bool, writes: int
) -> None:
    server = Server(has_subresource=has_subresource)
    one = held(server)
    await one.write(FINAL, {"metadata": {"labels": {"a": "b"}}})
    assert (one.phase, server.labels, len(server.writes)) == ("Finalizing", {"a": "b"}, writes)


async def test_what_somebody_else_wrote_beside_it_is_kept() -> None:
    server = Server()
    server.before = [relabel]
    one = held(server)
    await one.write(FINAL)
    assert one.phase == server.status["phase"] == "Finalizing"
    assert one.obj["metadata"]["labels"] == {"mine": "yes"}


@pytest.mark.parametrize("fault", [Disconnected("lost"), ServiceUnavailable("down")])
async def test_a_write_that_failed_is_done_again(fault: Exception) -> None:
    server = Server()
    server.before = [fault, fault, fault]
    await held(server).write(FINAL)
    assert server.status["phase"] == "Finalizing"


@pytest.mark.parametrize("fault", [Disconnected("lost"), ServiceUnavailable("down"), Conflict("")])
async def test_a_write_whose_answer_is_lost_is_not_done_twice(fault: Exception) -> None:
    server = Server()
    server.after = [fault]
    await held(server).write(FINAL)
    assert server.writes == ["status"]


@pytest.mark.parametrize(
    ("act", "is_gone"), [(take_over, False), (come_to_the_same, False), (replace, True)]
)
async def test_one_that_is_another_s_is_lost(act: Act, is_gone: bool) -> None:
    server = Server()
    server.before = [act]
    with pytest.raises(Lost) as caught:
        await held(server).write(FINAL)
    assert caught.value.is_gone == is_gone
    assert server.writes == ["status"]


async def test_one_that_is_gone_is_lost() -> None:
    server = Server()
    server.before = [NotFound("no such backup")]
    with pytest.raises(Lost) as caught:
        await held(server).write(FINAL)
    assert caught.value.is_gone


async def test_a_refusal_is_raised_at_once() -> None:
    server = Server()
    server.before = [Forbidden("no")]
    with pytest.raises(Forbidden):
        await held(server).write(FINAL)
    assert server.writes == ["status"]


async def test_patience_has_an_end() -> None:
    server = Server()
    server.before = [Disconnected("lost")] * 1000
    with pytest.raises(Disconnected):
        await held(server, 60).write(FINAL)
    assert 5 < len(server.writes) < 100
