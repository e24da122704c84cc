"""An embedded API and a real one for installations, each with a kubectl and to themselves."""

import re
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from click.testing import CliRunner

from kedge.cli.app import kedge as app
from tests.integration.apiserver_process import running as embedded
from tests.integration.clients.kubectl import Kubectl
from tests.integration.clients.kubectls import found
from tests.real_cluster import running as real
from tests.real_cluster.cluster import Setup
from tests.real_cluster.fixture import needed_programs

CONTROLLERS = ("namespace", "garbagecollector", "clusterrole-aggregation")
"""Of the real cluster: those that take things away, and none that starts pods."""
ABOUT = re.compile(r"\w+/\S+: ")


@dataclass(frozen=True)
class Site:
    """A cluster to install on."""

    kubectl: Kubectl
    home: Path

    def kedge(
        self, *arguments: str, kubeconfig: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run `kedge install` with this cluster's kubeconfig to its end."""
        return self.run("install", *arguments, kubeconfig=kubeconfig)

    def run(
        self, *arguments: str, kubeconfig: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        """Run `kedge` with this cluster's kubeconfig to its end; nobody is there to answer.

        It runs in this process: to start one each time would take longer than most of them do.
        """
        config = str(kubeconfig or self.kubectl.kubeconfig)
        env = {"HOME": str(self.home), "KUBECONFIG": config}
        done = CliRunner().invoke(app, arguments, env=env, prog_name="kedge")
        return subprocess.CompletedProcess(arguments, done.exit_code, done.stdout, done.stderr)

    def install(self, *flags: str) -> list[str]:
        """Install, which must succeed without a complaint; give the lines about objects."""
        return self.lines("install", *flags)

    def uninstall(self, *flags: str) -> list[str]:
        """Uninstall, which must succeed without a complaint; give the lines about objects."""
        return self.lines("uninstall", *flags)

    def lines(self, *arguments: str) -> list[str]:
        """Run `kedge`, which must succeed without a complaint; give the lines about objects."""
        done = self.run(*arguments)
        assert (done.returncode, done.stderr) == (0, ""), done.stderr
        return [line for line in done.stdout.splitlines() if ABOUT.match(line)]


@pytest.fixture(scope="session", params=["embedded", pytest.param("real", marks=pytest.mark.slow)])
def place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    """A cluster that knows nothing of us; kinds are of the whole cluster, so it is not shared."""
    programs = found()
    if not programs:
        pytest.skip("no kubectl on PATH or in the cache folder")
    folder = tmp_path_factory.mktemp("install")
    if request.param == "embedded":
        with embedded(folder / "data") as server:
            yield _site(server.kubeconfig, folder)
            assert server.errors() == ""
        return
    needed = needed_programs()
    with real(needed, folder / "cluster", Setup(controllers=CONTROLLERS)) as cluster:
        yield _site(cluster.kubeconfig, folder)


@pytest.fixture(scope="session")
def first(place: Site) -> list[str]:
    """The lines of the first installation; what other tests change they put back."""
    return place.install()


@pytest.fixture
def empty(tmp_path: Path) -> Iterator[Site]:
    """An embedded API of one test alone."""
    if not found():
        pytest.skip("no kubectl on PATH or in the cache folder")
    with embedded(tmp_path / "data") as server:
        yield _site(server.kubeconfig, tmp_path)


def _site(kubeconfig: Path, home: Path) -> Site:
    version, program = list(found().items())[-1]
    return Site(Kubectl(version, program, kubeconfig, "velero", home), home)
