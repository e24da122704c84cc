import json
from pathlib import Path
from typing import Any

import pytest

from kedge.client.where.entries import Cluster, ExecConfig
from kedge.client.where.errors import ConfigError
from kedge.client.where.execinfo import asked
from kedge.client.where.server import parse
from kedge.client.where.surroundings import Surroundings
from kedge.testing import FakeClock

VERSION = "client.authentication.k8s.io/v1"


def told(cluster: Cluster, provide: bool = True) -> Any:
    config = ExecConfig("exec", "get", VERSION, provide_cluster_info=provide)
    around = Surroundings(cluster, parse("https://u:p@host/x/", "s"), {}, FakeClock())
    return json.loads(asked(config, around))


def test_a_cluster_is_told_only_if_asked_for() -> None:
    assert told(Cluster(), provide=False) == {
        "kind": "ExecCredential",
        "apiVersion": VERSION,
        "spec": {"interactive": False},
    }


def test_all_of_a_cluster_is_told(tmp_path: Path) -> None:
    (tmp_path / "ca").write_bytes(b"abc")
    cluster = Cluster(
        "c",
        tls_server_name="name",
        ca=str(tmp_path / "ca"),
        proxy_url="http://p",
        disable_compression=True,
        exec_config={"audience": ["x", 1, 2.5, True, None, {7: "a", True: "b", None: "c"}]},
    )
    assert told(cluster)["spec"]["cluster"] == {
        "server": "https://host/x",
        "tls-server-name": "name",
        "certificate-authority-data": "YWJj",
        "proxy-url": "http://p",
        "disable-compression": True,
        "config": {"audience": ["x", 1, 2.5, True, None, {"7": "a", "true": "b", "null": "c"}]},
    }


def test_little_is_told_of_a_little_cluster() -> None:
    assert told(Cluster("c", insecure=True))["spec"]["cluster"] == {
        "server": "https://host/x",
        "insecure-skip-tls-verify": True,
        "config": None,
    }


def test_data_of_an_authority_go_before_its_file() -> None:
    cluster = told(Cluster("c", ca="/no", ca_data=b"abc"))["spec"]["cluster"]
    assert cluster["certificate-authority-data"] == "YWJj"


def bomb() -> list[Any]:
    one: list[Any] = []
    for _ in range(60):
        one = [one, one]
    return one


def knot() -> list[Any]:
    one: list[Any] = []
    one.append(one)
    return one


@pytest.mark.parametrize("value", [bomb(), knot(), float("nan"), b"x", {"a": {1, 2}}])
def test_an_extension_that_is_no_json_is_named(value: Any) -> None:
    with pytest.raises(
        ConfigError, match=r"^c\.extensions\[client\.authentication\.k8s\.io/exec\] "
    ):
        told(Cluster("c", exec_config=value))
