"""Backups that meet trouble: what is told, and what is saved all the same."""

import asyncio
from collections.abc import Callable
from random import randbytes

import msgspec
import pytest

from kedge.aio.clock import SystemClock
from kedge.api.velero.backup import BackupSpec
from kedge.client.requests import Request
from kedge.client.responses import Response
from kedge.engine.backup.run import BackupRun, Progress, back_up
from kedge.engine.journal import Journal
from kedge.kube.errors import ApiError
from kedge.kube.kind import Object
from tests.integration.engine.backing import (
    ACCOUNTS,
    CONFIGS,
    PODS,
    PRIORITIES,
    Harbour,
    harbour,
    pod,
)


async def filled(port: Harbour, count: int = 3) -> None:
    await port.namespace("app")
    for number in range(count):
        await port.make(CONFIGS, f"c{number}", "app")


def failing(path: str, code: int, reason: str) -> Callable[[Request], Response | None]:
    status = {"kind": "Status", "status": "Failure", "reason": reason, "message": "so it is"}

    def change(request: Request) -> Response | None:
        if request.path != path:
            return None
        return Response(code, msgspec.json.encode({**status, "code": code}))

    return change


@pytest.mark.asyncio
async def test_a_list_that_fails_is_an_error_and_the_rest_is_saved() -> None:
    async with harbour() as port:
        await filled(port)
        port.kube.change = failing("/api/v1/secrets", 403, "Forbidden")
        made = await port.back_up()
        assert "configmaps/app/c0" in made.items
        assert made.journal.results()["errors"] == {
            "velero": [" resource: /secrets message: /Error listing items error: /so it is"]
        }
        port.kube.change = failing("/api/v1/namespaces/app/secrets", 500, "InternalError")
        made = await port.back_up(includedNamespaces=["app"])
        assert made.journal.results()["errors"] == {
            "namespaces": {
                "app": [" resource: /secrets message: /Error listing items error: /so it is"]
            }
        }


@pytest.mark.asyncio
async def test_a_resource_that_went_away_meanwhile_is_a_warning() -> None:
    async with harbour() as port:
        await filled(port)
        port.kube.change = failing("/api/v1/secrets", 404, "NotFound")
        made = await port.back_up()
        assert "resource: /secrets message: /The resource is no longer there" in made.warnings
        assert made.journal.errors == 0


@pytest.mark.asyncio
async def test_a_list_that_the_server_forgot_is_read_again_without_doubles() -> None:
    async with harbour() as port:
        await filled(port, 30)
        tokens: list[str] = []

        def forget(request: Request) -> Response | None:
            token = request.query.get("continue", "")
            if request.path != "/api/v1/configmaps" or not token:
                return None
            tokens.append(token)
            if len(tokens) != 2:
                return None
            status = {"kind": "Status", "reason": "Expired", "code": 410, "message": "too old"}
            return Response(410, msgspec.json.encode(status))

        port.kube.change = forget
        made = await port.back_up(page_size=10)
        assert len(tokens) > 2
        assert made.journal.errors == 0
        assert {name for name in made.items if name.startswith("configmaps/app")} == {
            f"configmaps/app/c{number}" for number in range(30)
        }
        assert len(made.names) == len(set(made.names))


@pytest.mark.parametrize(
    ("group", "spec", "level"),
    [
        ("down.example.org", {}, "warning"),
        ("down.example.org", {"includedResources": ["configmaps"]}, "info"),
        ("down.example.org", {"includedResources": ["boats.down.example.org"]}, "error"),
        ("down.example.org", {"includedNamespaceScopedResources": ["*"]}, "warning"),
        ("down.example.org", {"includedResources": ["boats", "configmaps"]}, "error"),
    ],
)
@pytest.mark.asyncio
async def test_a_group_that_can_not_be_found_out_is_told(
    group: str, spec: Object, level: str
) -> None:
    async with harbour() as port:
        await filled(port)
        asked = Request("GET", "/apis", accept=_ACCEPT)
        body = msgspec.json.decode((await port.kube.send(asked)).body)
        stale = {"version": "v1", "freshness": "Stale", "resources": []}
        body["items"].append({"metadata": {"name": group}, "versions": [stale]})
        data = msgspec.json.encode(body)
        port.kube.change = lambda one: Response(200, data) if one.path == "/apis" else None
        made = await port.back_up(**spec)
        text = f"Failed to discover the resources of {group}/v1, so none of them is in the backup"
        assert text in made.log
        assert (text in made.errors) is (level == "error")
        assert (text in made.warnings) is (level == "warning")
        assert "configmaps/app/c0" in made.items or "boats" in str(spec)


_ACCEPT = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"


@pytest.mark.parametrize("path", ["/apis", "/api", "/api/v1/namespaces"])
@pytest.mark.asyncio
async def test_a_server_that_does_not_say_what_it_has_fails_the_backup(path: str) -> None:
    async with harbour() as port:
        port.kube.change = failing(path, 403, "Forbidden")
        with pytest.raises(ApiError, match="so it is"):
            await port.back_up()


@pytest.mark.asyncio
async def test_what_is_needed_and_can_not_be_had_is_an_error_of_its_own() -> None:
    async with harbour() as port:
        await port.namespace("app")
        await port.make(PRIORITIES, "high", value=5)
        spec = pod("data", priorityClassName="high")
        await port.make(PODS, "p", "app", spec=spec, labels={"a": "b"})
        path = "/apis/scheduling.k8s.io/v1/priorityclasses/high"
        port.kube.change = failing(path, 403, "Forbidden")
        made = await port.back_up(labelSelector={"matchLabels": {"a": "b"}})
        assert made.journal.results()["errors"] == {
            "cluster": [
                " resource: /priorityclasses.scheduling.k8s.io name: /high "
                "message: /Error getting additional item error: /so it is"
            ]
        }
        assert "pods/app/p" in made.items
        body = b'{"metadata":{"name":5}}'
        port.kube.change = lambda one: Response(200, body) if one.path == path else None
        made = await port.back_up(labelSelector={"matchLabels": {"a": "b"}})
        assert "Error backing up item" in made.errors


@pytest.mark.parametrize("answer", [b"", b'{"items":[{"metadata":{"name":"x"},"subjects":5}]}'])
@pytest.mark.asyncio
async def test_bindings_that_can_not_be_read_are_an_error(answer: bytes) -> None:
    async with harbour() as port:
        await port.namespace("app")
        await port.make(ACCOUNTS, "robot", "app")
        path = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"
        port.kube.change = lambda one: (
            Response(200 if answer else 403, answer) if one.path == path else None
        )
        made = await port.back_up(includedNamespaces=["app"])
        assert "Error listing the bindings of service accounts" in made.errors
        assert "serviceaccounts/app/robot" in made.items
        made = await port.back_up(includedNamespaces=["app"], excludedClusterScopedResources=["*"])
        assert made.journal.errors == 0
        made = await port.back_up(includedResources=["serviceaccounts"])
        assert made.journal.errors == 0


@pytest.mark.asyncio
async def test_a_namespace_that_was_made_while_the_backup_ran_is_in_it() -> None:
    async with harbour() as port:
        await filled(port)
        asked: list[str] = []

        def change(request: Request) -> Response | None:
            if request.path != "/api/v1/namespaces":
                return None
            asked.append(request.path)
            return Response(200, b'{"items":[]}') if len(asked) == 1 else None

        port.kube.change = change
        made = await port.back_up()
        assert {"namespaces/app", "configmaps/app/c0"} <= set(made.items)
        assert len(asked) == 2


@pytest.mark.asyncio
async def test_namespaces_that_can_not_be_read_at_the_end_are_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("kedge.engine.backup.existing.KEPT_BYTES", 0)
    async with harbour() as port:
        await filled(port)
        asked: list[str] = []
        bodies = [
            b"no",
            b'{"items":[{"metadata":{"name":5}},{"metadata":{"name":"x"},"status":5}]}',
        ]

        def change(request: Request) -> Response | None:
            if request.path != "/api/v1/namespaces":
                return None
            asked.append(request.path)
            if len(asked) % 2:
                return None
            return Response(403 if len(asked) == 2 else 200, bodies[len(asked) // 2 - 1])

        port.kube.change = change
        made = await port.back_up()
        assert "resource: /namespaces message: /Error listing items" in made.errors
        assert "configmaps/app/c0" in made.items
        made = await port.back_up()
        assert made.journal.errors == 1
        assert "resource: /namespaces" in made.errors


@pytest.mark.asyncio
async def test_ordered_objects_that_can_not_be_read_are_errors() -> None:
    async with harbour() as port:
        await filled(port)
        path = "/api/v1/namespaces/app/configmaps/c1"
        port.kube.change = failing(path, 500, "InternalError")
        made = await port.back_up(orderedResources={"cm": "app/c2,app/c1"})
        assert "name: /c1 message: /Error getting item error: /so it is" in made.errors
        assert {f"configmaps/app/c{number}" for number in range(3)} <= set(made.items)


@pytest.mark.asyncio
async def test_a_pod_that_is_no_pod_is_an_error() -> None:
    async with harbour() as port:
        body = b'{"items":[{"metadata":{"name":"p","namespace":"app"},"spec":5}]}'
        port.kube.change = lambda one: Response(200, body) if one.path == "/api/v1/pods" else None
        made = await port.back_up()
        assert "resource: /pods name: /p message: /Error backing up item" in made.errors
        assert "pods" not in made.resources


class Full(Exception):
    """No room is left."""


async def run_into(port: Harbour, sink: Callable[[bytes], object], progress: Progress) -> None:
    clock = SystemClock()

    async def take(chunk: bytes) -> None:
        found = sink(chunk)
        if asyncio.isfuture(found):
            await found

    run = BackupRun(name="b", namespace="velero", spec=BackupSpec(), page_size=5)
    await back_up(port.kube, run, Journal(clock), take, progress, clock)


@pytest.mark.asyncio
async def test_a_sink_that_fails_fails_the_backup() -> None:
    async with harbour() as port:
        await port.namespace("app")
        for number in range(4):
            await port.make(CONFIGS, f"c{number}", "app", data={"k": randbytes(50_000).hex()})

        def refuse(chunk: bytes) -> None:
            raise Full

        progress = Progress()
        with pytest.raises(Full):
            await run_into(port, refuse, progress)
        assert progress.done < progress.total


@pytest.mark.asyncio
async def test_a_backup_that_is_cancelled_ends_at_once_and_leaves_nothing_running() -> None:
    async with harbour() as port:
        await port.namespace("app")
        for number in range(4):
            await port.make(CONFIGS, f"c{number}", "app", data={"k": randbytes(50_000).hex()})
        loop = asyncio.get_running_loop()
        before = asyncio.all_tasks()
        reached: asyncio.Future[None] = loop.create_future()
        never: asyncio.Future[None] = loop.create_future()

        def wait(chunk: bytes) -> asyncio.Future[None]:
            if not reached.done():
                reached.set_result(None)
            return never

        async with asyncio.TaskGroup() as group:
            task = group.create_task(run_into(port, wait, Progress()))
            await reached
            task.cancel()
        assert task.cancelled()
        assert {one for one in asyncio.all_tasks() - before if "back" in repr(one)} == set()


@pytest.mark.asyncio
async def test_an_object_that_can_not_be_read_is_an_error_of_its_own() -> None:
    async with harbour() as port:
        await filled(port)
        bad = {"metadata": {"name": 5}}
        good = {"metadata": {"name": "good", "namespace": "app"}}
        escaping = {"metadata": {"name": "../../x", "namespace": "app"}}
        body = msgspec.json.encode({"kind": "List", "metadata": {}, "items": [bad, good, escaping]})
        path = "/api/v1/secrets"
        port.kube.change = lambda one: Response(200, body) if one.path == path else None
        made = await port.back_up()
        assert {name for name in made.items if name.startswith("secrets/")} == {"secrets/app/good"}
        assert made.journal.errors == 2
        assert "Error backing up item" in made.errors
