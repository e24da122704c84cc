import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from kedge.client.where.entries import User
from kedge.client.where.errors import ConfigError, NothingConfigured
from kedge.client.where.kubeconfig import load, parse
from tests.unit.client.where.material import config, written


def read(content: dict[str, Any]) -> User:
    return parse(yaml.safe_dump(content).encode(), Path("/etc/kube/config")).users["me"]


def test_the_first_file_wins_whole_entries(tmp_path: Path) -> None:
    one = written(tmp_path, config(user={"token": "first"}) | {"current-context": ""}, "one")
    two = written(tmp_path, config(user={"token": "second", "username": "u"}), "two")
    merged = load([one, two], must_exist=True)
    assert merged.users["me"].token == "first"
    assert merged.users["me"].username == ""
    assert merged.current_context == "here"


def test_entries_of_all_files_are_there(tmp_path: Path) -> None:
    one = written(tmp_path, {"users": [{"name": "a", "user": {}}]}, "one")
    two = written(tmp_path, {"users": [{"name": "b", "user": {}}]}, "two")
    assert set(load([one, two, one], must_exist=True).users) == {"a", "b"}


def test_missing_files_are_skipped_if_they_may_be_missing(tmp_path: Path) -> None:
    there = written(tmp_path, config())
    merged = load([tmp_path / "no", there / "below a file", there], must_exist=False)
    assert merged.current_context == "here"


def test_a_file_that_must_be_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="/no does not exist"):
        load([tmp_path / "no"], must_exist=True)


def test_no_file_at_all_is_nothing_configured(tmp_path: Path) -> None:
    with pytest.raises(NothingConfigured, match=r"no kubeconfig at .*/no"):
        load([tmp_path / "no"], must_exist=False)


def test_a_folder_is_not_a_kubeconfig(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"cannot read kubeconfig .*: Is a directory"):
        load([tmp_path], must_exist=False)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_cannot_be_read_is_an_error(tmp_path: Path) -> None:
    path = written(tmp_path, config())
    path.chmod(0)
    with pytest.raises(ConfigError, match="Permission denied"):
        load([path], must_exist=False)


@pytest.mark.parametrize(
    ("field", "written_as", "read_as"),
    [
        pytest.param("client-certificate", "c.pem", "/etc/kube/c.pem", id="beside the file"),
        pytest.param("client-key", "../k.pem", "/etc/k.pem", id="above the file"),
        pytest.param("tokenFile", "/t", "/t", id="absolute"),
        pytest.param("tokenFile", "./a//b", "/etc/kube/a/b", id="tidied"),
    ],
)
def test_files_are_relative_to_the_kubeconfig(field: str, written_as: str, read_as: str) -> None:
    user = read(config(user={field: written_as}))
    attribute = {"tokenFile": "token_file"}.get(field, field.replace("-", "_"))
    assert getattr(user, attribute) == read_as


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("./get", "/etc/kube/get"),
        ("bin/get", "/etc/kube/bin/get"),
        ("get", "get"),
        ("/get", "/get"),
    ],
)
def test_commands_with_a_slash_are_relative_to_the_kubeconfig(command: str, found: str) -> None:
    user = read(config(user={"exec": {"command": command}}))
    assert user.exec is not None
    assert user.exec.command == found


@pytest.mark.parametrize(
    ("content", "message"),
    [
        pytest.param([], "^F must be a mapping, not a list", id="a list"),
        pytest.param("text", "^F must be a mapping, not a string", id="a text"),
        pytest.param({"users": {}}, "^F: users must be a list, not a mapping", id="users"),
        pytest.param({"users": ["x"]}, r"^F: users\[0\] must be a mapping", id="one user"),
        pytest.param({"users": [{"name": 1}]}, r"^F: users\[0\].name must be a string", id="name"),
        pytest.param({"kind": "Pod"}, "^F: kind must be Config", id="kind"),
        pytest.param({"apiVersion": "v2"}, "^F: apiVersion must be v1", id="version"),
        pytest.param({"current-context": 5}, "current-context must be a string", id="context"),
        pytest.param(
            config(user={"token": 12345}),
            r"users\[me\].user.token must be a string, not a number",
            id="token",
        ),
        pytest.param(
            config(user={"token": True}),
            r"users\[me\].user.token must be a string, not a boolean",
            id="yes",
        ),
        pytest.param(
            config(user={"client-key-data": "%"}),
            r"users\[me\].user.client-key-data must be base64",
            id="base64",
        ),
        pytest.param(
            config(user={"client-key-data": "é"}), "client-key-data must be base64", id="not ASCII"
        ),
        pytest.param(
            config(user={"exec": {"args": ["a", 1]}}),
            r"users\[me\].user.exec.args\[1\] must be a string",
            id="args",
        ),
        pytest.param(
            config(user={"exec": {"args": "a b"}}),
            r"exec.args must be a list, not a string",
            id="args as text",
        ),
        pytest.param(
            config(user={"exec": {"env": [{"name": "A", "value": 1}]}}),
            r"exec.env\[A\].value must be a string",
            id="env",
        ),
        pytest.param(
            config(user={"exec": []}), r"user.exec must be a mapping, not a list", id="exec"
        ),
        pytest.param(
            config(user={"as-groups": [["x"]]}),
            r"user.as-groups\[0\] must be a string, not a list",
            id="groups",
        ),
        pytest.param(
            config(user={"as-user-extra": {"a": "b"}}), "as-user-extra.a must be a list", id="extra"
        ),
        pytest.param(
            config(user={"auth-provider": {"name": "oidc", "config": {"client-id": 5}}}),
            "auth-provider.config.client-id must be a string",
            id="provider",
        ),
        pytest.param(
            config(cluster={"insecure-skip-tls-verify": "true"}),
            r"clusters\[c\].cluster.insecure-skip-tls-verify must be true or false, not a string",
            id="flag",
        ),
        pytest.param(
            config(cluster={"server": ["a"]}),
            r"clusters\[c\].cluster.server must be a string",
            id="server",
        ),
        pytest.param(
            config(cluster={"extensions": [{"name": "a"}, {"name": "a"}]}),
            r"clusters\[c\].cluster.extensions\[a\] is there twice",
            id="extension twice",
        ),
        pytest.param(
            {"users": [{"name": "a"}, {"name": "a"}]}, r"users\[a\] is there twice", id="user twice"
        ),
        pytest.param(
            {"clusters": [{"name": "a"}, {"name": "a"}]},
            r"clusters\[a\] is there twice",
            id="cluster twice",
        ),
        pytest.param({"contexts": [{}, {}]}, r"contexts\[1\] is there twice", id="no names"),
    ],
)
def test_what_is_wrong_is_named(content: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        parse(yaml.safe_dump(content).encode(), Path("F"))


def test_what_is_unknown_is_not_looked_at() -> None:
    user = read(config(user={"shoe-size": [44], "token": "t"}, preferences={"colors": 7}))
    assert user.token == "t"


def test_null_reads_as_absent() -> None:
    user = read(config(user={"token": None, "as-groups": None, "exec": None, "username": "u"}))
    assert (user.token, user.impersonation.groups, user.exec) == ("", (), None)


def test_base64_may_be_broken_into_lines() -> None:
    assert read(config(user={"client-key-data": "YW\nJj\r\n"})).client_key_data == b"abc"
