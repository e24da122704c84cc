import asyncio
import json
import shlex
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from kedge.client.where.entries import Cluster, ExecConfig
from kedge.client.where.errors import LoginFailed
from kedge.client.where.plugin import Plugin
from kedge.client.where.server import parse
from kedge.client.where.surroundings import Surroundings
from kedge.kube.times import format_time
from kedge.testing import FakeClock
from tests.integration.eventually import eventually
from tests.unit.client.where.material import made

V1, V1BETA1 = "client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1"
ONE = made("one")


class Bench:
    """A folder with a program, and a clock."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = FakeClock()
        self.environ = {"PATH": f"{folder}:/usr/bin:/bin", "KEPT": "1", "SHARED": "outer"}

    def program(self, script: str) -> None:
        path = self.folder / "get"
        path.write_text(f"#!/bin/sh\necho run >> {shlex.quote(str(self.folder))}/runs\n{script}\n")
        path.chmod(0o755)

    def gives(self, status: Any, **more: Any) -> None:
        answer = {"apiVersion": V1, "kind": "ExecCredential", "status": status, **more}
        (self.folder / "answer").write_text(json.dumps(answer))
        self.program(f"cat {shlex.quote(str(self.folder))}/answer")

    def plugin(self, seconds: float = 30.0, cluster: Cluster | None = None, **more: Any) -> Plugin:
        config = {"command": "get", "api_version": V1, "interactive_mode": "Never", **more}
        around = Surroundings(
            cluster or Cluster(), parse("https://host", "s"), self.environ, self.clock
        )
        return Plugin(ExecConfig("users[me].user.exec", **config), around, seconds)

    @property
    def runs(self) -> int:
        return len((self.folder / "runs").read_text().split())

    def told(self, name: str) -> str:
        return (self.folder / name).read_text()


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path)


@pytest.mark.asyncio
async def test_a_token_without_an_end_is_kept(bench: Bench) -> None:
    bench.gives({"token": "t"})
    plugin = bench.plugin()
    first = await plugin.proof()
    bench.clock.advance(timedelta(days=1))
    assert await plugin.proof() is first
    assert first.authorization == "Bearer t"
    assert bench.runs == 1


@pytest.mark.asyncio
async def test_a_token_is_renewed_when_it_ends(bench: Bench) -> None:
    end = bench.clock.now() + timedelta(minutes=10)
    bench.gives({"token": "1", "expirationTimestamp": format_time(end)})
    plugin = bench.plugin()
    await plugin.proof()
    bench.clock.advance(timedelta(minutes=9, seconds=59))
    assert (await plugin.proof()).authorization == "Bearer 1"
    bench.gives({"token": "2"})
    bench.clock.advance(timedelta(seconds=1))
    assert (await plugin.proof()).authorization == "Bearer 2"
    assert bench.runs == 2


@pytest.mark.asyncio
async def test_many_who_ask_share_one_run(bench: Bench) -> None:
    bench.gives({"token": "t"})
    plugin = bench.plugin()
    proofs = await asyncio.gather(*(plugin.proof() for _ in range(20)))
    assert len(set(map(id, proofs))) == 1
    assert bench.runs == 1


@pytest.mark.asyncio
async def test_a_refused_token_is_fetched_anew_once(bench: Bench) -> None:
    bench.gives({"token": "1"})
    plugin = bench.plugin()
    first = await plugin.proof()
    bench.gives({"token": "2"})
    assert plugin.refused(first)
    second = await plugin.proof()
    assert plugin.refused(first)
    assert await plugin.proof() is second
    assert bench.runs == 2


@pytest.mark.asyncio
async def test_a_certificate_is_given(bench: Bench) -> None:
    pair = {
        "clientCertificateData": ONE.certificate.decode(),
        "clientKeyData": ONE.key.decode(),
    }
    bench.gives(pair)
    proof = await bench.plugin().proof()
    assert proof.pair is not None
    assert proof.authorization is None


@pytest.mark.asyncio
async def test_what_the_program_is_told(bench: Bench) -> None:
    quoted = shlex.quote(str(bench.folder))
    bench.gives({"token": "t"})
    bench.program(
        f'printf %s "$KUBERNETES_EXEC_INFO" > {quoted}/info; env > {quoted}/env\n'
        f'for one; do echo "<$one>" >> {quoted}/args; done\n'
        f"cat > {quoted}/stdin; cat {quoted}/answer"
    )
    plugin = bench.plugin(args=("a b", "", "$HOME"), env=(("SHARED", "inner"), ("NEW", "x=y")))
    await plugin.proof()
    assert json.loads(bench.told("info")) == {
        "kind": "ExecCredential",
        "apiVersion": V1,
        "spec": {"interactive": False},
    }
    assert bench.told("args") == "<a b>\n<>\n<$HOME>\n"
    assert bench.told("stdin") == ""
    lines = bench.told("env").splitlines()
    assert {"KEPT=1", "SHARED=inner", "NEW=x=y"} <= set(lines)


@pytest.mark.asyncio
@pytest.mark.parametrize("mode", ["", "IfAvailable", "Never"])
async def test_the_older_version_has_a_default_mode(bench: Bench, mode: str) -> None:
    bench.gives({"token": "t"}, apiVersion=V1BETA1)
    plugin = bench.plugin(api_version=V1BETA1, interactive_mode=mode)
    assert (await plugin.proof()).authorization == "Bearer t"


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("exit 3", r"'get' failed with exit code 3$"),
        ("echo you must log in >&2; exit 1", "failed with exit code 1: you must log in$"),
        ("kill -9 $$", r"'get' was ended by signal 9$"),
        ("true", "gave no credentials: its output must be an ExecCredential"),
        ("echo '{'", "gave no credentials: its output: not valid YAML"),
        ("echo '[]'", "gave no credentials: its output must be a mapping"),
        ("head -c 3000000 /dev/zero", "wrote more than credentials can be"),
    ],
)
async def test_what_goes_wrong_is_told(bench: Bench, script: str, message: str) -> None:
    bench.program(script)
    with pytest.raises(LoginFailed, match=rf"^users\[me\]\.user\.exec: .*{message}"):
        await bench.plugin().proof()


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("status", "more", "message"),
    [
        (None, {}, "its output has no status"),
        ({}, {}, "its output has neither a token nor a certificate"),
        ({"token": ""}, {}, "its output has neither a token nor a certificate"),
        ({"token": 5}, {}, r"its output: status\.token must be a string"),
        ({"token": "a\nb"}, {}, r"its output: status\.token must not hold line ends"),
        ({"clientKeyData": "x"}, {}, "only one of clientCertificateData and clientKeyData"),
        ({"clientCertificateData": "x", "token": "t"}, {}, "only one of"),
        (
            {"clientCertificateData": "x", "clientKeyData": "y"},
            {},
            r"status\.clientCertificateData must hold a certificate",
        ),
        ({"token": "t", "expirationTimestamp": "soon"}, {}, "expirationTimestamp must be a time"),
        ({"token": "t"}, {"apiVersion": V1BETA1}, f"must be an ExecCredential of {V1}"),
        ({"token": "t"}, {"kind": "Secret"}, "must be an ExecCredential"),
    ],
)
async def test_answers_that_are_none(
    bench: Bench, status: Any, more: dict[str, Any], message: str
) -> None:
    bench.gives(status, **more)
    with pytest.raises(LoginFailed, match=message):
        await bench.plugin().proof()


@pytest.mark.asyncio
async def test_a_missing_program_is_named_with_a_hint(bench: Bench) -> None:
    plugin = bench.plugin(install_hint="get it\n  \x1b[1mfrom the shop")
    with pytest.raises(LoginFailed, match=r"'get' was not found: get it \[1mfrom the shop$"):
        await plugin.proof()
    bench.gives({"token": "t"})
    assert (await plugin.proof()).authorization == "Bearer t"


@pytest.mark.asyncio
async def test_a_program_that_cannot_be_run(bench: Bench) -> None:
    (bench.folder / "get").write_bytes(b"\x00\x01")
    (bench.folder / "get").chmod(0o755)
    with pytest.raises(LoginFailed, match="'get' cannot be run: Exec format error"):
        await bench.plugin().proof()


@pytest.mark.asyncio
async def test_a_cancelled_run_is_killed_and_the_next_one_works(bench: Bench) -> None:
    quoted = shlex.quote(str(bench.folder))
    bench.program(f"mkfifo {quoted}/fifo; echo $$ > {quoted}/pid; read x < {quoted}/fifo")
    plugin = bench.plugin()
    async with asyncio.timeout(20):
        task = asyncio.get_running_loop().create_task(plugin.proof())
        while not has_text(bench.folder / "pid"):
            await asyncio.wait([task], timeout=0.01)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    pid = int(bench.told("pid"))
    await eventually(lambda: not is_alive(pid))
    bench.gives({"token": "t"})
    assert (await plugin.proof()).authorization == "Bearer t"


@pytest.mark.asyncio
async def test_a_program_is_not_taken_from_where_we_happen_to_be(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.gives({"token": "t"})
    bench.environ["PATH"] = "."
    monkeypatch.chdir(bench.folder)
    with pytest.raises(LoginFailed, match="was not found"):
        await bench.plugin().proof()


def has_text(path: Path) -> bool:
    return path.exists() and path.read_text() != ""


def is_alive(pid: int) -> bool:
    """Tell whether a process still runs; a dead one may wait for its parent to look."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.asyncio
async def test_nothing_secret_is_repeated_from_its_complaint(bench: Bench) -> None:
    bench.environ["MY_API_TOKEN"] = "outer-secret"
    bench.program(
        'echo \'{"status":{"token":"given-secret"}}\'\n'
        'echo "env $MY_API_TOKEN $INNER" >&2; echo "gave given-secret" >&2; exit 1'
    )
    plugin = bench.plugin(env=(("INNER", "inner-secret"),), args=("--x",))
    with pytest.raises(LoginFailed) as caught:
        await plugin.proof()
    assert str(caught.value).endswith("failed with exit code 1: env *** *** gave ***")


@pytest.mark.asyncio
async def test_a_long_complaint_is_cut(bench: Bench) -> None:
    bench.program("yes complaint | head -c 200000 >&2; exit 1")
    with pytest.raises(LoginFailed) as caught:
        await bench.plugin().proof()
    assert len(str(caught.value)) < 400
