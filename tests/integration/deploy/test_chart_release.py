"""A release of the chart on the embedded API, and a real one: installed, upgraded, uninstalled."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from kedge.api.crd import crds
from tests.integration.apiserver_process import running as embedded
from tests.integration.clients.kubectl import Kubectl
from tests.integration.clients.kubectls import found
from tests.integration.deploy.chart import CHART, Helm, by_key
from tests.real_cluster import running as real
from tests.real_cluster.fixture import needed_programs

LOCATION = ("--set", "location.provider=aws,location.bucket=b,location.config.region=x")
KINDS = {crd["metadata"]["name"] for crd in crds()}


@pytest.fixture(scope="module", params=["embedded", pytest.param("real", marks=pytest.mark.slow)])
def kubectl(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Kubectl]:
    """A cluster to ourselves, seen with the newest kubectl: kinds are of the whole cluster."""
    programs = found()
    if not programs:
        pytest.skip("no kubectl on PATH or in the cache folder")
    folder = tmp_path_factory.mktemp("release")
    version, program = list(programs.items())[-1]
    if request.param == "embedded":
        with embedded(folder / "data") as server:
            yield Kubectl(version, program, server.kubeconfig, "backups", folder)
            assert server.errors() == ""
        return
    with real(needed_programs(), folder / "cluster") as cluster:
        yield Kubectl(version, program, cluster.kubeconfig, "backups", folder)


def release(helm: Helm, kubectl: Kubectl, *arguments: str) -> str:
    """Run a command of Helm on the cluster, which must succeed."""
    place = ("--namespace", kubectl.namespace, "--kubeconfig", str(kubectl.kubeconfig))
    done = helm.run(*arguments, *place)
    assert done.returncode == 0, done.stderr
    return done.stdout


def kinds(kubectl: Kubectl) -> set[str]:
    """Give the names of the CRDs that there are."""
    answer = kubectl.ok("get", "crds", "--output=json")
    return {item["metadata"]["name"] for item in json.loads(answer)["items"]}


def test_a_release_from_its_first_day_to_its_last(helm: Helm, kubectl: Kubectl) -> None:
    chart = str(CHART)
    told = release(helm, kubectl, "install", "kedge", chart, "--create-namespace", *LOCATION)
    assert "THE STORAGE LOCATION IS NOT MADE YET" in told
    assert kinds(kubectl) == KINDS
    assert kubectl.get("deployment", "kedge")["spec"]["replicas"] == 1

    told = release(helm, kubectl, "upgrade", "kedge", chart, "--reuse-values", "--set=replicas=2")
    assert "NOT MADE YET" not in told
    location = kubectl.get("backupstoragelocations.velero.io", "default")
    assert location["spec"]["objectStorage"]["bucket"] == "b"
    assert kubectl.get("deployment", "kedge")["spec"]["replicas"] == 2
    assert kubectl.get("poddisruptionbudget", "kedge")["spec"]["maxUnavailable"] == 1

    release(helm, kubectl, "uninstall", "kedge")
    assert kinds(kubectl) == KINDS
    assert kubectl.get("backupstoragelocations.velero.io", "default")["spec"]["provider"] == "aws"
    assert kubectl.run("get", "deployment", "kedge").returncode != 0

    # What was kept is taken up again.
    release(helm, kubectl, "install", "kedge", chart, *LOCATION)
    assert kubectl.get("deployment", "kedge")["spec"]["replicas"] == 1


def test_what_is_rendered_can_be_applied(helm: Helm, kubectl: Kubectl, tmp_path: Path) -> None:
    text = helm.template({"namespace": {"create": True}, "replicas": 2}, "others")
    file = tmp_path / "rendered.yaml"
    file.write_text(text, "utf-8")
    apply = ("apply", "--server-side", "--force-conflicts", "--validate=strict", "-f", str(file))
    there = replace(kubectl, namespace="others")
    there.ok(*apply)
    again = there.ok(*apply).splitlines()
    assert len(again) == len(by_key(text))
