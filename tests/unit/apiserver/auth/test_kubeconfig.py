"""The administrator's kubeconfig."""

import base64
import stat
from pathlib import Path

import yaml

from kedge.apiserver.auth import kubeconfig
from kedge.apiserver.auth.certificates import prepare
from kedge.testing import FakeClock


def test_a_kubeconfig_has_all_it_needs_inside(tmp_path: Path, clock: FakeClock) -> None:
    pki = prepare(tmp_path / "pki", clock)
    path = tmp_path / "config"
    path.write_text("something else")
    kubeconfig.write(path, "https://127.0.0.1:6443", pki)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    config = yaml.safe_load(path.read_text())
    assert config["current-context"] == "kedge"
    assert config["contexts"] == [
        {"name": "kedge", "context": {"cluster": "kedge", "user": "kedge"}}
    ]
    cluster, user = config["clusters"][0]["cluster"], config["users"][0]["user"]
    assert cluster["server"] == "https://127.0.0.1:6443"
    for data, name in (
        (cluster["certificate-authority-data"], "ca.crt"),
        (user["client-certificate-data"], "admin.crt"),
        (user["client-key-data"], "admin.key"),
    ):
        assert base64.b64decode(data) == pki.path(name).read_bytes()
