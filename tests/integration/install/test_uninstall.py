"""`kedge uninstall` on the embedded API and on a real one: what goes, and what stays."""

import copy
import json
from typing import Any

import pytest
import yaml

from kedge.api.crd import crds
from kedge.cli.errors import FAILED
from tests.integration.install.conftest import Site

NAB_FINALIZER = "nonadminbackup.oadp.openshift.io/finalizer"
RESTORE_FINALIZER = "restores.velero.io/external-resources-finalizer"
RIGHTS = [
    "RoleBinding/kedge",
    "RoleBinding/kedge-nonadmin-policy",
    "Role/kedge",
    "Role/kedge-nonadmin-policy",
    "ServiceAccount/kedge",
    "ClusterRoleBinding/kedge",
    "ClusterRole/kedge",
]
PEOPLE = [
    f"ClusterRole/kedge-{what}-{who}"
    for what in ("nonadmin", "prescaled")
    for who in ("edit", "view")
]
SERVER = ["Deployment/kedge", "Service/kedge", *RIGHTS]
LONG = ("--timeout", "100s")


def apply(place: Site, api: str, kind: str, meta: dict[str, Any], **fields: Any) -> None:
    obj = {"apiVersion": api, "kind": kind, "metadata": meta, **fields}
    flags = ("apply", "--server-side", "-f", "-", "-n", meta["namespace"])
    place.kubectl.ok(*flags, stdin=json.dumps(obj))


@pytest.fixture
def site(place: Site) -> Site:
    """The cluster with one installation, and with objects that wait for its server."""
    chosen = ("-A", "-l", "app.kubernetes.io/name=kedge", "-o", "json")
    found = json.loads(place.kubectl.ok("get", "deployment", *chosen))["items"]
    homes = [one["metadata"]["namespace"] for one in found]
    for home in homes:
        if home != "velero":
            place.kubectl.ok("delete", "deployment", "kedge", "-n", home)
    if "velero" not in homes:
        place.install()
    place.kubectl.run("create", "namespace", "tenant")
    meta = {"name": "asked", "namespace": "tenant", "finalizers": [NAB_FINALIZER]}
    spec: dict[str, Any] = {"backupSpec": {}}
    apply(place, "oadp.openshift.io/v1alpha1", "NonAdminBackup", meta, spec=spec)
    meta = {"name": "back", "namespace": "velero", "finalizers": [RESTORE_FINALIZER]}
    apply(place, "velero.io/v1", "Restore", meta, spec={"backupName": "kept"})
    meta = {"name": "kept", "namespace": "velero"}
    apply(place, "velero.io/v1", "Backup", meta, spec={})
    return place


@pytest.mark.usefixtures("first")
def test_without_flags_the_server_goes_and_all_data_stays(site: Site) -> None:
    gone = site.uninstall()
    assert sorted(gone) == sorted(f"{label}: deleted" for label in [*SERVER, *PEOPLE])
    for obj in (("deployment", "kedge"), ("service", "kedge"), ("clusterrole", "kedge")):
        site.kubectl.refused("get", *obj)
    assert site.kubectl.get("backup", "kept")["metadata"].get("deletionTimestamp") is None
    assert site.kubectl.get("nab", "asked", "-n", "tenant")["metadata"]["finalizers"]
    again = site.run("uninstall", "--force", "--wait")
    assert (again.returncode, again.stderr) == (0, "")
    assert again.stdout.startswith("No server is in velero any more. All Schedules, Backups")
    assert "`kedge uninstall --delete-crds` takes the finalizers away" in again.stdout
    back = site.install()
    assert [line for line in back if not line.endswith(": unchanged")] == [
        f"{label}: created" for label in _in_order(back)
    ]


def _in_order(lines: list[str]) -> list[str]:
    wanted = {*SERVER, *PEOPLE}
    return [label for line in lines if (label := line.split(": ")[0]) in wanted]


@pytest.mark.usefixtures("first")
def test_kinds_that_another_installation_needs_stay(site: Site) -> None:
    site.install("-n", "second")
    done = site.run("uninstall", "--all", "--force")
    assert (done.returncode, done.stdout) == (1, "")
    assert "Kedge runs in second as well, where all would be lost" in done.stderr
    lines = site.uninstall("-n", "second")
    assert "ClusterRole/kedge-second: deleted" in lines
    assert f"{PEOPLE[0]}: left (Kedge runs in other namespaces, too)" in lines
    site.kubectl.get("clusterrole", "kedge")


def refuse(site: Site) -> None:
    """Have it refused to lose something where nobody can be asked."""
    done = site.run("uninstall", "--delete-crds")
    assert done.returncode == 2
    assert f"{FAILED}nobody can be asked here" in done.stderr
    assert f"{len(crds())} kinds of ours, and " in done.stdout
    assert "\n    1 nonadminbackups.oadp.openshift.io\n" in done.stdout
    assert "object storage stays as it is" in done.stdout
    site.kubectl.ok("get", "deployment", "kedge")


def stop_while_the_server_runs(site: Site) -> None:
    """Have it stop before it takes anything from a server that is still there."""
    template = site.kubectl.get("deployment", "kedge")["spec"]["template"]
    meta = {**template["metadata"], "name": "running", "namespace": "velero"}
    apply(site, "v1", "Pod", meta, spec=template["spec"])
    done = site.run("uninstall", "--all", "--force", "--timeout", "1s")
    assert (done.returncode, done.stdout) == (1, "Deployment/kedge: deleted\n")
    assert "its pods still run, so nothing else is deleted: running" in done.stderr
    site.kubectl.ok("delete", "pod", "running", "--force", "--grace-period=0")


@pytest.mark.usefixtures("first")
def test_all_of_it_goes_where_that_is_said_whatever_finalizers_there_are(site: Site) -> None:
    k = site.kubectl
    refuse(site)
    stop_while_the_server_runs(site)
    # Somebody has tried it with kubectl before, and it hangs.
    k.ok("delete", "crd", "nonadminbackups.oadp.openshift.io", "--wait=false")
    k.ok("delete", "restore", "back", "--wait=false")
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    meta = {"name": "disk", "namespace": "velero"}
    apply(site, "v1", "PersistentVolumeClaim", meta, spec=claim)
    lines = site.uninstall("--all", "--force", *LONG)
    why = "it has volumes, and backups may be on them: disk"
    assert lines[-1] == f"Namespace/velero: left ({why})"
    ours = {f"CustomResourceDefinition/{crd['metadata']['name']}: deleted" for crd in crds()}
    assert ours <= set(lines)
    assert k.get("pvc", "disk")["metadata"].get("deletionTimestamp") is None
    k.ok("patch", "pvc", "disk", "--type=merge", "-p", '{"metadata": {"finalizers": null}}')
    k.ok("delete", "pvc", "disk")
    assert site.uninstall("--all", "--force", *LONG) == ["Namespace/velero: deleted"]
    k.refused("get", "namespace", "velero")
    k.ok("get", "namespace", "tenant")
    assert "velero.io" not in k.ok("api-resources", "-o", "name")
    assert site.uninstall("--all", "--force") == []
    site.install()


def test_what_a_velero_needs_is_left_to_it(empty: Site) -> None:
    k = empty.kubectl
    theirs = [copy.deepcopy(crd) for crd in crds() if crd["spec"]["group"] == "velero.io"]
    for crd in theirs:
        del crd["spec"]["versions"][0]["subresources"]
    k.ok("create", "-f", "-", stdin=yaml.safe_dump_all(theirs))
    k.ok("create", "namespace", "velero")
    k.ok("create", "deployment", "velero", "--image=velero/velero")
    k.ok("create", "serviceaccount", "velero")
    assert empty.kedge().returncode == 0
    empty.kubectl.ok("label", "role", "kedge", "app.kubernetes.io/managed-by=Helm")
    lines = empty.uninstall("--all", "--force")
    names = [crd["metadata"]["name"] for crd in theirs]
    why = "`kedge install` did not make it"
    for label in [*(f"CustomResourceDefinition/{name}" for name in names), "Namespace/velero"]:
        assert f"{label}: left ({why})" in lines
    assert "Role/kedge: left (it is Helm's: `helm uninstall` removes it)" in lines
    k.ok("get", "deployment", "velero")
    k.ok("get", "serviceaccount", "velero")
    left = set(k.ok("get", "crd", "-o", "name").split())
    assert left == {f"customresourcedefinition.apiextensions.k8s.io/{name}" for name in names}
