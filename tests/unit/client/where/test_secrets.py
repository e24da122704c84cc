"""No secret in any text: for each kind of secret, every way in which its field can go wrong."""

import asyncio
import logging
import traceback
from pathlib import Path
from typing import Any

import pytest
import yaml

from kedge.client.where import ConfigError, Overrides, from_kubeconfig
from kedge.client.where.choose import choose
from kedge.client.where.kubeconfig import load
from kedge.testing import FakeClock
from tests.unit.client.where.material import b64, config, made

SECRET = "hunter2-hunter2"
ONE = made("one")
EXEC = {
    "apiVersion": "client.authentication.k8s.io/v1",
    "interactiveMode": "Never",
    "command": "/bin/sh",
}
KEY = f"-----BEGIN PRIVATE KEY-----\n{b64(SECRET)}\n-----END PRIVATE KEY-----\n"
LOCKED = (
    f"-----BEGIN ENCRYPTED PRIVATE KEY-----\n{b64(SECRET)}\n-----END ENCRYPTED PRIVATE KEY-----"
)


def oidc(**values: Any) -> dict[str, Any]:
    basics = {"idp-issuer-url": "x", "client-id": "c", "refresh-token": SECRET}
    return {"auth-provider": {"name": "oidc", "config": {**basics, **values}}}


def shell(script: str, **more: Any) -> dict[str, Any]:
    return {"exec": {**EXEC, "args": ["-c", script], **more}}


CERTIFICATE = {"client-certificate-data": b64(ONE.certificate)}
USERS: dict[str, dict[str, Any]] = {
    "token": {"token": SECRET},
    "token with a line end": {"token": f"{SECRET}\n"},
    "token in a list": {"token": [SECRET]},
    "token in a mapping": {"token": {SECRET: SECRET}},
    "token with a user": {"token": SECRET, "username": "u", "password": SECRET},
    "token as a file's name": {"tokenFile": "no"},
    "token file": {"tokenFile": "secret"},
    "token file with lines": {"tokenFile": "lines"},
    "password": {"username": "u", "password": SECRET},
    "password as a list": {"username": "u", "password": [SECRET]},
    "key that is none": {**CERTIFICATE, "client-key-data": b64(KEY)},
    "key that is encrypted": {**CERTIFICATE, "client-key-data": b64(LOCKED)},
    "key that is not base64": {**CERTIFICATE, "client-key-data": f"%{SECRET}"},
    "key of another": {**CERTIFICATE, "client-key-data": b64(made("two").key)},
    "key file": {"client-certificate": "secret", "client-key": "secret"},
    "program that fails": shell(f"echo {SECRET} >&2; exit 1"),
    "program that gives nothing": shell(f"echo {SECRET}"),
    "program that gives half": shell(f'echo \'{{"kind": "{SECRET}\''),
    "program that complains": shell(
        'echo "x $S" >&2; exit 1', env=[{"name": "S", "value": SECRET}]
    ),
    "program with a bad variable": shell("true", env=[{"name": "S", "value": [SECRET]}]),
    "program with a bad argument": shell("true", args=["-c", {SECRET: SECRET}]),
    "refresh token": oidc(),
    "refresh token as a list": oidc(**{"refresh-token": [SECRET]}),
    "client secret": oidc(**{"client-secret": SECRET, "idp-issuer-url": "x"}),
    "id-token": oidc(**{"id-token": SECRET, "refresh-token": ""}),
    "issuer": oidc(**{"idp-issuer-url": f"https://u:{SECRET}@host:x"}),
}
CLUSTERS: dict[str, dict[str, Any]] = {
    "server": {"server": f"https://u:{SECRET}@host"},
    "bad server": {"server": f"ftp://u:{SECRET}@host"},
    "bad port": {"server": f"https://u:{SECRET}@host:x"},
    "server as a list": {"server": [SECRET]},
    "proxy": {"proxy-url": f"http://u:{SECRET}@proxy"},
    "bad proxy": {"proxy-url": f"socks5://u:{SECRET}@proxy"},
    "worse proxy": {"proxy-url": f"{SECRET}://"},
}
CASES = [pytest.param(config(user=user), id=name) for name, user in USERS.items()] + [
    pytest.param(config({"token": SECRET}, cluster), id=name) for name, cluster in CLUSTERS.items()
]


def texts(folder: Path, content: dict[str, Any]) -> list[str]:
    """Give all that is said by whatever a kubeconfig comes to."""
    (folder / "secret").write_text(SECRET)
    (folder / "lines").write_text(f"{SECRET}\n{SECRET}")
    path = folder / "config"
    path.write_text(yaml.safe_dump(content))
    said: list[str] = []
    try:
        loaded = load([path], must_exist=True)
        said += [repr(loaded), repr(choose(loaded, None, Overrides()))]
        access = from_kubeconfig([path], environ={"PATH": "/bin"}, clock=FakeClock())
        said += [repr(access), str(access), repr(access.credentials), access.server]
        login = asyncio.run(access.credentials.login())
        said += [repr(login), str(login)]
    except ConfigError as exc:
        said += [repr(exc), *traceback.format_exception(exc)]
        chained = exc.__context__
        while chained is not None:
            said.append(str(chained))
            chained = chained.__context__
    return said


@pytest.mark.parametrize("content", CASES)
def test_no_secret_is_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, content: dict[str, Any]
) -> None:
    caplog.set_level(logging.DEBUG)
    said = texts(tmp_path, content)
    said += [f"{one.getMessage()} {vars(one)}" for one in caplog.records]
    # Source lines of this file are part of a traceback; they name the constant, not its value.
    assert [one for one in said if SECRET in one or b64(SECRET) in one] == []


def test_overrides_do_not_tell_either() -> None:
    overrides = Overrides(token=SECRET, password=SECRET, server=SECRET, proxy_url=SECRET)
    assert SECRET not in repr(overrides)
