"""Writes to an object that is held for long: bound to its version, tried again, never another's."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import msgspec
import pytest

from kedge.client.errors import ClientError
from kedge.client.patches import merge
from kedge.client.status import StatusOf
from kedge.kube.errors import Conflict, Forbidden, NotFound, ServiceUnavailable
from kedge.kube.kind import Kind, Object
from kedge.runtime.held import Held, Lost
from kedge.testing import FakeClock

pytestmark = pytest.mark.asyncio

KIND: Kind[Object] = Kind("velero.io", "v1", "Restore", "restores", dict)


class Api:
    """One object, with or without a status subresource; a test can have calls fail."""

    def __init__(self, *, has_subresource: bool = True) -> None:
        self.obj: Object = {
            "metadata": {"name": "r", "namespace": "n", "uid": "u", "resourceVersion": "1"},
            "spec": {},
            "status": {"phase": "New"},
        }
        self.has_subresource = has_subresource
        self.trouble: list[Callable[[], Exception | None]] = []
        self.calls: list[str] = []

    async def get(self, kind: Kind[Object], name: str, namespace: str | None = None) -> Object:
        self.calls.append("get")
        if not self.obj:
            raise NotFound("gone")
        return self._copy()

    async def patch(self, kind: Any, name: str, patch: Any, namespace: str | None = None) -> Object:
        self.calls.append("patch")
        return self._apply(patch, with_status=not self.has_subresource)

    async def write_status(self, kind: Any, over: StatusOf, change: Object) -> Object:
        self.calls.append("write_status")
        version = over.metadata.resource_version
        if self.obj and self.obj["metadata"]["resourceVersion"] == version:
            assert self.obj["status"] == over.status
        bound = {"metadata": {"resourceVersion": version}, "status": change}
        return self._apply(merge(bound), with_status=True)

    def _apply(self, patch: Any, *, with_status: bool) -> Object:
        trouble = self.trouble.pop(0) if self.trouble else None
        if trouble is not None and (exc := trouble()) is not None:
            raise exc
        if not self.obj:
            raise NotFound("gone")
        change = msgspec.json.decode(patch.body)
        meta = self.obj["metadata"]
        if change["metadata"]["resourceVersion"] != meta["resourceVersion"]:
            raise Conflict("another version")
        if with_status:
            self.obj["status"].update(change.get("status", {}))
        self.obj["spec"].update(change.get("spec", {}))
        meta["resourceVersion"] = str(int(meta["resourceVersion"]) + 1)
        return self._copy()

    def _copy(self) -> Object:
        copied: Object = msgspec.json.decode(msgspec.json.encode(self.obj))
        return copied

    def touch(self, **status: Any) -> None:
        """Have somebody else write."""
        self.obj["status"].update(status)
        self.obj["metadata"]["resourceVersion"] += "0"


class Hurried(FakeClock):
    """A clock on which time passes as fast as anybody sleeps."""

    async def sleep(self, seconds: float) -> None:
        self.advance(timedelta(seconds=seconds))


def held(api: Api, patience: float = 60) -> Held:
    return Held(api, Hurried(), KIND, api._copy(), patience)  # type: ignore[arg-type]


@pytest.mark.parametrize("has_subresource", [False, True])
async def test_status_and_change_are_written_once_each_at_most(*, has_subresource: bool) -> None:
    api = Api(has_subresource=has_subresource)
    one = held(api)
    await one.write({"phase": "InProgress"}, {"spec": {"a": "b"}})
    assert (one.phase, one.spec) == ("InProgress", {"a": "b"})
    assert api.calls == (["patch", "write_status"] if has_subresource else ["patch"])


async def test_an_object_without_a_status_is_new() -> None:
    api = Api()
    del api.obj["status"]
    assert held(api).phase == "New"


async def test_what_somebody_else_changed_is_no_reason_to_give_up() -> None:
    api = Api()
    one = held(api)
    api.touch(message="hello")
    await one.write({"phase": "InProgress"})
    assert one.status == {"phase": "InProgress", "message": "hello"}


async def test_another_phase_is() -> None:
    api = Api()
    one = held(api)
    api.touch(phase="Deleting")
    with pytest.raises(Lost, match="somebody else has set the phase to Deleting") as told:
        await one.write({"phase": "InProgress"})
    assert not told.value.is_gone


async def test_one_that_is_gone_is_lost() -> None:
    api = Api()
    one = held(api)
    api.obj = {}
    with pytest.raises(Lost, match="the restore was deleted") as told:
        await one.write({"phase": "InProgress"})
    assert told.value.is_gone


async def test_one_that_is_gone_after_a_conflict_is_lost() -> None:
    api = Api()
    one = held(api)

    def conflict() -> Exception:
        api.obj = {}
        return Conflict("another version")

    api.trouble = [conflict]
    with pytest.raises(Lost, match="the restore was deleted"):
        await one.write({"phase": "InProgress"})


async def test_another_object_of_the_same_name_is_not_written_to() -> None:
    api = Api()
    one = held(api)
    api.obj["metadata"]["uid"] = "other"
    api.touch()
    with pytest.raises(Lost, match="another has its name"):
        await one.write({"phase": "InProgress"})
    assert api.obj["status"]["phase"] == "New"


async def test_what_may_pass_is_tried_again() -> None:
    api = Api()
    api.trouble = [
        lambda: ServiceUnavailable("down"),
        lambda: ClientError("no answer"),
        lambda: Conflict("another version"),
    ]
    one = held(api)
    await one.write({"phase": "InProgress"})
    assert one.phase == "InProgress"
    assert api.calls.count("write_status") == 4


async def test_a_write_whose_answer_was_lost_is_not_made_twice() -> None:
    api = Api()
    one = held(api)

    def done_but_lost() -> Exception:
        api.touch(phase="InProgress")
        return ClientError("no answer")

    api.trouble = [done_but_lost]
    await one.write({"phase": "InProgress"})
    assert one.phase == "InProgress"
    assert api.calls == ["write_status", "get"]


async def test_a_refusal_is_raised_at_once() -> None:
    api = Api()
    api.trouble = [lambda: Forbidden("no")]
    with pytest.raises(Forbidden):
        await held(api).write({"phase": "InProgress"})
    assert api.calls == ["write_status"]


async def test_patience_has_an_end() -> None:
    api = Api()
    api.trouble = [lambda: ServiceUnavailable("down")] * 1000
    with pytest.raises(ServiceUnavailable):
        await held(api, patience=30).write({"phase": "InProgress"})
    assert len(api.trouble) > 900
