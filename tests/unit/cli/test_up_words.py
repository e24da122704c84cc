"""What `kedge up` says can be typed as it stands, and is so."""

import shlex
from pathlib import Path

import pytest

from kedge.cli.up.command import plan_of
from kedge.cli.up.run import Plan, farewell, welcome

FLAGS = {
    "data": "kedge-data",
    "host": "127.0.0.1",
    "port": 6443,
    "kubeconfig": None,
    "metrics_address": "",
    "schedule_skip_immediately": False,
    "demo": False,
}


def plan(tmp_path: Path, **flags: object) -> Plan:
    return plan_of(FLAGS | flags, tmp_path)


@pytest.mark.parametrize("demo", [False, True])
def test_a_path_with_spaces_can_be_typed(tmp_path: Path, demo: bool) -> None:
    kubeconfig = Path("/home/a b/it's/kubeconfig")
    shown = welcome("https://127.0.0.1:1", kubeconfig, plan(tmp_path, demo=demo))
    (line,) = (one for one in shown.splitlines() if "export" in one)
    assert shlex.split(line) == ["export", f"KUBECONFIG={kubeconfig}"]


@pytest.mark.parametrize(
    ("data", "line"),
    [
        ("kedge-data", "stopped; `kedge up` goes on where it was"),
        ("/srv/a b", "stopped; `kedge up --data '/srv/a b'` goes on where it was"),
        (":memory:", "stopped"),
    ],
)
def test_it_says_how_to_go_on(tmp_path: Path, data: str, line: str) -> None:
    assert farewell(plan(tmp_path, data=data)) == line
