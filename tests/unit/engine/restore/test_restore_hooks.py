"""Commands in pods that came back: which run, when, and what becomes of the others."""

import asyncio
import math
from collections.abc import AsyncIterator, Sequence
from datetime import timedelta
from typing import Any, cast

import pytest

from kedge.aio.background import background
from kedge.api.velero.restore import (
    RestoreExecHook,
    RestoreHook,
    RestoreHookGroup,
    RestoreHooks,
)
from kedge.api.velero.selector import LabelSelector
from kedge.client.client import Client
from kedge.client.errors import DeadlineExceeded, Disconnected
from kedge.client.exec import Result
from kedge.engine.journal import Journal
from kedge.engine.restore.exec import HookRunner
from kedge.engine.restore.hooks import command_of, exec_hooks
from kedge.testing import FakeClock

Object = dict[str, Any]
PREFIX = "post.hook.restore.velero.io/"


def pod(name: str = "p", state: str = "", ready: bool = False, **annotations: str) -> Object:
    told = {f"{PREFIX}{key.replace('_', '-')}": each for key, each in annotations.items()}
    status: Object = {"phase": "Pending"}
    if state:
        status = {
            "phase": "Running",
            "containerStatuses": [
                {"name": each, "state": {state: {}}, "ready": ready} for each in ("one", "two")
            ],
        }
    return {
        "metadata": {"name": name, "namespace": "a", "annotations": told, "labels": {"x": "y"}},
        "spec": {"containers": [{"name": "one"}, {"name": "two"}]},
        "status": status,
    }


def group(*hooks: RestoreExecHook, **more: Any) -> RestoreHooks:
    posts = [RestoreHook(exec=each) for each in hooks]
    return RestoreHooks([RestoreHookGroup(name="g", post_hooks=posts, **more)])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", []),
        ("/bin/true", ["/bin/true"]),
        ("ls -l", ["ls -l"]),
        ('["ls", "-l"]', ["ls", "-l"]),
        ("[ -f x ]", ["[ -f x ]"]),
        ("[1]", ["[1]"]),
    ],
)
def test_commands_are_read(text: str, words: list[str]) -> None:
    assert command_of(text) == words


def test_annotations_tell_all() -> None:
    found = exec_hooks(
        pod(
            command='["a", "b"]',
            container="two",
            on_error="Fail",
            exec_timeout="5s",
            wait_timeout="1m",
            wait_for_ready="True",
        ),
        group(RestoreExecHook(command=["spec"])),
    )
    (hook,) = found.hooks
    assert (hook.name, hook.container, hook.command) == ("<from-annotation>", "two", ("a", "b"))
    assert (hook.fails, hook.exec_seconds, hook.wait_seconds) == (True, 5.0, 60.0)
    assert hook.for_ready
    assert found.warnings == ()


def test_annotations_have_defaults() -> None:
    (hook,) = exec_hooks(pod(command="a"), None).hooks
    assert (hook.container, hook.fails, hook.exec_seconds) == ("one", False, 30.0)
    assert hook.wait_seconds == math.inf
    assert not hook.for_ready


def test_what_can_not_be_read_is_warned_of() -> None:
    found = exec_hooks(
        pod(command="a", exec_timeout="soon", wait_timeout="5", wait_for_ready="yes"), None
    )
    assert found.warnings == (
        "Unable to parse wait for ready yes, ignoring",
        "Unable to parse exec timeout soon, ignoring",
        "Unable to parse wait timeout 5, ignoring",
    )
    assert found.hooks[0].exec_seconds == 30.0


def test_hooks_of_a_container_that_is_not_there_are_dropped() -> None:
    found = exec_hooks(pod(command="a", container="three"), None)
    assert found.hooks == ()
    assert found.warnings == (
        "Pod a/p does not have container three: discarding post-restore exec hooks",
    )


@pytest.mark.parametrize(
    ("scope", "fits"),
    [
        ({}, True),
        ({"included_namespaces": ["a"]}, True),
        ({"included_namespaces": ["b"]}, False),
        ({"excluded_namespaces": ["a"]}, False),
        ({"label_selector": LabelSelector(match_labels={"x": "y"})}, True),
        ({"label_selector": LabelSelector(match_labels={"x": "z"})}, False),
    ],
)
def test_hooks_of_the_restore_are_for_some_pods(scope: dict[str, Any], fits: bool) -> None:
    hooks = group(
        RestoreExecHook(command=["1"], on_error="Fail"),
        RestoreExecHook(command=["2"], container="two", wait_for_ready=True),
        **scope,
    )
    found = exec_hooks(pod(), hooks).hooks
    assert [each.container for each in found] == (["one", "two"] if fits else [])


class Cluster:
    """Pods that are as a test says, and commands that end as it says."""

    def __init__(self, *pods: Object) -> None:
        self.pods = {each["metadata"]["name"]: each for each in pods}
        self.ran: list[tuple[str, str, str]] = []
        self.ends: dict[str, Result | Exception] = {}
        self.lists = 0
        self.seconds: list[float | None] = []

    async def list(self, kind: Any, selection: Any) -> AsyncIterator[Object]:
        assert selection.labels == "velero.io/restore-name=r"
        self.lists += 1
        for each in list(self.pods.values()):
            yield each

    async def exec(self, name: str, namespace: str, command: Sequence[str], **how: Any) -> Result:
        self.ran.append((name, how["container"], command[0]))
        self.seconds.append(how["timeout_seconds"])
        end = self.ends.get(command[0], Result(0, b"out", b""))
        if isinstance(end, Exception):
            raise end
        return end


class Deck:
    """A runner by a clock that a test moves."""

    def __init__(self, cluster: Cluster, hooks: RestoreHooks | None = None) -> None:
        self.clock = FakeClock()
        self.journal = Journal(self.clock, plain=True)
        self.cluster = cluster
        client = cast("Client", cluster)
        self.runner = HookRunner(client, self.clock, self.journal, hooks, "r", 4 * 3600.0)

    async def run(self, steps: list[Object] | None = None) -> None:
        """Add all pods; after each look put one of the steps in their place; run to the end."""
        for each in list(self.cluster.pods.values()):
            self.runner.add(each)
        self.runner.finish()
        async with asyncio.timeout(30):
            async with asyncio.TaskGroup() as tasks:
                done = tasks.create_task(self.runner.run())
                for step in steps or []:
                    await self.clock.slept()
                    self.cluster.pods[step["metadata"]["name"]] = step
                    self.clock.advance(timedelta(seconds=1))
                while not done.done():
                    if self.clock.delays:
                        self.clock.advance(timedelta(seconds=1))
                    await asyncio.wait([done], timeout=0.001)

    @property
    def errors(self) -> list[str]:
        """What went wrong in the namespace of the pods."""
        found: list[str] = self.journal.results()["errors"].get("namespaces", {}).get("a", [])
        return found


@pytest.mark.asyncio
async def test_command_runs_when_its_container_does() -> None:
    waiting, running = pod(command="a"), pod(command="a", state="running")
    deck = Deck(Cluster(waiting))
    await deck.run([waiting, waiting, running])
    assert deck.cluster.ran == [("p", "one", "a")]
    assert deck.cluster.lists >= 3
    assert (deck.runner.tally.attempted, deck.runner.tally.failed) == (1, 0)
    assert deck.cluster.seconds == [30.0]
    assert deck.errors == []


@pytest.mark.asyncio
async def test_command_waits_for_a_container_to_be_ready() -> None:
    told: dict[str, Any] = {"command": "a", "wait_for_ready": "true"}
    deck = Deck(Cluster(pod(**told)))
    await deck.run([pod(state="running", **told)] * 3 + [pod(state="running", ready=True, **told)])
    assert deck.cluster.ran == [("p", "one", "a")]
    assert deck.cluster.lists >= 5


@pytest.mark.asyncio
async def test_no_pods_with_commands_ask_for_nothing() -> None:
    deck = Deck(Cluster(pod()))
    await deck.run()
    assert deck.cluster.lists == 0


@pytest.mark.asyncio
async def test_commands_of_a_container_run_in_order() -> None:
    hooks = group(*(RestoreExecHook(command=[each]) for each in "abc"))
    deck = Deck(Cluster(pod(state="running")), hooks)
    await deck.run()
    assert [each[2] for each in deck.cluster.ran] == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("end", "why"),
    [
        (Result(3, b"", b"oh"), "failed to execute, err: command terminated with exit code 3"),
        (DeadlineExceeded("x"), "failed to execute, err: timed out after 30s"),
        (Disconnected("it broke"), "failed to execute, err: it broke"),
    ],
)
@pytest.mark.asyncio
async def test_command_that_fails_is_told_and_the_next_runs(
    end: Result | Exception, why: str
) -> None:
    hooks = group(RestoreExecHook(command=["a"]), RestoreExecHook(command=["b"]))
    cluster = Cluster(pod(state="running"))
    cluster.ends["a"] = end
    deck = Deck(cluster, hooks)
    await deck.run()
    assert [each[2] for each in cluster.ran] == ["a", "b"]
    assert deck.errors == [f"hook g in container one in pod a/p {why}"]
    assert (deck.runner.tally.attempted, deck.runner.tally.failed) == (2, 1)


@pytest.mark.asyncio
async def test_command_that_must_not_fail_stops_all_others() -> None:
    hooks = group(RestoreExecHook(command=["a"], on_error="Fail"), RestoreExecHook(command=["b"]))
    cluster = Cluster(pod(state="running"), pod("q"))
    cluster.ends["a"] = Result(1, b"", b"")
    deck = Deck(cluster, hooks)
    await deck.run()
    deck.runner.add(pod("late"))
    assert cluster.ran == [("p", "one", "a")]
    assert (deck.runner.tally.attempted, deck.runner.tally.failed) == (6, 6)
    stopped = "not executed: a hook failed whose onError is Fail"
    assert sum(stopped in each for each in deck.errors) == 5


@pytest.mark.asyncio
async def test_container_that_is_not_up_in_time_is_told() -> None:
    waiting = pod(command="a", wait_timeout="3s")
    deck = Deck(Cluster(waiting))
    await deck.run([waiting] * 3)
    assert deck.cluster.ran == []
    assert deck.errors == [
        "hook <from-annotation> in container one in pod a/p "
        "not executed: its container was not up within 3s"
    ]


@pytest.mark.asyncio
async def test_pod_that_ends_first_is_told() -> None:
    ended = pod(command="a")
    ended["status"] = {"phase": "Failed"}
    deck = Deck(Cluster(pod(command="a")))
    await deck.run([ended])
    assert deck.errors == [
        "hook <from-annotation> in container one in pod a/p not executed: "
        "pod entered phase Failed before some post-restore exec hooks ran"
    ]


@pytest.mark.asyncio
async def test_pod_that_is_deleted_is_told() -> None:
    deck = Deck(Cluster(pod(command="a")))
    deck.runner.add(pod("gone", command="a"))
    deck.cluster.pods.clear()
    deck.runner.finish()
    async with asyncio.timeout(30), background(deck.runner.run()):
        await deck.clock.slept()
    assert "deleted before all hooks were executed" in deck.errors[0]
    assert deck.runner.tally.failed == 1
