"""The shipped table of built-in kinds is what the generator makes from a real server."""

import json
import shutil

import pytest

from kedge.apiserver.kinds.table import DATA, builtin
from tests.real_cluster import RealCluster
from tools.gen_kinds import render
from tools.kinds.source import Server, read


@pytest.mark.slow
def test_the_table_is_what_a_real_server_says(real_cluster: RealCluster) -> None:
    version = json.loads(real_cluster.get("/version"))["gitVersion"]
    if version != builtin().server:
        pytest.skip(f"the table is of {builtin().server}, the server is {version}")
    if shutil.which("go") is None:
        pytest.skip("the generator needs Go")
    assert render(read(Server(real_cluster.kubeconfig))) == DATA.read_text()
