import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from kedge.client.where import document
from kedge.client.where.errors import ConfigError
from kedge.client.where.tokens import KubeconfigTokens

NEW = {"id-token": 'new: "token" # é', "refresh-token": "y"}

PLAIN = """\
# my clusters
users:
- name: other
  user: {token: keep}
- name: me   # that is me
  user:
    auth-provider:
      config:
        client-id: c
        # the token
        id-token: old   # of yesterday
        refresh-token: 'once'
      name: oidc
current-context: 'y'
when: 2020-01-01
"""
MISSING = PLAIN.replace("        id-token: old   # of yesterday\n", "")
FLOW = """{"users": [{"name": "me", "user": {"auth-provider":
 {"name": "oidc", "config": {"client-id": "c", "id-token": "old"}}}}], "x": [1]}"""
FOLDED = PLAIN.replace("old   # of yesterday", ">-\n          old\n          token")
BLOCK = PLAIN.replace("old   # of yesterday", "|\n          old\n")
EMPTY = PLAIN.replace("old   # of yesterday", "")
SECOND = PLAIN + "---\nusers: []\n"
ALIASED = """\
config: &config {client-id: c, id-token: old}
users:
- {name: me, user: {auth-provider: {name: oidc, config: *config}}}
- {name: you, user: {auth-provider: {name: oidc, config: *config}}}
"""
TWICE = PLAIN.replace("id-token: old ", "id-token: older\n        id-token: old ")
WINDOWS = PLAIN.replace("\n", "\r\n")
MARKED = "\ufeff" + PLAIN


def config(value: Any, name: str = "me") -> dict[str, Any]:
    entry = next(one for one in value["users"] if one["name"] == name)
    found: dict[str, Any] = entry["user"]["auth-provider"]["config"]
    return found


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        pytest.param(PLAIN, ["# my clusters", "# that is me", "# of yesterday"], id="plain"),
        pytest.param(MISSING, ["# my clusters", "# the token"], id="no token yet"),
        pytest.param(FLOW, ['"x": [1]'], id="JSON"),
        pytest.param(FOLDED, ["# my clusters"], id="folded"),
        pytest.param(BLOCK, ["# my clusters"], id="block"),
        pytest.param(EMPTY, ["# my clusters"], id="empty value"),
        pytest.param(SECOND, ["# my clusters", "---\nusers: []"], id="two documents"),
        pytest.param(ALIASED, [], id="aliases"),
        pytest.param(TWICE, ["# my clusters"], id="a key twice"),
        pytest.param(WINDOWS, ["# my clusters\r\n"], id="carriage returns"),
        pytest.param(MARKED, ["# my clusters"], id="byte order mark"),
    ],
)
def test_only_the_tokens_change(tmp_path: Path, text: str, kept: list[str]) -> None:
    path = tmp_path / "config"
    path.write_bytes(text.encode())
    before = document.read(text.encode(), "f")
    tokens = KubeconfigTokens(path, "me")
    tokens.save(NEW)
    after = path.read_bytes()
    value = document.read(after, "f")
    assert {name: config(value)[name] for name in NEW} == NEW
    assert tokens.load()["client-id"] == "c"
    config(before).update(NEW)
    assert value == before
    for one in kept:
        assert one in after.decode()


@pytest.mark.parametrize("encoding", ["utf-16"])
def test_other_encodings_are_written_anew(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "config"
    path.write_bytes(PLAIN.encode(encoding))
    KubeconfigTokens(path, "me").save(NEW)
    assert config(yaml.safe_load(path.read_text()))["refresh-token"] == "y"


def test_a_link_stays_a_link_and_a_mode_stays(tmp_path: Path) -> None:
    real = tmp_path / "real"
    real.write_text(PLAIN)
    real.chmod(0o640)
    link = tmp_path / "link"
    link.symlink_to("real")
    KubeconfigTokens(link, "me").save(NEW)
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640
    assert sorted(one.name for one in tmp_path.iterdir()) == ["link", "real"]


def test_a_file_that_is_locked_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text(PLAIN)
    (tmp_path / "config.lock").touch()
    with pytest.raises(ConfigError, match=r"cannot write kubeconfig .*: File exists"):
        KubeconfigTokens(path, "me").save(NEW)
    assert path.read_text() == PLAIN
    assert (tmp_path / "config.lock").exists()


def test_a_user_that_is_gone_is_told(tmp_path: Path) -> None:
    path = tmp_path / "config"
    path.write_text(PLAIN)
    with pytest.raises(ConfigError, match="not there any more"):
        KubeconfigTokens(path, "nobody").save(NEW)
    with pytest.raises(ConfigError, match="not there any more"):
        KubeconfigTokens(path, "other").load()
    path.unlink()
    with pytest.raises(ConfigError, match="does not exist"):
        KubeconfigTokens(path, "me").save(NEW)
    assert list(tmp_path.iterdir()) == []


def test_a_failure_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "config"
    path.write_text(PLAIN)

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ConfigError, match="No space left"):
        KubeconfigTokens(path, "me").save(NEW)
    assert path.read_text() == PLAIN
    assert [one.name for one in tmp_path.iterdir()] == ["config"]
