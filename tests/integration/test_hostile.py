"""Input that nobody sends by mistake: an answer, bounded memory, no traceback."""

import asyncio
import io
import json
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import aiohttp
import pytest
from yarl import URL

from tests.integration.apiserver_process import Running, running

CONFIGMAPS = "/api/v1/namespaces/default/configmaps"
DEEP = 20_000
MEBIBYTE = 1024 * 1024
CRD = {
    "metadata": {"name": "things.hostile.example.com"},
    "spec": {
        "group": "hostile.example.com",
        "scope": "Namespaced",
        "names": {"plural": "things", "kind": "Thing"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "x-kubernetes-preserve-unknown-fields": True,
                    }
                },
            }
        ],
    },
}
THINGS = "/apis/hostile.example.com/v1/namespaces/default/things"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    data = tmp_path_factory.mktemp("hostile") / "data"
    with running(data) as one:
        one.post("/apis/apiextensions.k8s.io/v1/customresourcedefinitions", CRD)
        yield one
        one.process.terminate()
        one.process.wait(20)
        assert "Traceback" not in one.errors(), one.errors()[-3000:]


async def send(
    server: Running, method: str, path: str, body: bytes = b"", media: str = "application/json"
) -> tuple[int, str]:
    """Send one request; give the code and the text of the answer."""
    connector = aiohttp.TCPConnector(ssl=server.tls)
    async with aiohttp.ClientSession(connector=connector) as session:
        url = URL(server.url + path, encoded=True)
        headers = {"Content-Type": media}
        data = io.BytesIO(body) if body else None
        async with session.request(method, url, data=data, headers=headers) as answer:
            return answer.status, (await answer.read()).decode(errors="replace")


def message(text: str) -> str:
    status = json.loads(text)
    assert status["kind"] == "Status", text
    found: str = status["message"]
    return found


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["a\0b", "..", ".", "a/b", "a%b", "\ud7ff", "A" * 300])
async def test_a_name_that_is_none_is_invalid(server: Running, name: str) -> None:
    body = json.dumps({"metadata": {"name": name}}).encode()
    code, text = await send(server, "POST", CONFIGMAPS, body)
    assert code == 422
    assert "metadata.name: Invalid value" in message(text)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "path",
    ["/%00", "/..", "/%2e%2e/%2e%2e", "/a%2Fb", "/%ff%fe", "/" + "x" * 5000, "/a?limit=%ff"],
)
async def test_a_path_to_nowhere_is_answered(server: Running, path: str) -> None:
    code, _ = await send(server, "GET", CONFIGMAPS + path)
    assert 400 <= code < 500


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("method", "path", "media"),
    [
        ("POST", CONFIGMAPS, "application/json"),
        ("POST", CONFIGMAPS, "application/yaml"),
        ("POST", THINGS, "application/json"),
        ("POST", THINGS, "application/yaml"),
        ("PATCH", f"{CONFIGMAPS}/kube-root", "application/merge-patch+json"),
        ("PATCH", f"{CONFIGMAPS}/deep", "application/json-patch+json"),
        ("PATCH", f"{CONFIGMAPS}/deep", "application/strategic-merge-patch+json"),
        ("PATCH", f"{CONFIGMAPS}/deep?fieldManager=x", "application/apply-patch+yaml"),
        ("PATCH", f"{THINGS}/deep?fieldManager=x", "application/apply-patch+yaml"),
        ("DELETE", f"{CONFIGMAPS}/deep", "application/json"),
    ],
)
async def test_json_of_twenty_thousand_levels_is_refused(
    server: Running, method: str, path: str, media: str
) -> None:
    body = b'{"data":' + b"[" * DEEP + b"]" * DEEP + b"}"
    code, text = await send(server, method, path, body, media)
    assert 400 <= code < 500 or (code == 500 and method == "DELETE"), text
    assert message(text)


@pytest.mark.asyncio
@pytest.mark.parametrize("depth", [500, 900, 2_000, 9_000])
async def test_depths_that_go_takes_do_not_break_the_server(server: Running, depth: int) -> None:
    inner = '{"a":' * depth + "1" + "}" * depth
    head = '"apiVersion":"hostile.example.com/v1","kind":"Thing"'
    body = f'{{{head},"metadata":{{"name":"d{depth}"}},"x":{inner}}}'
    code, text = await send(server, "POST", THINGS, body.encode())
    assert code == 201 or 400 <= code < 500, text[:300]
    patch = f'{{"y":{inner}}}'.encode()
    for name in ("merge-patch+json", "apply-patch+yaml"):
        path = f"{THINGS}/d{depth}?fieldManager=x"
        code, text = await send(server, "PATCH", path, patch, f"application/{name}")
        assert code < 500, text[:300]


@pytest.mark.asyncio
async def test_a_body_over_three_mebibytes_is_too_large(server: Running) -> None:
    body = b'{"data":{"a":"' + b"x" * (3 * MEBIBYTE) + b'"}}'
    code, text = await send(server, "POST", CONFIGMAPS, body)
    assert code == 413
    assert message(text) == "Request entity too large: limit is 3145728"


@pytest.mark.asyncio
async def test_a_body_in_chunks_over_three_mebibytes_is_too_large(server: Running) -> None:
    async def chunks() -> AsyncIterator[bytes]:
        for _ in range(4):
            yield b"x" * MEBIBYTE

    connector = aiohttp.TCPConnector(ssl=server.tls)
    async with (
        aiohttp.ClientSession(connector=connector) as session,
        session.post(server.url + CONFIGMAPS, data=chunks()) as answer,
    ):
        assert answer.status == 413


@pytest.mark.asyncio
async def test_yaml_that_grows_through_its_aliases_is_refused(server: Running) -> None:
    lines = ["a0: &a0 [x,x,x,x,x,x,x,x,x]"]
    lines += [f"a{n}: &a{n} [{','.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
    code, text = await send(
        server, "POST", CONFIGMAPS, "\n".join(lines).encode(), "application/yaml"
    )
    assert code == 400
    assert "alias" in message(text)


def memory(server: Running) -> int:
    """Give the resident memory of the server in bytes."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) * 1024


@pytest.mark.skipif(sys.platform != "linux", reason="memory is read from /proc")
@pytest.mark.asyncio
async def test_a_thousand_idle_connections_leave_room_for_others(server: Running) -> None:
    before, context = memory(server), server.tls
    host, port = server.url.removeprefix("https://").split(":")
    writers = []
    try:
        for _ in range(20):
            opened = await asyncio.gather(
                *(asyncio.open_connection(host, int(port), ssl=context) for _ in range(50))
            )
            writers += [writer for _, writer in opened]
        assert server.get("/readyz") == b"ok"
        assert memory(server) - before < 200 * MEBIBYTE
    finally:
        for writer in writers:
            writer.close()
        await asyncio.gather(*(writer.wait_closed() for writer in writers), return_exceptions=True)
    assert server.get("/readyz") == b"ok"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "raw",
    [
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x00\x01\x02\r\n\r\n",
        b"GET /api HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n",
        b"GET /api HTTP/1.1\r\nHost: a\r\nA: " + b"x" * 200_000 + b"\r\n\r\n",
        b"POST /api/v1/namespaces HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n{",
    ],
)
async def test_broken_http_does_not_break_the_server(server: Running, raw: bytes) -> None:
    host, port = server.url.removeprefix("https://").split(":")
    _, writer = await asyncio.open_connection(host, int(port), ssl=server.tls)
    writer.write(raw)
    writer.close()
    await asyncio.gather(writer.wait_closed(), return_exceptions=True)
    assert server.get("/readyz") == b"ok"
