"""Where the programs of a real cluster are looked for."""

from pathlib import Path

import pytest

from tests.real_cluster.programs import Missing, find, kubectls
from tools.real_cluster.build import KUBERNETES

ALL = ("etcd", "kube-apiserver", "kube-controller-manager", "kubectl")


def fill(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True)
    for name in names:
        (folder / name).write_text("#!/bin/sh\n")
        (folder / name).chmod(0o755)
    return folder


def test_assets_of_the_kubernetes_test_kit_come_first(tmp_path: Path) -> None:
    assets = fill(tmp_path / "assets", *ALL)
    fill(tmp_path / "cache/kedge/real-cluster" / KUBERNETES, *ALL)
    environ = {"KUBEBUILDER_ASSETS": str(assets), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    assert find(environ).apiserver == assets / "kube-apiserver"


def test_assets_without_a_server_leave_the_cache_folder(tmp_path: Path) -> None:
    assets = fill(tmp_path / "assets", "kubectl")
    cached = fill(tmp_path / "cache/kedge/real-cluster" / KUBERNETES, *ALL)
    environ = {"KUBEBUILDER_ASSETS": str(assets), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    assert find(environ).etcd == cached / "etcd"


def test_controllers_and_kubectl_may_be_absent(tmp_path: Path) -> None:
    fill(tmp_path / "kedge/real-cluster" / KUBERNETES, "etcd", "kube-apiserver")
    found = find({"XDG_CACHE_HOME": str(tmp_path)})
    assert (found.controller_manager, found.kubectl) == (None, None)


def test_what_is_missing_comes_with_the_command_to_build_it(tmp_path: Path) -> None:
    with pytest.raises(Missing, match="make real-cluster"):
        find({"XDG_CACHE_HOME": str(tmp_path)})


def test_every_kubectl_of_the_cache_is_listed_from_old_to_new(tmp_path: Path) -> None:
    for version in ("1.34.4", "1.9.11", "1.31.14"):
        fill(tmp_path / "kedge/real-cluster" / version, "kubectl")
    found = kubectls({"XDG_CACHE_HOME": str(tmp_path)})
    assert list(found) == ["1.9.11", "1.31.14", "1.34.4"]
