from pathlib import Path

import pytest

from kedge.client.where import Access, ConfigError, NothingConfigured, Overrides, find
from kedge.testing import FakeClock
from tests.unit.client.where.material import config, made, written

POD = {"KUBERNETES_SERVICE_HOST": "10.0.0.1", "KUBERNETES_SERVICE_PORT": "443"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "account"
    folder.mkdir()
    (folder / "ca.crt").write_bytes(made("ca").certificate)
    (folder / "token").write_text("t")
    return folder


def at(folder: Path, name: str) -> Path:
    return written(folder, config(cluster={"server": f"https://{name.replace('/', '-')}"}), name)


def found(root: Path, environ: dict[str, str], kubeconfig: Path | None = None) -> Access:
    return find(kubeconfig, environ=environ, clock=FakeClock(), root=root)


def test_the_order_of_places(tmp_path: Path, root: Path) -> None:
    named, listed = at(tmp_path, "named"), at(tmp_path, "listed")
    home = at(tmp_path, ".kube/config")
    environ = {**POD, "KUBECONFIG": str(listed), "HOME": str(tmp_path)}
    assert found(root, environ, named).server == "https://named"
    assert found(root, environ).server == "https://listed"
    del environ["KUBECONFIG"]
    assert found(root, environ).server == "https://.kube-config"
    home.unlink()
    assert found(root, environ).server == "https://10.0.0.1:443"


@pytest.mark.parametrize("content", ["", "# nothing", "clusters: []", None])
def test_files_that_say_nothing_leave_it_to_the_pod(
    tmp_path: Path, root: Path, content: str | None
) -> None:
    path = tmp_path / "config" if content is None else written(tmp_path, content)
    assert found(root, {**POD, "KUBECONFIG": str(path)}).server == "https://10.0.0.1:443"


def test_a_file_that_is_named_is_not_passed_over(tmp_path: Path, root: Path) -> None:
    with pytest.raises(ConfigError, match="does not exist"):
        found(root, POD, tmp_path / "missing")
    with pytest.raises(ConfigError, match="no contexts and no clusters"):
        found(root, POD, written(tmp_path, ""))


def test_a_broken_file_is_not_passed_over(tmp_path: Path, root: Path) -> None:
    with pytest.raises(ConfigError, match="not valid YAML"):
        found(root, {**POD, "KUBECONFIG": str(written(tmp_path, "a: ["))})


def test_all_that_was_tried_is_told(tmp_path: Path, root: Path) -> None:
    with pytest.raises(NothingConfigured) as caught:
        found(root, {"HOME": str(tmp_path)})
    told = str(caught.value)
    for part in (
        f"{tmp_path}/.kube/config",
        "KUBERNETES_SERVICE_HOST",
        "--kubeconfig",
        "KUBECONFIG",
    ):
        assert part in told


def test_without_a_home_there_is_no_default_file(root: Path) -> None:
    with pytest.raises(NothingConfigured, match="KUBECONFIG and HOME are not set"):
        found(root, {})


def test_a_namespace_can_be_chosen_in_a_pod(root: Path) -> None:
    access = find(environ=POD, clock=FakeClock(), root=root, overrides=Overrides(namespace="other"))
    assert access.namespace == "other"


def test_other_choices_need_a_kubeconfig(root: Path) -> None:
    with pytest.raises(ConfigError, match=r"^context, token cannot be used without a kubeconfig"):
        find(
            context="x",
            overrides=Overrides(token="hunter2"),
            environ=POD,
            clock=FakeClock(),
            root=root,
        )


@pytest.mark.asyncio
async def test_a_server_needs_no_kubeconfig(root: Path) -> None:
    overrides = Overrides(server="https://x", token="t", insecure=True)
    access = find(environ=POD, clock=FakeClock(), root=root, overrides=overrides)
    assert access.server == "https://x"
    assert (await access.credentials.login()).headers["Authorization"] == "Bearer t"
