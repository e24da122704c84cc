from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from kedge.client.where import Access, ConfigError, Login, NothingConfigured, from_kubeconfig
from kedge.client.where.choose import Overrides
from kedge.testing import FakeClock
from tests.unit.client.where.material import b64, config, jwt, made, written

ONE, TWO = made("one"), made("two")
PAIR = {"client-certificate-data": b64(ONE.certificate), "client-key-data": b64(ONE.key)}
EXEC = {
    "apiVersion": "client.authentication.k8s.io/v1",
    "command": "/no/such/program",
    "interactiveMode": "Never",
}


def read(
    folder: Path,
    user: dict[str, Any] | None = None,
    cluster: dict[str, Any] | None = None,
    clock: FakeClock | None = None,
    environ: dict[str, str] | None = None,
) -> Access:
    path = written(folder, config(user, cluster))
    return from_kubeconfig([path], environ=environ or {}, clock=clock or FakeClock())


async def header(access: Access) -> str | None:
    return (await access.credentials.login()).headers.get("Authorization")


@pytest.mark.parametrize(
    ("user", "sent"),
    [
        pytest.param({}, None, id="anonymous"),
        pytest.param({"token": "t"}, "Bearer t", id="token"),
        pytest.param({"tokenFile": "token"}, "Bearer from-file", id="token file"),
        pytest.param({"token": "t", "tokenFile": "token"}, "Bearer from-file", id="file first"),
        pytest.param({"token": "t", "tokenFile": "no"}, "Bearer t", id="token if no file"),
        pytest.param({"username": "u", "password": "p"}, "Basic " + b64("u:p"), id="password"),
        pytest.param({"username": "u"}, "Basic " + b64("u:"), id="user only"),
        pytest.param(PAIR, None, id="certificate"),
        pytest.param({**PAIR, "token": "t"}, "Bearer t", id="certificate and token"),
        pytest.param({"token": "t", "exec": EXEC}, "Bearer t", id="token before program"),
        pytest.param(
            {"username": "u", "exec": EXEC}, "Basic " + b64("u:"), id="user before program"
        ),
        pytest.param({**PAIR, "exec": EXEC}, None, id="certificate before program"),
        pytest.param(
            {"token": "t", "auth-provider": {"name": "gone"}}, "Bearer t", id="token before login"
        ),
    ],
)
@pytest.mark.asyncio
async def test_what_is_sent(tmp_path: Path, user: dict[str, Any], sent: str | None) -> None:
    (tmp_path / "token").write_text(" from-file\n")
    assert await header(read(tmp_path, user)) == sent


@pytest.mark.asyncio
async def test_a_user_in_the_url_counts_if_there_is_no_other(tmp_path: Path) -> None:
    cluster = {"server": "https://u:p@host"}
    assert await header(read(tmp_path, cluster=cluster)) == "Basic " + b64("u:p")
    assert await header(read(tmp_path, {"token": "t"}, cluster)) == "Bearer t"


@pytest.mark.asyncio
async def test_nothing_secret_is_sent_in_the_clear(tmp_path: Path) -> None:
    access = read(tmp_path, {"token": "t", "as": "boss"}, {"server": "http://host"})
    login = await access.credentials.login()
    assert dict(login.headers) == {"Impersonate-User": "boss"}
    assert login.tls is None


@pytest.mark.asyncio
async def test_data_go_before_files(tmp_path: Path) -> None:
    files = {"client-certificate": "no.crt", "client-key": "no.key"}
    authority = {
        "certificate-authority": "no.crt",
        "certificate-authority-data": b64(TWO.certificate),
    }
    login = await read(tmp_path, {**PAIR, **files}, authority).credentials.login()
    assert login.tls is not None
    assert len(login.tls.get_ca_certs()) == 1


@pytest.mark.asyncio
async def test_data_and_file_can_be_mixed_and_the_file_is_read_again(tmp_path: Path) -> None:
    clock = FakeClock()
    (tmp_path / "me.crt").write_bytes(ONE.certificate)
    user = {"client-certificate": "me.crt", "client-key-data": b64(ONE.key)}
    access = read(tmp_path, user, clock=clock)
    first = await access.credentials.login()
    (tmp_path / "me.crt").write_bytes(ONE.certificate + TWO.certificate)
    clock.advance(timedelta(minutes=1))
    second = await access.credentials.login()
    assert first.tls is not second.tls


def test_what_goes_with_the_cluster(tmp_path: Path) -> None:
    cluster = {
        "server": "https://host/prefix",
        "tls-server-name": "inner",
        "proxy-url": "http://u:hunter2@proxy:1",
        "disable-compression": True,
    }
    access = read(tmp_path, cluster=cluster)
    assert access.server == "https://host/prefix"
    assert (access.server_name, access.disable_compression) == ("inner", True)
    assert access.proxy == "http://u:hunter2@proxy:1"
    assert "hunter2" not in repr(access)


def test_the_proxy_of_the_cluster_goes_before_that_of_the_environment(tmp_path: Path) -> None:
    environ = {"HTTPS_PROXY": "http://other", "NO_PROXY": "*"}
    assert read(tmp_path, environ=environ).proxy is None
    cluster = {"server": "https://localhost", "proxy-url": "http://mine"}
    assert read(tmp_path, cluster=cluster, environ=environ).proxy == "http://mine"
    assert read(tmp_path, environ={"HTTPS_PROXY": "other"}).proxy == "http://other"


USER, CLUSTER = r"users\[me\]\.user", r"clusters\[c\]\.cluster"


@pytest.mark.parametrize(
    ("user", "cluster", "message"),
    [
        ({}, {"server": ""}, rf"{CLUSTER}\.server must be given"),
        ({}, {"server": "ftp://x"}, rf"{CLUSTER}\.server must be a URL"),
        ({}, {"proxy-url": "socks5://x"}, rf"{CLUSTER}\.proxy-url: socks5 proxies are not supp"),
        ({}, {"certificate-authority": "no"}, rf"{CLUSTER}\.certificate-authority: cannot read"),
        (
            {},
            {"certificate-authority-data": b64("x")},
            rf"{CLUSTER}\.certificate-authority-data must hold at least one certificate",
        ),
        (
            {},
            {"certificate-authority": "ca", "insecure-skip-tls-verify": True},
            rf"{CLUSTER}: insecure-skip-tls-verify and certificate-authority exclude",
        ),
        ({"tokenFile": "no"}, {}, rf"{USER}\.tokenFile: cannot read .*/no: No such file"),
        ({"tokenFile": "empty"}, {}, rf"{USER}\.tokenFile must hold a token"),
        ({"token": "a\nb"}, {}, rf"{USER}\.token must not hold line ends"),
        ({"token": "t", "username": "u"}, {}, rf"{USER}: token and username or password exclude"),
        ({"tokenFile": "t", "password": "p"}, {}, rf"{USER}: token and username or password excl"),
        (
            {"client-certificate-data": b64(ONE.certificate)},
            {},
            rf"{USER}\.client-key or client-key-data must go with the certificate",
        ),
        (
            {"client-certificate": "no", "client-key": "no"},
            {},
            rf"{USER}\.client-certificate: cannot read",
        ),
        (
            {**PAIR, "client-key-data": b64(TWO.key)},
            {},
            rf"{USER}\.client-certificate-data and .*{USER}\.client-key-data cannot be used",
        ),
        ({"as-groups": ["g"]}, {}, rf"{USER}\.as must name a user"),
        (
            {"exec": EXEC, "auth-provider": {"name": "oidc"}},
            {},
            rf"{USER}: exec and auth-provider exclude",
        ),
        ({"exec": {}}, {}, rf"{USER}\.exec\.command must name a program"),
        ({"exec": {"command": "x"}}, {}, rf"{USER}\.exec\.apiVersion must be client\.auth"),
        (
            {"exec": {**EXEC, "apiVersion": "client.authentication.k8s.io/v1alpha1"}},
            {},
            r"exec\.apiVersion must be client\.authentication\.k8s\.io/v1 or",
        ),
        ({"exec": {**EXEC, "interactiveMode": None}}, {}, r"exec\.interactiveMode must be given"),
        ({"exec": {**EXEC, "interactiveMode": "Maybe"}}, {}, r"interactiveMode must be Never"),
        ({"exec": {**EXEC, "interactiveMode": "Always"}}, {}, r"Always, but standard input is not"),
        ({"exec": {**EXEC, "env": [{"value": "v"}]}}, {}, r"exec\.env: each must have a name"),
        (
            {"auth-provider": {"name": "gcp"}},
            {},
            rf"{USER}\.auth-provider\.name must be oidc.*gke-gcloud-auth-plugin",
        ),
        ({"auth-provider": {"name": "azure"}}, {}, "use exec with kubelogin"),
        ({"auth-provider": {"name": "x"}}, {}, "use exec with a credential plugin"),
        ({"auth-provider": {"name": "oidc"}}, {}, r"config\.idp-issuer-url must be given"),
        (
            {"auth-provider": {"name": "oidc", "config": {"idp-issuer-url": "https://i"}}},
            {},
            r"config\.client-id must be given",
        ),
        (
            {
                "auth-provider": {
                    "name": "oidc",
                    "config": {"idp-issuer-url": "https://i", "client-id": "c", "id-token": "x"},
                }
            },
            {},
            r"config must have a valid id-token, or a refresh-token",
        ),
        (
            {"auth-provider": {"name": "oidc", "config": {"idp-certificate-authority-data": "*"}}},
            {},
            r"config\.idp-certificate-authority-data must be base64",
        ),
    ],
)
def test_what_cannot_be_honoured_is_named(
    tmp_path: Path, user: dict[str, Any], cluster: dict[str, Any], message: str
) -> None:
    (tmp_path / "empty").write_text(" \n")
    with pytest.raises(ConfigError, match=message):
        read(tmp_path, user, cluster)


def test_an_override_is_named_as_one(tmp_path: Path) -> None:
    path = written(tmp_path, config())
    with pytest.raises(ConfigError, match=r"^override of server must be a URL"):
        from_kubeconfig(
            [path], overrides=Overrides(server="ftp://x"), environ={}, clock=FakeClock()
        )


def test_the_environment_lists_files(tmp_path: Path) -> None:
    path = written(tmp_path, config())
    environ = {"KUBECONFIG": f"{tmp_path}/no::{path}"}
    assert from_kubeconfig(environ=environ, clock=FakeClock()).server == "https://kube.test:6443"
    with pytest.raises(NothingConfigured):
        from_kubeconfig(environ={"KUBECONFIG": f"{tmp_path}/no"}, clock=FakeClock())


@pytest.mark.asyncio
async def test_a_valid_token_of_a_provider_is_used_as_it_is(tmp_path: Path) -> None:
    clock = FakeClock()
    token = jwt(clock.now() + timedelta(hours=1))
    provider = {"idp-issuer-url": "https://i", "client-id": "c", "id-token": token}
    user = {"auth-provider": {"name": "oidc", "config": provider}, **PAIR}
    assert await header(read(tmp_path, user, clock=clock)) == f"Bearer {token}"


@pytest.mark.asyncio
async def test_a_login_is_the_same_as_long_as_nothing_changes(tmp_path: Path) -> None:
    clock = FakeClock()
    (tmp_path / "token").write_text("t")
    access = read(tmp_path, {**PAIR, "tokenFile": "token"}, clock=clock)
    first = await access.credentials.login()
    clock.advance(timedelta(hours=1))
    assert await access.credentials.login() is first
    assert isinstance(first, Login)
