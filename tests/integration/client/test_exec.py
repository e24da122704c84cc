"""Commands through a real API server, which hands them on to a kubelet's own streaming code."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio

from kedge.client import (
    Client,
    ClientSettings,
    Command,
    DeadlineExceeded,
    Result,
    patches,
)
from kedge.client import exec as executing
from kedge.client.channels import PROTOCOLS, V4, V5
from kedge.kube import errors
from kedge.kube.kind import plain
from tests.integration.client.conftest import Api, new_namespace
from tests.integration.client.kubelet import NODES, PODS, Kubelet, running_pod
from tests.integration.eventually import pause
from tests.real_cluster import RealCluster

ROLES = plain("rbac.authorization.k8s.io/v1", "Role", "roles")
BINDINGS = plain("rbac.authorization.k8s.io/v1", "RoleBinding", "rolebindings")


class Pod:
    """A pod to run commands in."""

    def __init__(self, kube: Client, name: str, namespace: str) -> None:
        self.kube = kube
        self.name = name
        self.namespace = namespace

    async def run(self, *words: str, **how: Any) -> Result:
        """Run a command in its first container."""
        return await self.kube.exec(self.name, self.namespace, words, container="main", **how)

    async def run_over(
        self, protocol: str, *words: str, stdin: bytes | None = None, tty: bool = False
    ) -> Result:
        """Run a command over one protocol."""
        command = Command(words, "main", stdin is not None, tty, (protocol,))
        transport = self.kube.transport
        return await executing.run(transport, self.name, self.namespace, command, stdin, 30)


@pytest_asyncio.fixture
async def pod(real_api: Api, kubelet: Kubelet) -> AsyncIterator[Pod]:
    """Give a pod of the real cluster."""
    async with real_api.client(settings=ClientSettings(output_bytes=2**21)) as kube:
        namespace = await new_namespace(kube)
        async with running_pod(kube, kubelet, namespace, "main", "side") as name:
            yield Pod(kube, name, namespace)


@pytest.mark.asyncio
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_outputs_and_the_exit_code(pod: Pod, protocol: str) -> None:
    script = "echo out; echo err >&2; printf 'a;b&c=%s' \"$0\"; exit 3"
    result = await pod.run_over(protocol, "sh", "-c", script, "x + y%20\u2028é")
    assert result == Result(3, "out\na;b&c=x + y%20\u2028é".encode(), b"err\n")
    assert await pod.run_over(protocol, "true") == Result(0, b"", b"")


@pytest.mark.asyncio
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_megabyte_each_way(pod: Pod, protocol: str) -> None:
    data = bytes(range(256)) * 4096
    # Over v4 the command must know for itself where its input ends.
    result = await pod.run_over(protocol, "head", "-c", str(len(data)), stdin=data)
    assert result.code == 0
    assert result.stdout == data


@pytest.mark.asyncio
async def test_the_newer_protocol_is_chosen_and_can_end_the_input(pod: Pod) -> None:
    command = Command(["cat"], "main", has_input=True)
    async with pod.kube.exec_session(pod.name, pod.namespace, command) as session:
        assert session.protocol == V5
        await session.write(b"one\n")
        assert await session.read() == (1, b"one\n")
        await session.write(b"two\n")
        assert await session.read() == (1, b"two\n")
        assert await session.end_input()
        assert await session.read() is None
        assert session.code == 0


@pytest.mark.asyncio
async def test_input_from_a_stream(pod: Pod) -> None:
    async def numbers() -> AsyncIterator[bytes]:
        for number in range(1000):
            yield b"%d\n" % number

    result = await pod.run("sh", "-c", "wc -l; exit 7", stdin=numbers())
    assert (result.code, result.stdout.strip()) == (7, b"1000")


@pytest.mark.asyncio
async def test_a_command_that_does_not_read_its_input(pod: Pod) -> None:
    assert (await pod.run("true", stdin=b"x" * 2**22)).code == 0


@pytest.mark.asyncio
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_terminal(pod: Pod, protocol: str) -> None:
    result = await pod.run_over(protocol, "sh", "-c", "test -t 1 && echo yes >&2", tty=True)
    assert result == Result(0, b"yes\r\n", b"")


@pytest.mark.asyncio
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_the_size_of_a_terminal(pod: Pod, protocol: str) -> None:
    script = "while read line; do stty size; done"
    command = Command(["sh", "-c", script], "main", True, True, (protocol,))
    said = b""
    async with pod.kube.exec_session(pod.name, pod.namespace, command) as session:
        await session.resize(101, 42)
        # Sizes have a stream of their own on the way: wait until this one is known.
        async with asyncio.timeout(30):
            while b"42 101" not in said:
                await session.write(b"\n")
                output = await session.read()
                assert output is not None
                said += output[1]


@pytest.mark.asyncio
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_program_that_is_not_there(pod: Pod, protocol: str) -> None:
    with pytest.raises(errors.InternalError, match="no such file"):
        await pod.run_over(protocol, "/no/such/program")


@pytest.mark.asyncio
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_command_that_is_killed(pod: Pod, protocol: str) -> None:
    assert (await pod.run_over(protocol, "sh", "-c", "kill -9 $$")).code == 137


@pytest.mark.asyncio
async def test_output_beyond_the_limit(pod: Pod) -> None:
    result = await pod.run("head", "-c", "5000000", "/dev/zero")
    assert (result.code, len(result.stdout)) == (0, 2**21)
    assert result.cut_bytes == 5_000_000 - 2**21


@pytest.mark.asyncio
async def test_many_commands_at_once(pod: Pod) -> None:
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(pod.run("echo", str(n))) for n in range(10)]
    assert [task.result().stdout for task in tasks] == [b"%d\n" % n for n in range(10)]


@pytest.mark.asyncio
async def test_a_command_that_takes_too_long(pod: Pod) -> None:
    with pytest.raises(DeadlineExceeded, match="did not end within"):
        await pod.run("sleep", "60", timeout_seconds=0.5)


@pytest.mark.asyncio
async def test_what_is_not_there(pod: Pod) -> None:
    with pytest.raises(errors.BadRequest, match="container nosuch is not valid"):
        await pod.kube.exec(pod.name, pod.namespace, ["true"], container="nosuch")
    with pytest.raises(errors.NotFound, match='pods "nosuch" not found'):
        await pod.kube.exec("nosuch", pod.namespace, ["true"])


@pytest.mark.asyncio
@pytest.mark.parametrize("protocol", PROTOCOLS)
async def test_a_node_that_is_away(pod: Pod, protocol: str) -> None:
    found = await pod.kube.get(PODS, pod.name, pod.namespace)
    status = {"status": {"daemonEndpoints": {"kubeletEndpoint": {"Port": 1}}}}
    await pod.kube.patch_status(NODES, found["spec"]["nodeName"], patches.merge(status))
    with pytest.raises(errors.ApiError, match="refused"):
        await pod.run_over(protocol, "true")


@pytest.mark.asyncio
async def test_a_user_who_may_not(pod: Pod, real_api: Api, real_cluster: RealCluster) -> None:
    async with real_api.client(real_cluster.tokens["alice"]) as alice:
        with pytest.raises(errors.Forbidden, match='cannot get resource "pods/exec"'):
            await alice.exec(pod.name, pod.namespace, ["true"])
        meta = {"name": "exec", "namespace": pod.namespace}
        rule = {"apiGroups": [""], "resources": ["pods/exec"], "verbs": ["get", "create"]}
        await pod.kube.create(ROLES, {"metadata": meta, "rules": [rule]})
        group = "rbac.authorization.k8s.io"
        binding = {
            "metadata": meta,
            "roleRef": {"apiGroup": group, "kind": "Role", "name": "exec"},
            "subjects": [{"apiGroup": group, "kind": "User", "name": "alice"}],
        }
        await pod.kube.create(BINDINGS, binding)
        async with asyncio.timeout(30):
            while not await alice.may("get", "pods", pod.namespace, subresource="exec"):
                await pause(0.02)
        result = await alice.exec(pod.name, pod.namespace, ["echo", "hi"], container="side")
    assert result.stdout == b"hi\n"


@pytest.mark.asyncio
async def test_a_server_that_runs_no_pods_says_so(kube: Client, namespace: str) -> None:
    pod = {"metadata": {"name": "idle"}, "spec": {"containers": [{"name": "a", "image": "x"}]}}
    await kube.create(PODS, pod, namespace)
    with pytest.raises(errors.ApiError) as raised:
        await kube.exec("idle", namespace, ["true"])
    assert raised.value.code in (400, 501)
    assert raised.value.message
    assert V4 not in raised.value.message
