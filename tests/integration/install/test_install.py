"""`kedge install` on the embedded API and on a real one, judged by kubectl."""

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from kedge.api.crd import crds
from kedge.cli.errors import FAILED
from tests.integration.install.conftest import Site

RIGHTS = ["Role/kedge", "RoleBinding/kedge", "ClusterRole/kedge", "ClusterRoleBinding/kedge"]
PEOPLE = [
    "ClusterRole/kedge-nonadmin-edit",
    "ClusterRole/kedge-nonadmin-view",
    "ClusterRole/kedge-prescaled-edit",
    "ClusterRole/kedge-prescaled-view",
    "Role/kedge-nonadmin-policy",
    "RoleBinding/kedge-nonadmin-policy",
]
OBJECTS = ["Namespace/velero", "ServiceAccount/kedge", *RIGHTS, *PEOPLE, "Service/kedge"]
SERVER = "Deployment/kedge"
BUDGET = "PodDisruptionBudget/kedge"
KINDS = [f"CustomResourceDefinition/{crd['metadata']['name']}" for crd in crds()]
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
CONFIG = {"apiVersion": "v1", "kind": "ConfigMap"}
ALL = [*KINDS, *OBJECTS, SERVER]


def covers(live: Any, wanted: Any, path: str = "") -> list[str]:
    """List where a live object lacks what was wanted; servers add to what they are given."""
    if isinstance(wanted, dict) and isinstance(live, dict):
        return [
            gap for key in wanted for gap in covers(live.get(key), wanted[key], f"{path}.{key}")
        ]
    if isinstance(wanted, list) and isinstance(live, list) and len(live) == len(wanted):
        pairs = zip(live, wanted, strict=True)
        return [gap for n, (a, b) in enumerate(pairs) for gap in covers(a, b, f"{path}[{n}]")]
    return [] if live == wanted else [f"{path}: {live!r}, not {wanted!r}"]


def test_the_first_time_everything_is_created_in_order(first: list[str]) -> None:
    assert first == [f"{label}: created" for label in ALL]


@pytest.mark.usefixtures("first")
def test_again_nothing_is_changed(place: Site) -> None:
    assert place.install() == [f"{label}: unchanged" for label in ALL]


@pytest.mark.usefixtures("first")
def test_only_what_is_different_is_changed(place: Site) -> None:
    # The amount is the default in other words.
    flags = ("--replicas", "2", "--schedule-skip-immediately", "--pod-cpu-limit", "1000m")
    assert place.install(*flags)[-2:] == [f"{BUDGET}: created", f"{SERVER}: configured"]
    assert place.install(*flags) == [f"{label}: unchanged" for label in [*ALL[:-1], BUDGET, SERVER]]
    found = place.kubectl.get("deployment", "kedge")
    assert found["spec"]["replicas"] == 2
    (container,) = found["spec"]["template"]["spec"]["containers"]
    assert "--schedule-skip-immediately" in container["args"]
    assert place.install() == [
        *(f"{one}: unchanged" for one in ALL[:-1]),
        f"{SERVER}: configured",
        f"{BUDGET}: deleted (this installation has none)",
    ]
    place.kubectl.refused("get", "poddisruptionbudget", "kedge")
    assert place.kubectl.get("deployment", "kedge")["spec"]["replicas"] == 1


@pytest.mark.usefixtures("first")
def test_pods_that_a_person_added_stay(place: Site) -> None:
    place.kubectl.ok("scale", "deployment", "kedge", "--replicas=3")
    assert place.install()[-1] == f"{SERVER}: unchanged"
    assert place.kubectl.get("deployment", "kedge")["spec"]["replicas"] == 3
    place.kubectl.ok("scale", "deployment", "kedge", "--replicas=1")


@pytest.mark.usefixtures("first")
def test_what_somebody_has_changed_is_put_right(place: Site) -> None:
    place.kubectl.ok("delete", "rolebinding", "kedge")
    change = json.dumps({"rules": []})
    place.kubectl.ok("patch", "role", "kedge", "--type=merge", "-p", change)
    changed = [line for line in place.install() if not line.endswith(": unchanged")]
    assert changed == ["Role/kedge: configured", "RoleBinding/kedge: created"]


@pytest.mark.usefixtures("first")
def test_what_an_older_version_left_is_brought_up_to_date(place: Site) -> None:
    older = copy.deepcopy(crds()[0])
    del older["spec"]["versions"][0]["additionalPrinterColumns"]
    meta = {"namespace": "velero", "labels": {"app.kubernetes.io/name": "kedge"}}
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "rules": []}
    ours = {**role, "metadata": {**meta, "name": "kedge-retired"}}
    apply = ("apply", "--server-side", "--force-conflicts", "-f", "-")
    made = yaml.safe_dump_all([older, ours])
    place.kubectl.ok(*apply, "--field-manager=kedge-install", stdin=made)
    theirs = {**role, "metadata": {**meta, "name": "of-somebody-else"}}
    place.kubectl.ok(*apply, stdin=yaml.safe_dump(theirs))
    assert [line for line in place.install() if not line.endswith(": unchanged")] == [
        f"{KINDS[0]}: configured",
        "Role/kedge-retired: deleted (this installation has none)",
    ]
    place.kubectl.refused("get", "role", "kedge-retired")
    place.kubectl.ok("delete", "role", "of-somebody-else")


@pytest.mark.usefixtures("first")
@pytest.mark.parametrize("output", ["yaml", "json"])
def test_what_is_printed_is_what_is_applied(place: Site, output: str) -> None:
    printed = place.kedge("--dry-run", "-o", output).stdout
    objects = list(yaml.load_all(printed, LOADER))
    objects = objects[0]["items"] if output == "json" else objects
    live = json.loads(place.kubectl.ok("get", "-f", "-", "--output=json", stdin=printed))["items"]
    assert len(live) == len(objects)
    for found, obj in zip(live, objects, strict=True):
        assert covers(found, obj) == []
    flags = ("--server-side", "--field-manager=kedge-install", "--validate=strict", "-f", "-")
    tried = place.kubectl.run("apply", *flags, "--dry-run=server", stdin=printed)
    assert (tried.returncode, tried.stderr) == (0, "")
    assert tried.stdout.count("serverside-applied (server dry run)") == len(ALL)
    place.kubectl.ok("apply", *flags, stdin=printed)
    assert place.install() == [f"{label}: unchanged" for label in ALL]


@pytest.mark.usefixtures("first")
def test_a_printed_installation_is_not_sent(place: Site) -> None:
    for flags in (("--dry-run",), ("-o", "yaml"), ("-o", "json", "--dry-run")):
        assert place.kedge(*flags, "-n", "elsewhere").returncode == 0
    place.kubectl.refused("get", "namespace", "elsewhere")


@pytest.mark.usefixtures("first")
@pytest.mark.parametrize("flags", [(), ("--volume-claim", "disk", "--replicas", "2")])
def test_the_namespace_takes_our_pods_and_no_lesser_ones(
    place: Site, flags: tuple[str, ...]
) -> None:
    *_, server = yaml.safe_load_all(place.kedge("--dry-run", *flags).stdout)
    template = server["spec"]["template"]
    # Neither cluster has the account's token controller to wait for; the account itself is there.
    pod = {"apiVersion": "v1", "kind": "Pod", **template}
    pod["metadata"] = {**template["metadata"], "name": "tried"}
    create = ("create", "--dry-run=server", "-f", "-")
    taken = place.kubectl.run(*create, stdin=yaml.safe_dump(pod))
    assert (taken.returncode, taken.stderr) == (0, "")
    lesser = copy.deepcopy(pod)
    del lesser["spec"]["containers"][0]["securityContext"]
    assert "restricted" in place.kubectl.refused(*create, stdin=yaml.safe_dump(lesser))


@pytest.mark.usefixtures("first")
def test_a_location_is_made_and_stays_when_it_is_not_named_again(
    place: Site, tmp_path: Path
) -> None:
    file = tmp_path / "cloud"
    file.write_text("[default]\n")
    flags = ("-n", "located", "--provider", "aws", "--bucket", "ours", "--secret-file", str(file))
    storage = ["Secret/cloud-credentials", "BackupStorageLocation/default"]
    lines = place.install(*flags)
    assert lines[-4:-2] == [f"{label}: created" for label in storage]
    place.install("-n", "located")
    assert place.kubectl.get("bsl", "default", "-n", "located")["spec"] == {
        "provider": "aws",
        "default": True,
        "objectStorage": {"bucket": "ours"},
        "credential": {"name": "cloud-credentials", "key": "cloud"},
    }
    file.write_text("[other]\n")
    assert place.install(*flags)[-4:-2] == [f"{storage[0]}: configured", f"{storage[1]}: unchanged"]


@pytest.mark.usefixtures("first")
def test_credentials_and_a_default_of_somebody_else_are_left_to_them(
    place: Site, tmp_path: Path
) -> None:
    k, home = place.kubectl, ("-n", "theirs")
    k.ok("create", "namespace", "theirs")
    k.ok("create", "secret", "generic", "cloud-credentials", "--from-literal=cloud=old", *home)
    file = tmp_path / "cloud"
    file.write_text("new")
    flags = (*home, "--provider", "aws", "--bucket", "ours", "--secret-file", str(file))
    line = place.install(*flags)[-4]
    assert line.startswith("Secret/cloud-credentials: unchanged (it was there before us")
    spec = {"provider": "aws", "objectStorage": {"bucket": "b"}, "default": True}
    other = {"apiVersion": "velero.io/v1", "kind": "BackupStorageLocation", "spec": spec}
    k.ok("delete", "bsl", "default", *home)
    k.ok("create", "-f", "-", *home, stdin=json.dumps({**other, "metadata": {"name": "first"}}))
    done = place.kedge(*flags)
    assert (done.returncode, done.stdout) == (1, "")
    assert "BackupStorageLocation/default: first is the default already; give" in done.stderr


@pytest.mark.usefixtures("first")
def test_a_namespace_that_was_there_keeps_its_labels(place: Site) -> None:
    place.kubectl.ok("create", "namespace", "older")
    before = place.kubectl.get("namespace", "older")["metadata"]["labels"]
    lines = place.install("-n", "older")
    assert lines[len(KINDS)].startswith("Namespace/older: unchanged (it was there before us")
    assert lines[-1] == f"{SERVER}: created"
    assert place.kubectl.get("namespace", "older")["metadata"]["labels"] == before


@pytest.mark.usefixtures("first")
def test_an_account_that_is_there_is_used(place: Site) -> None:
    place.kubectl.ok("create", "namespace", "accounts")
    place.kubectl.ok("create", "serviceaccount", "mine", "-n", "accounts")
    lines = place.install("-n", "accounts", "--service-account-name", "mine")
    assert not [line for line in lines if line.startswith("ServiceAccount/")]
    binding = place.kubectl.get("rolebinding", "kedge", "-n", "accounts")
    assert [one["name"] for one in binding["subjects"]] == ["mine"]


def kubeconfig_for(place: Site, token: str, folder: Path) -> Path:
    """Write a kubeconfig for somebody else, who logs in with a token."""
    config = yaml.safe_load(place.kubectl.kubeconfig.read_text())
    config["users"] = [{"name": "other", "user": {"token": token}}]
    cluster = config["clusters"][0]["name"]
    config["contexts"] = [{"name": "other", "context": {"cluster": cluster, "user": "other"}}]
    config["current-context"] = "other"
    file = folder / "other"
    file.write_text(json.dumps(config))
    return file


@pytest.mark.usefixtures("first")
def test_whoever_may_not_install_is_told_what_helps(place: Site, tmp_path: Path) -> None:
    place.kubectl.ok("create", "serviceaccount", "weak")
    token = place.kubectl.ok("create", "token", "weak").strip()
    config = kubeconfig_for(place, token, tmp_path)
    done = place.kedge(kubeconfig=config)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert done.stderr.startswith(f"{FAILED}{KINDS[0]}: customresourcedefinitions")
    assert "install as a cluster admin" in done.stderr
    assert token not in done.stderr


@pytest.mark.usefixtures("first")
def test_somebody_unknown_is_told_to_log_in(place: Site, tmp_path: Path) -> None:
    done = place.kedge(kubeconfig=kubeconfig_for(place, "nobody", tmp_path))
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert "log in to the cluster again" in done.stderr


@pytest.mark.usefixtures("first")
def test_a_deployment_of_somebody_else_is_named(place: Site) -> None:
    place.kubectl.ok("create", "namespace", "taken")
    place.kubectl.ok("create", "deployment", "kedge", "--image=other", "-n", "taken")
    done = place.kedge("-n", "taken")
    assert done.returncode == 1
    assert done.stderr.startswith(f"{FAILED}{SERVER}: ")
    assert "it was made by something else: delete it, and install again" in done.stderr


@pytest.mark.usefixtures("first")
def test_waiting_for_pods_that_never_run_ends_with_what_to_look_at(place: Site) -> None:
    done = place.kedge("--wait", "--timeout", "1s")
    assert done.returncode == 1
    assert f"{FAILED}{SERVER}: " in done.stderr
    assert "kubectl describe pods -n velero -l app.kubernetes.io/name=kedge" in done.stderr


@pytest.mark.usefixtures("first")
def test_waiting_ends_when_the_pods_run(place: Site) -> None:
    place.install()
    generation = place.kubectl.get("deployment", "kedge")["metadata"]["generation"]
    counts = {"replicas": 1, "updatedReplicas": 1, "availableReplicas": 1, "readyReplicas": 1}
    status = {"status": {"observedGeneration": generation, **counts}}
    flags = ("--subresource=status", "--type=merge", "-p", json.dumps(status))
    place.kubectl.ok("patch", "deployment", "kedge", *flags)
    done = place.kedge("--wait", "--timeout", "1m")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("`kubectl logs deployment/kedge -n velero`.\n")


def test_a_cluster_that_is_not_there_is_named(tmp_path: Path, empty: Site) -> None:
    config = yaml.safe_load(empty.kubectl.kubeconfig.read_text())
    config["clusters"][0]["cluster"]["server"] = "https://127.0.0.1:1"
    file = tmp_path / "gone"
    file.write_text(json.dumps(config))
    done = empty.kedge(kubeconfig=file)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "see that --kubeconfig and --kubecontext name a cluster that runs" in done.stderr


def stock(crd: dict[str, Any]) -> dict[str, Any]:
    """Make a CRD as a Velero has it: status is a field like any other."""
    made = copy.deepcopy(crd)
    for version in made["spec"]["versions"]:
        del version["subresources"]
    return made


def test_the_kinds_and_the_namespace_of_a_velero_are_left_to_it(empty: Site) -> None:
    k = empty.kubectl
    k.ok("create", "-f", "-", stdin=yaml.safe_dump_all(stock(crd) for crd in crds()))
    k.ok("create", "namespace", "velero")
    k.ok("create", "deployment", "velero", "--image=velero/velero")
    done = empty.kedge()
    assert done.returncode == 0
    assert done.stderr.startswith("kedge: warning: Deployment/velero is in this namespace, too")
    lines = done.stdout.splitlines()
    for line, label in zip(lines, [*KINDS, "Namespace/velero"], strict=False):
        assert line.startswith(f"{label}: unchanged (it ")
    crd = k.get("crd", "schedules.velero.io")
    assert "subresources" not in crd["spec"]["versions"][0]
    replaced = empty.kedge("--crds-only", "--replace-crds")
    assert replaced.stdout.splitlines() == [f"{label}: configured" for label in KINDS]
    assert replaced.stderr == ""
    crd = k.get("crd", "schedules.velero.io")
    assert crd["spec"]["versions"][0]["subresources"] == {"status": {}}


def test_crds_only_installs_the_kinds_alone(empty: Site) -> None:
    assert empty.install("--crds-only") == [f"{label}: created" for label in KINDS]
    empty.kubectl.refused("get", "namespace", "velero")


def test_a_namespace_that_goes_is_waited_for_by_the_person(empty: Site) -> None:
    k = empty.kubectl
    k.ok("create", "namespace", "velero")
    held = {"name": "held", "finalizers": ["example.org/held"]}
    k.ok("create", "-f", "-", stdin=json.dumps({**CONFIG, "metadata": held}))
    k.ok("delete", "namespace", "velero", "--wait=false")
    done = empty.kedge()
    assert done.returncode == 1
    assert f"{FAILED}Namespace/velero is being deleted" in done.stderr
    assert "wait until it is gone, and install again" in done.stderr
