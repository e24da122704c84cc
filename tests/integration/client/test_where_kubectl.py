"""KUBECONFIG lists mean to us what they mean to the real kubectl."""

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from kedge.aio.clock import SystemClock
from kedge.client.where import ConfigError, from_kubeconfig
from kedge.client.where.choose import Choice, Overrides, choose
from kedge.client.where.entries import Cluster, ExecConfig, User
from kedge.client.where.kubeconfig import load
from kedge.client.where.local import default_paths
from tests.integration.clients.kubectls import found
from tests.unit.client.where.material import b64, made

PROGRAMS = list(found().values())
pytestmark = pytest.mark.skipif(not PROGRAMS, reason="no kubectl on PATH or in the cache folder")
ONE, TWO = made("one"), made("two")

FILES: dict[str, Any] = {
    "empty": "",
    "comment": "# nothing\n",
    "main": {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "a",
        "contexts": [
            {"name": "a", "context": {"cluster": "c1", "user": "u1", "namespace": "n1"}},
            {"name": "b", "context": {"cluster": "c2", "user": "u2"}},
            {"name": "m", "context": {"cluster": "c1", "user": "u9"}},
        ],
        "clusters": [
            {
                "name": "c1",
                "cluster": {
                    "server": "https://one:6443/prefix",
                    "certificate-authority": "ca.crt",
                    "tls-server-name": "inner",
                    "disable-compression": True,
                },
            }
        ],
        "users": [
            {
                "name": "u1",
                "user": {"client-certificate": "me.crt", "client-key": "../keys/me.key"},
            }
        ],
    },
    "other/second": {
        "current-context": "b",
        "contexts": [{"name": "a", "context": {"cluster": "c2", "user": "u2"}}],
        "clusters": [
            {"name": "c1", "cluster": {"server": "https://shadowed"}},
            {
                "name": "c2",
                "cluster": {
                    "server": "http://two",
                    "insecure-skip-tls-verify": True,
                    "proxy-url": "http://proxy:3128",
                    "extensions": [
                        {"name": "client.authentication.k8s.io/exec", "extension": {"a": [1]}}
                    ],
                },
            },
        ],
        "users": [
            {"name": "u1", "user": {"token": "shadowed"}},
            {
                "name": "u2",
                "user": {
                    "token": "12:30",
                    "tokenFile": "tokens/t",
                    "as": "boss",
                    "as-uid": "7",
                    "as-groups": ["g", ""],
                    "as-user-extra": {"k": ["v", "w"]},
                },
            },
            {"name": "u3", "user": {"username": "u", "password": "p"}},
            {
                "name": "u9",
                "user": {
                    "exec": {
                        "apiVersion": "client.authentication.k8s.io/v1beta1",
                        "command": "bin/get",
                        "args": ["a", ""],
                        "env": [{"name": "E", "value": "v"}],
                        "provideClusterInfo": True,
                    }
                },
            },
        ],
    },
    "third.json": json.dumps(
        {
            "contexts": [{"name": "c", "context": {"cluster": "c3", "user": "u4"}}],
            "clusters": [
                {
                    "name": "c3",
                    "cluster": {
                        "server": "https://three",
                        "certificate-authority-data": b64(TWO.certificate),
                    },
                }
            ],
            "users": [
                {
                    "name": "u4",
                    "user": {
                        "client-certificate-data": b64(ONE.certificate),
                        "client-key-data": b64(ONE.key),
                    },
                }
            ],
        }
    ),
    "only-context": "current-context: c\n---\ncurrent-context: a\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "keys").mkdir()
    (tmp_path / "keys" / "me.key").write_bytes(ONE.key)
    home = tmp_path / "conf"
    for name, content in FILES.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else yaml.safe_dump(content))
    (home / "ca.crt").write_bytes(TWO.certificate)
    (home / "me.crt").write_bytes(ONE.certificate)
    return home


def theirs(folder: Path, names: list[str], context: str) -> dict[str, Any]:
    """Ask kubectl what a list of files comes to."""
    command = [str(PROGRAMS[-1]), "config", "view", "--flatten", "--minify", "--raw", "-o", "json"]
    command += [f"--context={context}"] if context else []
    environ = {"KUBECONFIG": os.pathsep.join(names), "HOME": str(folder), "PATH": "/nowhere"}
    done = subprocess.run(
        command, capture_output=True, text=True, env=environ, cwd=folder, timeout=30, check=False
    )
    if done.returncode:
        return {"error": done.stderr}
    view = json.loads(done.stdout)
    return {
        "cluster": view["clusters"][0]["cluster"],
        "user": view["users"][0]["user"] if view["users"] else {},
        "namespace": view["contexts"][0]["context"].get("namespace", "default"),
    }


def ours(choice: Choice) -> dict[str, Any]:
    """Write what we make of them in the same way."""
    return {
        "cluster": _cluster(choice.cluster),
        "user": _user(choice.user),
        "namespace": choice.namespace,
    }


def _cluster(cluster: Cluster) -> dict[str, Any]:
    extension = {"name": "client.authentication.k8s.io/exec", "extension": cluster.exec_config}
    told = {
        "server": cluster.server,
        "tls-server-name": cluster.tls_server_name,
        "insecure-skip-tls-verify": cluster.insecure,
        "certificate-authority-data": _data(cluster.ca_data, cluster.ca),
        "proxy-url": cluster.proxy_url,
        "disable-compression": cluster.disable_compression,
        "extensions": [extension] if cluster.exec_config else None,
    }
    return {name: value for name, value in told.items() if value}


def _user(user: User) -> dict[str, Any]:
    whom = user.impersonation
    told = {
        "client-certificate-data": _data(user.client_certificate_data, user.client_certificate),
        "client-key-data": _data(user.client_key_data, user.client_key),
        "token": user.token,
        "tokenFile": _as_written(user.token_file, user),
        "username": user.username,
        "password": user.password,
        "as": whom.user,
        "as-uid": whom.uid,
        "as-groups": list(whom.groups),
        "as-user-extra": {key: list(values) for key, values in whom.extra.items()},
        "exec": _exec(user.exec, user) if user.exec else None,
    }
    return {name: value for name, value in told.items() if value}


def _as_written(path: str, user: User) -> str:
    """Undo what kubectl leaves to those who use the file."""
    assert user.origin is not None
    return os.path.relpath(path, user.origin.absolute().parent) if path else ""


def _exec(config: ExecConfig, user: User) -> dict[str, Any]:
    return {
        "apiVersion": config.api_version,
        "command": _as_written(config.command, user),
        "args": list(config.args),
        "env": [{"name": name, "value": value} for name, value in config.env],
        "provideClusterInfo": config.provide_cluster_info,
        "interactiveMode": config.interactive_mode or "IfAvailable",
    }


def _data(data: bytes, path: str) -> str:
    return b64(data or (Path(path).read_bytes() if path else b""))


@pytest.mark.parametrize("context", ["", "a", "b", "c", "m"])
@pytest.mark.parametrize(
    "names",
    [
        ["main", "other/second", "third.json"],
        ["other/second", "main", "third.json"],
        ["third.json", "missing", "other/second", "", "main"],
        ["empty", "comment", "main", "main", "other/second"],
        ["only-context", "third.json", "other/second"],
        ["third.json", "only-context", "main", "other/second"],
    ],
    ids="+".join,
)
def test_a_list_comes_to_the_same(
    folder: Path, names: list[str], context: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    expected = theirs(folder, names, context)
    paths = default_paths({"KUBECONFIG": os.pathsep.join(names)})
    config = load(paths, must_exist=False)
    if "error" in expected:
        with pytest.raises(ConfigError):
            choose(config, context or None, Overrides())
        return
    found = ours(choose(config, context or None, Overrides()))
    assert found == expected


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("clusters: {}", id="a mapping for a list"),
        pytest.param("users: [{name: a, user: {token: 1}}]", id="a number for a token"),
        pytest.param("users: [{name: a, user: {token: y}}]", id="a boolean for a token"),
        pytest.param("users: [{name: a}, {name: a}]", id="a name twice"),
        pytest.param("users: [{name: a, user: {client-key-data: '*'}}]", id="no base64"),
        pytest.param("kind: Pod", id="another kind"),
        pytest.param("[]", id="a list"),
        pytest.param("a: [", id="broken"),
        pytest.param("users: [{name: a, user: {exec: {args: [1]}}}]", id="a number as argument"),
        pytest.param("clusters: [{name: a, cluster: {disable-compression: 'no'}}]", id="no flag"),
    ],
)
def test_what_kubectl_refuses_we_refuse(folder: Path, text: str) -> None:
    (folder / "bad").write_text(text)
    assert "error" in theirs(folder, ["bad"], "")
    with pytest.raises(ConfigError, match="bad"):
        load([folder / "bad"], must_exist=True)


@pytest.mark.parametrize("content", ["", "# nothing", "null", "kind: Config", "users: null"])
def test_a_file_that_says_nothing_is_no_error(folder: Path, content: str) -> None:
    (folder / "mute").write_text(content)
    names = ["mute", "third.json", "only-context"]
    expected = theirs(folder, names, "")
    found = choose(load([folder / name for name in names], must_exist=True), None, Overrides())
    assert ours(found) == expected


def test_an_explicit_file_must_exist(tmp_path: Path) -> None:
    done = subprocess.run(
        [str(PROGRAMS[-1]), "--kubeconfig", "missing", "get", "nodes"],
        capture_output=True, text=True, cwd=tmp_path, env={"HOME": str(tmp_path)}, check=False,
    )  # fmt: skip
    assert "no such file" in done.stderr
    with pytest.raises(ConfigError, match="does not exist"):
        from_kubeconfig([tmp_path / "missing"], environ={}, clock=SystemClock())
