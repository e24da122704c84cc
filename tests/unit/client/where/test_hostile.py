"""Whatever a kubeconfig says, it is either understood or refused by a ConfigError."""

import contextlib
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kedge.client.where import ConfigError, from_kubeconfig
from kedge.testing import FakeClock
from tests.unit.client.where.material import b64, made

ONE = made("one")
WORDS = st.sampled_from(
    [
        "",
        "me",
        "c",
        "here",
        "https://host",
        "http://h:8080/p",
        "socks5://p",
        "//",
        "[::1",
        "oidc",
        "\x00",
        "a\nb",
        "é",
        "/dev/null",
        "/",
        "no such file",
        "Never",
        "Always",
        "./x",
        "%",
        "=",
        "client.authentication.k8s.io/v1",
        "client.authentication.k8s.io/v1beta1",
        "v1",
        "Config",
        b64(ONE.certificate),
        b64(ONE.key),
        b64("x"),
        "client.authentication.k8s.io/exec",
    ]
)
NAMES = st.sampled_from(
    [
        "name",
        "user",
        "cluster",
        "namespace",
        "server",
        "token",
        "tokenFile",
        "username",
        "password",
        "client-certificate",
        "client-certificate-data",
        "client-key",
        "client-key-data",
        "as",
        "as-uid",
        "as-groups",
        "as-user-extra",
        "exec",
        "auth-provider",
        "config",
        "extensions",
        "extension",
        "certificate-authority",
        "certificate-authority-data",
        "proxy-url",
        "env",
        "args",
        "insecure-skip-tls-verify",
        "tls-server-name",
        "disable-compression",
        "command",
        "apiVersion",
        "interactiveMode",
        "provideClusterInfo",
        "idp-issuer-url",
        "client-id",
        "refresh-token",
    ]
)
SCALARS = WORDS | st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES | SCALARS, inner, max_size=6),
    max_leaves=12,
)
SOME = st.dictionaries(NAMES, VALUES, max_size=8)


def entries(kind: str, fixed: dict[str, Any]) -> st.SearchStrategy[Any]:
    name = fixed.pop("name")
    one = SOME.map(lambda more: {"name": name, kind: {**fixed, **more}})
    return st.lists(one, min_size=1, max_size=2) | VALUES


KUBECONFIGS = st.fixed_dictionaries(
    {
        "current-context": st.just("here"),
        "contexts": st.just([{"name": "here", "context": {"cluster": "c", "user": "me"}}]),
        "clusters": entries("cluster", {"name": "c", "server": "https://host"}),
        "users": entries("user", {"name": "me"}),
    }
)


def read(text: bytes, folder: Path) -> None:
    path = folder / "config"
    path.write_bytes(text)
    with contextlib.suppress(ConfigError):
        from_kubeconfig([path], environ={}, clock=FakeClock())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("hostile")


@pytest.mark.slow
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(content=KUBECONFIGS)
def test_any_fields(folder: Path, content: dict[str, Any]) -> None:
    read(yaml.safe_dump(content).encode(), folder)


@settings(max_examples=200, deadline=None)
@given(text=st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_text(folder: Path, text: bytes) -> None:
    read(text, folder)


YAML = st.lists(
    st.sampled_from(
        [
            "users",
            ":",
            " ",
            "\n",
            "- ",
            "&a",
            "*a",
            "{",
            "}",
            "[",
            "]",
            "!!int",
            "!",
            "|",
            ">",
            "'",
            '"',
            "<<",
            "? ",
            "---",
            "...",
            "%",
            "\t",
            "name",
            "0x",
            "~",
            "!!binary",
            "!!set",
            ",",
        ]
    ),
    max_size=40,
).map("".join)


@settings(max_examples=500, deadline=None)
@given(text=YAML)
def test_anything_like_yaml(folder: Path, text: str) -> None:
    read(text.encode(), folder)
