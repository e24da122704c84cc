import zlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import msgspec
import pytest

from kedge.api.velero.backup import BackupSpec
from kedge.client.errors import DeadlineExceeded, Disconnected
from kedge.client.exec import Result
from kedge.engine.backup.hooks import (
    POST,
    PRE,
    Hooks,
    annotated_hook,
    hook_groups,
    hooks_of,
    parse_command,
)
from kedge.engine.backup.relations import POD, Pod
from kedge.engine.journal import Journal
from kedge.kube.errors import NotFound
from kedge.kube.kind import Object
from kedge.testing import FakeClock
from tests.unit.engine.backup.served import SERVED


@dataclass
class FakeExec:
    """Remembers commands, and answers as the test says."""

    answers: dict[str, Result | Exception] = field(default_factory=dict)
    calls: list[str] = field(default_factory=list)
    timeouts: list[float | None] = field(default_factory=list)

    async def exec(
        self,
        name: str,
        namespace: str,
        command: Sequence[str],
        *,
        container: str | None,
        timeout_seconds: float | None,
    ) -> Result:
        self.calls.append(f"{namespace}/{name}/{container}: {' '.join(command)}")
        self.timeouts.append(timeout_seconds)
        answer = self.answers.get(command[0], Result(0, b"", b""))
        if isinstance(answer, Exception):
            raise answer
        return answer


def pod(annotations: dict[str, str] | None = None, phase: str = "Running", **labels: str) -> Pod:
    return POD.decode(
        msgspec.json.encode(
            {
                "metadata": {
                    "name": "p",
                    "namespace": "db",
                    "annotations": annotations,
                    "labels": labels,
                },
                "spec": {
                    "containers": [{"name": "main"}, {"name": "other"}],
                    "initContainers": [
                        {"name": "setup"},
                        {"name": "sidecar", "restartPolicy": "Always"},
                    ],
                },
                "status": {"phase": phase},
            }
        )
    )


def hook(*command: str, **fields: str) -> Object:
    return {"exec": {"command": list(command), **fields}}


def hooks(*groups: Object, answers: dict[str, Result | Exception] | None = None) -> Hooks:
    spec = msgspec.convert({"hooks": {"resources": list(groups)}}, BackupSpec)
    return Hooks(FakeExec(answers or {}), hook_groups(spec, SERVED), Journal(FakeClock()))


def calls(of: Hooks) -> list[str]:
    assert isinstance(of.exec, FakeExec)
    return of.exec.calls


FAILED: dict[str, Result | Exception] = {"bad": Result(3, b"", b" no\n space ")}


@pytest.mark.asyncio
async def test_hooks_run_in_order_in_the_first_container() -> None:
    one = hooks({"name": "g", "pre": [hook("a", "1"), hook("b")], "post": [hook("c")]})
    assert await one.run(pod(), PRE)
    assert await one.run(pod(), POST)
    assert calls(one) == ["db/p/main: a 1", "db/p/main: b", "db/p/main: c"]
    assert (one.attempted, one.failed) == (3, 0)


@pytest.mark.parametrize(
    ("container", "problem"),
    [
        ("other", ""),
        ("sidecar", ""),
        ("setup", 'no such container: "setup"'),
        ("nobody", 'no such container: "nobody"'),
    ],
)
@pytest.mark.asyncio
async def test_the_container_must_be_there(container: str, problem: str) -> None:
    one = hooks({"name": "g", "pre": [hook("a", container=container)]})
    assert await one.run(pod(), PRE) is not bool(problem)
    assert calls(one) == ([] if problem else [f"db/p/{container}: a"])
    assert (problem in str(one.journal.results()["errors"])) is True
    assert one.failed == int(bool(problem))


@pytest.mark.asyncio
async def test_a_pod_without_containers_can_not_run_anything() -> None:
    one = hooks({"name": "g", "pre": [hook("a")]})
    bare = POD.decode(b'{"metadata":{"name":"p","namespace":"db"}}')
    assert not await one.run(bare, PRE)
    assert "need at least 1 container" in str(one.journal.results())


@pytest.mark.parametrize(
    ("on_error", "goes_on"), [("Fail", False), ("Continue", True), ("", False)]
)
@pytest.mark.asyncio
async def test_a_failure_stops_the_rest_unless_it_may_go_on(on_error: str, goes_on: bool) -> None:
    groups = [
        {"name": "g", "pre": [hook("bad", onError=on_error), hook("b")]},
        {"name": "h", "pre": [hook("c")]},
    ]
    one = hooks(*groups, answers=FAILED)
    assert await one.run(pod(), PRE) is goes_on
    assert len(calls(one)) == (3 if goes_on else 1)
    assert (one.attempted, one.failed) == (3, 1)
    assert one.journal.errors == 1
    assert one.journal.results()["errors"]["namespaces"]["db"] == [
        " resource: /pods name: /p message: /Error executing hook "
        "error: /command terminated with exit code 3: no space"
    ]


@pytest.mark.parametrize(
    ("failure", "text"),
    [
        (DeadlineExceeded("x"), "timed out after 1m30s"),
        (Disconnected("connection lost"), "connection lost"),
        (NotFound('pods "p" not found'), 'pods "p" not found'),
    ],
)
@pytest.mark.asyncio
async def test_what_keeps_a_command_from_its_end_is_a_failure(
    failure: Exception, text: str
) -> None:
    one = hooks({"name": "g", "pre": [hook("a", timeout="90s")]}, answers={"a": failure})
    assert not await one.run(pod(), PRE)
    assert text in str(one.journal.results()["errors"])


@pytest.mark.parametrize(
    ("text", "seconds"), [("", 30), ("0s", 30), ("2m", 120), ("500ms", 0.5), ("-1s", 30)]
)
@pytest.mark.asyncio
async def test_timeouts(text: str, seconds: float) -> None:
    one = hooks({"name": "g", "pre": [hook("a", timeout=text)]})
    await one.run(pod(), PRE)
    assert isinstance(one.exec, FakeExec)
    assert one.exec.timeouts == [seconds]


@pytest.mark.parametrize("phase", ["Succeeded", "Failed"])
@pytest.mark.asyncio
async def test_a_pod_that_has_ended_runs_nothing_and_is_well(phase: str) -> None:
    one = hooks({"name": "g", "pre": [hook("a")]})
    assert await one.run(pod(phase=phase), PRE)
    assert calls(one) == []
    assert (one.attempted, one.failed) == (1, 0)


@pytest.mark.asyncio
async def test_a_hook_without_a_command_is_a_failure() -> None:
    one = hooks({"name": "g", "pre": [{"exec": {"command": []}}]})
    assert not await one.run(pod(), PRE)
    assert "command is required" in str(one.journal.results()["errors"])


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        ({}, True),
        ({"includedNamespaces": ["db"]}, True),
        ({"includedNamespaces": ["d*"]}, True),
        ({"includedNamespaces": ["web"]}, False),
        ({"excludedNamespaces": ["db"]}, False),
        ({"includedResources": ["po"]}, True),
        ({"includedResources": ["pods"]}, True),
        ({"includedResources": ["deploy"]}, False),
        ({"excludedResources": ["pod"]}, False),
        ({"labelSelector": {"matchLabels": {"app": "db"}}}, True),
        ({"labelSelector": {"matchLabels": {"app": "web"}}}, False),
        ({"labelSelector": {}}, True),
    ],
)
def test_hooks_are_for_the_pods_that_are_selected(scope: Object, expected: bool) -> None:
    one = hooks({"name": "g", "pre": [hook("a")], **scope})
    assert bool(hooks_of(pod(app="db"), one.groups, PRE)) is expected
    assert one.has_any(pod(app="db")) is expected


@pytest.mark.asyncio
async def test_a_pod_that_names_its_own_hook_gets_no_other() -> None:
    one = hooks({"name": "g", "pre": [hook("spec")], "post": [hook("spec-post")]})
    own = pod({"pre.hook.backup.velero.io/command": '["own", "x"]'})
    await one.run(own, PRE)
    await one.run(own, POST)
    assert calls(one) == ["db/p/main: own x", "db/p/main: spec-post"]


def test_annotations_are_read_with_all_their_parts() -> None:
    found = annotated_hook(
        {
            "post.hook.backup.velero.io/command": "sync",
            "post.hook.backup.velero.io/container": "other",
            "post.hook.backup.velero.io/on-error": "Continue",
            "post.hook.backup.velero.io/timeout": "3m",
        },
        POST,
    )
    assert found is not None
    assert (found.command, found.container, found.stops) == (("sync",), "other", False)
    assert found.timeout.total_seconds() == 180
    assert annotated_hook({}, PRE) is None
    assert annotated_hook({"pre.hook.backup.velero.io/command": ""}, PRE) is None


def test_the_older_form_of_annotations_is_that_of_pre_hooks() -> None:
    older = {"hook.backup.velero.io/command": "old", "hook.backup.velero.io/container": "other"}
    found = annotated_hook(older, PRE)
    assert found is not None
    assert (found.command, found.container) == (("old",), "other")
    assert annotated_hook(older, POST) is None
    newer = annotated_hook({**older, "pre.hook.backup.velero.io/command": "new"}, PRE)
    assert newer is not None
    assert (newer.command, newer.container) == (("new",), "")


@pytest.mark.parametrize(
    ("value", "stops"), [("Fail", True), ("Continue", False), ("", True), ("x", True)]
)
def test_an_annotated_hook_stops_unless_it_says_continue(value: str, stops: bool) -> None:
    prefix = "pre.hook.backup.velero.io/"
    found = annotated_hook({f"{prefix}command": "a", f"{prefix}on-error": value}, PRE)
    assert found is not None
    assert found.stops is stops


@pytest.mark.asyncio
async def test_a_timeout_that_is_none_is_warned_of_and_the_default_taken() -> None:
    one = hooks()
    prefix = "pre.hook.backup.velero.io/"
    await one.run(pod({f"{prefix}command": "a", f"{prefix}timeout": "soon"}), PRE)
    assert "Unable to parse provided timeout soon, using default" in str(one.journal.results())
    assert isinstance(one.exec, FakeExec)
    assert one.exec.timeouts == [30]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sync", ("sync",)),
        ("a b", ("a b",)),
        ('["a","b c"]', ("a", "b c")),
        ("[not json", ("[not json",)),
        ("[1,2]", ("[1,2]",)),
    ],
)
def test_commands(text: str, expected: tuple[str, ...]) -> None:
    assert parse_command(text) == expected


@pytest.mark.asyncio
async def test_the_command_is_not_told_to_the_log() -> None:
    one = hooks({"name": "g", "pre": [hook("bad", "--password=hunter2")]}, answers=FAILED)
    await one.run(pod(), PRE)
    assert b"hunter2" not in zlib.decompress(one.journal.log(), 31)
