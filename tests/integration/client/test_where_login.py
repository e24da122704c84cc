"""Every way to log in, against the embedded API, with one request each."""

import base64
import json
import shlex
from collections.abc import AsyncIterator, Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import pytest_asyncio
import yaml

from kedge.aio.clock import SystemClock
from kedge.client.where import Access, LoginFailed, explicit, from_kubeconfig, in_cluster
from kedge.testing import Cluster, FakeClock, cluster
from tests.integration.client.where_provider import Provider, running
from tests.unit.client.where.material import b64, jwt, made

ENVIRON = {"PATH": "/usr/bin:/bin"}
VERSION = "client.authentication.k8s.io/v1"
FAR = jwt(datetime(2099, 1, 1, tzinfo=UTC), sub="oidc")
OLD = jwt(datetime(2020, 1, 1, tzinfo=UTC), sub="oidc")


@pytest_asyncio.fixture
async def kube(tmp_path: Path) -> AsyncIterator[Cluster]:
    tokens = tmp_path / "tokens.csv"
    tokens.write_text(f'{FAR},ann,1,"system:masters"\nplain-token,bob,2,"system:masters"\n')
    async with cluster(token_file=tokens) as kube:
        yield kube


async def whoami(access: Access) -> tuple[int, str]:
    """Ask the server who we are; give its code and the user's name."""
    login = await access.credentials.login()
    review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
    path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    async with (
        aiohttp.ClientSession(access.server) as session,
        session.post(path, json=review, headers=login.headers, ssl=login.tls or True) as response,
    ):
        answer = await response.json()
        if response.status != 201:
            return response.status, ""
        return response.status, answer["status"]["userInfo"]["username"]


def local(folder: Path, kube: Cluster, user: Mapping[str, Any], **cluster: Any) -> Path:
    entry = {"server": kube.url, "certificate-authority": str(kube.ca), **cluster}
    path = folder / "kubeconfig"
    text = {
        "current-context": "x",
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "clusters": [{"name": "c", "cluster": entry}],
        "users": [{"name": "u", "user": dict(user)}],
    }
    path.write_text("# mine\n" + yaml.safe_dump(text))
    return path


def read(path: Path, clock: SystemClock | FakeClock | None = None) -> Access:
    return from_kubeconfig([path], environ=ENVIRON, clock=clock or SystemClock())


@pytest.mark.asyncio
async def test_the_client_certificate_of_the_servers_own_kubeconfig(kube: Cluster) -> None:
    code, name = await whoami(read(kube.kubeconfig))
    assert code == 201
    assert name not in {"", "system:anonymous"}


@pytest.mark.asyncio
async def test_a_token(kube: Cluster, tmp_path: Path) -> None:
    assert await whoami(read(local(tmp_path, kube, {"token": "plain-token"}))) == (201, "bob")


@pytest.mark.asyncio
async def test_a_wrong_token_is_refused_and_there_is_no_other(
    kube: Cluster, tmp_path: Path
) -> None:
    access = read(local(tmp_path, kube, {"token": "wrong"}))
    assert (await whoami(access))[0] == 401
    assert not access.credentials.refused()


@pytest.mark.asyncio
async def test_a_token_file_is_read_again_after_a_refusal(kube: Cluster, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("wrong\n")
    access = read(local(tmp_path, kube, {"tokenFile": "token"}))
    assert (await whoami(access))[0] == 401
    (tmp_path / "token").write_text("plain-token\n")
    assert access.credentials.refused()
    assert await whoami(access) == (201, "bob")


@pytest.mark.asyncio
async def test_several_groups_reach_the_server(kube: Cluster, tmp_path: Path) -> None:
    user: dict[str, Any] = {"token": "plain-token", "as": "carl", "as-groups": ["g1", "g2"]}
    # The server makes the header's name lower case before it is unescaped.
    user["as-user-extra"] = {"Example.org/Ünit": ["1", "2"]}
    access = read(local(tmp_path, kube, user))
    login = await access.credentials.login()
    path = f"{access.server}/apis/authentication.k8s.io/v1/selfsubjectreviews"
    async with (
        aiohttp.ClientSession() as session,
        session.post(path, json={}, headers=login.headers, ssl=login.tls or True) as response,
    ):
        told = (await response.json())["status"]["userInfo"]
    assert told["username"] == "carl"
    assert {"g1", "g2"} <= set(told["groups"])
    assert told["extra"] == {"example.org/Ünit": ["1", "2"]}


@pytest.mark.asyncio
async def test_explicit_arguments(kube: Cluster) -> None:
    access = explicit(kube.url, token="plain-token", ca=kube.ca)
    assert await whoami(access) == (201, "bob")


@pytest.mark.asyncio
async def test_without_its_authority_the_server_is_not_trusted(kube: Cluster) -> None:
    with pytest.raises(aiohttp.ClientConnectorCertificateError):
        await whoami(explicit(kube.url, token="plain-token"))


@pytest.mark.asyncio
async def test_an_insecure_client_trusts_anybody(kube: Cluster) -> None:
    assert await whoami(explicit(kube.url, token="plain-token", insecure=True)) == (201, "bob")


@pytest.mark.asyncio
async def test_a_pod(kube: Cluster, tmp_path: Path) -> None:
    (tmp_path / "ca.crt").write_bytes(kube.ca.read_bytes())
    (tmp_path / "token").write_text("plain-token")
    (tmp_path / "namespace").write_text("mine")
    port = kube.url.rpartition(":")[2]
    environ = {"KUBERNETES_SERVICE_HOST": "127.0.0.1", "KUBERNETES_SERVICE_PORT": port}
    access = in_cluster(environ=environ, clock=SystemClock(), root=tmp_path)
    assert access.namespace == "mine"
    assert await whoami(access) == (201, "bob")


def plugin(folder: Path, status: Mapping[str, Any]) -> dict[str, Any]:
    """Write a program that gives this status, and counts its runs."""
    answer = {"apiVersion": VERSION, "kind": "ExecCredential", "status": dict(status)}
    script = folder / "get-token"
    script.write_text(
        f"#!/bin/sh\necho run >> {shlex.quote(str(folder / 'runs'))}\n"
        f"cat {shlex.quote(str(folder / 'answer.json'))}\n"
    )
    script.chmod(0o755)
    (folder / "answer.json").write_text(json.dumps(answer))
    return {"apiVersion": VERSION, "command": "./get-token", "interactiveMode": "Never"}


@pytest.mark.asyncio
async def test_a_program_gives_a_token_once(kube: Cluster, tmp_path: Path) -> None:
    access = read(local(tmp_path, kube, {"exec": plugin(tmp_path, {"token": "plain-token"})}))
    assert await whoami(access) == (201, "bob")
    assert await whoami(access) == (201, "bob")
    assert (tmp_path / "runs").read_text() == "run\n"


@pytest.mark.asyncio
async def test_a_program_is_run_again_after_a_refusal(kube: Cluster, tmp_path: Path) -> None:
    access = read(local(tmp_path, kube, {"exec": plugin(tmp_path, {"token": "wrong"})}))
    assert (await whoami(access))[0] == 401
    plugin(tmp_path, {"token": "plain-token"})
    assert access.credentials.refused()
    assert await whoami(access) == (201, "bob")


@pytest.mark.asyncio
async def test_a_program_gives_a_certificate(kube: Cluster, tmp_path: Path) -> None:
    (user,) = yaml.safe_load(kube.kubeconfig.read_text())["users"]
    status = {
        f"client{name}Data": base64.b64decode(user["user"][f"client-{name.lower()}-data"]).decode()
        for name in ("Certificate", "Key")
    }
    access = read(local(tmp_path, kube, {"exec": plugin(tmp_path, status)}))
    assert (await whoami(access))[1] == (await whoami(read(kube.kubeconfig)))[1]


def names(folder: Path) -> list[str]:
    return sorted(one.name for one in folder.iterdir())


def oidc(provider: Provider, **config: str) -> dict[str, Any]:
    return {
        "auth-provider": {
            "name": "oidc",
            "config": {
                "idp-issuer-url": provider.url,
                "client-id": "kedge client",
                "client-secret": "s3cret/&",
                "refresh-token": "refresh-1",
                "idp-certificate-authority-data": b64(made("idp").certificate),
                **config,
            },
        }
    }


@pytest.mark.asyncio
async def test_an_old_token_is_renewed_and_written_back(kube: Cluster, tmp_path: Path) -> None:
    async with running(Provider(FAR, next_refresh="refresh-2"), tmp_path) as provider:
        path = local(tmp_path, kube, oidc(provider, **{"id-token": OLD}))
        path.chmod(0o640)
        access = read(path)
        assert await whoami(access) == (201, "ann")
        assert await whoami(access) == (201, "ann")
    assert len(provider.asked) == 1
    text = path.read_text()
    written = yaml.safe_load(text)["users"][0]["user"]["auth-provider"]["config"]
    assert (written["id-token"], written["refresh-token"]) == (FAR, "refresh-2")
    assert written["client-id"] == "kedge client"
    assert text.startswith("# mine\n")
    assert path.stat().st_mode & 0o777 == 0o640
    assert names(tmp_path) == ["idp.crt", "idp.key", "kubeconfig", "tokens.csv"]


@pytest.mark.asyncio
async def test_the_authority_of_a_provider_may_be_a_file_beside_the_kubeconfig(
    kube: Cluster, tmp_path: Path
) -> None:
    async with running(Provider(FAR, wants_secret_in_form=True), tmp_path) as provider:
        config = {"idp-certificate-authority-data": "", "idp-certificate-authority": "idp.crt"}
        access = read(local(tmp_path, kube, oidc(provider, **config)))
        assert await whoami(access) == (201, "ann")
    assert provider.asked[0]["header"] == "Basic " + b64("kedge+client:s3cret%2F%26")
    assert provider.asked[1]["client_secret"] == "s3cret/&"


@pytest.mark.asyncio
async def test_a_token_that_holds_needs_no_provider(kube: Cluster, tmp_path: Path) -> None:
    provider = Provider(FAR, url="https://127.0.0.1:1")
    access = read(local(tmp_path, kube, oidc(provider, **{"id-token": FAR})))
    assert await whoami(access) == (201, "ann")


@pytest.mark.asyncio
async def test_a_provider_that_is_not_trusted(kube: Cluster, tmp_path: Path) -> None:
    async with running(Provider(FAR), tmp_path) as provider:
        config = {"idp-certificate-authority-data": b64(made("other").certificate)}
        access = read(local(tmp_path, kube, oidc(provider, **config)))
        with pytest.raises(LoginFailed, match="its certificate is not trusted"):
            await access.credentials.login()


@pytest.mark.asyncio
async def test_a_refresh_token_that_is_over_is_named_and_not_shown(
    kube: Cluster, tmp_path: Path
) -> None:
    async with running(Provider(FAR), tmp_path) as provider:
        access = read(local(tmp_path, kube, oidc(provider, **{"refresh-token": "over-and-out"})))
        with pytest.raises(LoginFailed, match=r"refresh-token: .* 400 \(invalid_grant\)") as caught:
            await access.credentials.login()
    assert "over-and-out" not in str(caught.value)


@pytest.mark.asyncio
async def test_a_token_is_renewed_before_it_ends(kube: Cluster, tmp_path: Path) -> None:
    clock = FakeClock()
    soon = jwt(clock.now() + timedelta(minutes=5), sub="oidc")
    async with running(Provider(FAR), tmp_path) as provider:
        access = read(local(tmp_path, kube, oidc(provider, **{"id-token": soon})), clock)
        first = await access.credentials.login()
        assert provider.asked == []
        clock.advance(timedelta(minutes=4, seconds=51))
        second = await access.credentials.login()
        assert len(provider.asked) == 1
    assert first.headers != second.headers
    assert first.tls is second.tls


@pytest.mark.parametrize(
    "issuer", ["http://u:hunter2@127.0.0.1:1", "https://u:hunter2@127.0.0.1:1"]
)
@pytest.mark.asyncio
async def test_a_provider_that_is_down_is_named_without_its_password(
    kube: Cluster, tmp_path: Path, issuer: str
) -> None:
    access = read(local(tmp_path, kube, oidc(Provider(FAR, url=issuer))))
    with pytest.raises(LoginFailed, match=r"no answer from 127\.0\.0\.1:1: ") as caught:
        await access.credentials.login()
    assert "hunter2" not in str(caught.value)


@pytest.mark.asyncio
async def test_a_server_is_known_by_another_name(kube: Cluster, tmp_path: Path) -> None:
    access = read(local(tmp_path, kube, {"token": "plain-token"}, **{"tls-server-name": "nobody"}))
    login = await access.credentials.login()
    assert access.server_name == "nobody"
    async with aiohttp.ClientSession() as session:
        with pytest.raises(aiohttp.ClientConnectorCertificateError):
            await session.get(
                f"{access.server}/version", ssl=login.tls or True, server_hostname="nobody"
            )
        answer = await session.get(
            f"{access.server}/version", ssl=login.tls or True, server_hostname="kubernetes.default"
        )
        assert answer.status == 200
        answer.release()
