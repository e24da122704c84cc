from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path

import pytest

from kedge.client.where import Access, ConfigError, NothingConfigured, in_cluster
from kedge.testing import FakeClock
from tests.unit.client.where.material import made

VARIABLES = {"KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_PORT": "443"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "ca.crt").write_bytes(made("ca").certificate)
    (tmp_path / "token").write_text("first\n")
    (tmp_path / "namespace").write_text("mine\n")
    return tmp_path


def pod(
    root: Path, more: Mapping[str, str] | None = None, clock: FakeClock | None = None
) -> Access:
    environ = {**VARIABLES, **(more or {})}
    return in_cluster(environ=environ, clock=clock or FakeClock(), root=root)


def test_the_pod_says_where_the_cluster_is(root: Path) -> None:
    access = pod(root)
    assert (access.server, access.namespace, access.proxy) == ("https://10.0.0.1:443", "mine", None)


def test_answers_in_the_cluster_need_not_be_packed(root: Path) -> None:
    assert pod(root).disable_compression


@pytest.mark.parametrize("host", ["fd00::1", "[fd00::1]"])
def test_addresses_of_version_6_are_in_brackets(root: Path, host: str) -> None:
    assert pod(root, {"KUBERNETES_SERVICE_HOST": host}).server == "https://[fd00::1]:443"


@pytest.mark.asyncio
async def test_the_token_is_read_again(root: Path) -> None:
    clock = FakeClock()
    access = pod(root, clock=clock)
    first = await access.credentials.login()
    assert first.headers["Authorization"] == "Bearer first"
    (root / "token").write_text("second")
    clock.advance(timedelta(minutes=1))
    second = await access.credentials.login()
    assert second.headers["Authorization"] == "Bearer second"
    assert second.tls is first.tls


@pytest.mark.asyncio
async def test_the_authority_is_read_again(root: Path) -> None:
    clock = FakeClock()
    access = pod(root, clock=clock)
    first = await access.credentials.login()
    (root / "ca.crt").write_bytes(made("new").certificate)
    clock.advance(timedelta(minutes=1))
    second = await access.credentials.login()
    assert second.tls is not first.tls


@pytest.mark.parametrize("name", list(VARIABLES))
def test_without_the_variables_this_is_not_a_pod(root: Path, name: str) -> None:
    with pytest.raises(NothingConfigured, match="this is not a pod"):
        pod(root, {name: ""})


@pytest.mark.parametrize("name", ["token", "ca.crt"])
def test_a_missing_file_is_named(root: Path, name: str) -> None:
    (root / name).unlink()
    with pytest.raises(ConfigError, match=f"{name}: cannot read"):
        pod(root)


@pytest.mark.parametrize(
    ("name", "content"), [("token", b"\n"), ("token", b"\xff"), ("ca.crt", b"x")]
)
def test_an_empty_file_is_named(root: Path, name: str, content: bytes) -> None:
    (root / name).write_bytes(content)
    with pytest.raises(ConfigError, match=f"{name} must hold"):
        pod(root)


def test_a_port_that_is_none(root: Path) -> None:
    with pytest.raises(ConfigError, match="KUBERNETES_SERVICE_PORT must be"):
        pod(root, {"KUBERNETES_SERVICE_PORT": "https"})


def test_the_namespace_has_a_default_and_a_variable(root: Path) -> None:
    (root / "namespace").unlink()
    assert pod(root).namespace == "default"
    assert pod(root, {"POD_NAMESPACE": "other"}).namespace == "other"


def test_the_proxy_of_the_environment_counts(root: Path) -> None:
    assert pod(root, {"HTTPS_PROXY": "http://p:1"}).proxy == "http://p:1"
    assert pod(root, {"HTTPS_PROXY": "http://p:1", "NO_PROXY": "10.0.0.0/8"}).proxy is None
