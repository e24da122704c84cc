"""`kedge nar`, `kedge nabsl`, and what people see with no rights but those in their namespace."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import Result

from kedge.api.nonadmin.location_request import NON_ADMIN_LOCATION_REQUEST
from kedge.api.velero.backup import BACKUP
from kedge.cli.hints import ASK, EDITORS, ONE_PLACE
from kedge.cli.install.tenants import policy_roles
from kedge.cli.nab.kind import NABS
from kedge.cli.nab.request import is_early
from kedge.cli.nabsl.kind import OWN_LOCATIONS
from kedge.cli.nar.kind import NARS
from kedge.kube.kind import Kind
from tests.integration.cli.hand import DONE, Hand, reset
from tests.integration.cli.session import (
    NAMESPACE,
    PATIENCE_SECONDS,
    PAUSE_SECONDS,
    Session,
    session,
)
from tests.integration.eventually import pause

SHOP = ("-n", "shop")
Object = dict[str, Any]
LOCATION = ("--provider", "aws", "--bucket", "b", "--credential", "keys=cloud")
VERBS = ["create", "delete", "get", "list", "patch", "update", "watch"]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Session]:
    """Give a cluster with the controllers of self-service, for all tests of a module."""
    with session(controlled=True, hand=Hand(), served=True) as running:
        running.namespace("shop")
        yield running


@pytest.fixture
def place(cluster: Session) -> Session:
    """Give that cluster without any request; those that come end well."""
    assert cluster.hand is not None
    reset(cluster.hand)
    cluster.hand.usual = {"Backup": [DONE], "Restore": [DONE]}
    for command in (("nar",), ("nabsl",), ("nab", "--force")):
        flags = [*command[1:], "--all", "--confirm", "--wait", *SHOP]
        assert cluster.kedge(command[0], "delete", *flags).exit_code == 0
    return cluster


def outcome(result: Result) -> tuple[int, str, str]:
    return result.exit_code, result.stdout, result.stderr


def test_a_restore_is_made_waited_for_listed_described_and_deleted(place: Session) -> None:
    place.kedge("nab", "create", "nightly", *SHOP)
    done = place.kedge("nar", "create", "back", "--from-backup", "nightly", "--wait", *SHOP)
    assert done.exit_code == 0
    assert 'NonAdminRestore "back" ended with status: Completed.' in done.stdout
    table = place.kedge("nar", "get", *SHOP).stdout.splitlines()
    assert table[1].split()[:4] == ["back", "Created", "Completed", "0"]
    told = place.kedge("nar", "describe", "nar/back", *SHOP).stdout
    assert "Next:  What was asked for is back in the namespace" in told
    assert "From Backup:  nightly" in told
    done = place.kedge("nar", "delete", "back", "--confirm", "--wait", *SHOP)
    assert done.stdout.endswith('NonAdminRestore "back" deleted successfully.\n')
    assert place.kedge("nar", "get", *SHOP).stderr == "No NonAdminRestores found\n"


def test_a_restore_waits_for_its_backup(place: Session) -> None:
    hand = place.hand
    assert hand is not None
    hand.usual, place.is_served = {}, False
    place.kedge("nab", "create", "slow", *SHOP)
    found: list[Result] = []
    waiting = threading.Thread(
        target=lambda: found.append(
            place.kedge("nar", "create", "back", "--from-backup", "slow", "--wait", *SHOP)
        )
    )
    try:
        (backup,) = place.call(until(place, BACKUP, NAMESPACE, bool))
        path = f"{BACKUP.collection(NAMESPACE)}/{backup['metadata']['name']}/status"
        place.call(place.kube.client.patch(path, {"status": {"phase": "InProgress"}}))
        place.call(until(place, NABS, "shop", is_running))
        waiting.start()
        place.call(until(place, NARS, "shop", is_early_one))
        hand.outcomes = Restores()
        place.call(place.kube.client.patch(path, {"status": DONE}))
        waiting.join(PATIENCE_SECONDS)
    finally:
        place.is_served = True
    assert found[0].exit_code == 0, found[0].output
    assert "Waiting for its backup" in found[0].stderr.splitlines()


class Restores(dict[str, list[Object]]):
    """Lets everything end well."""

    def get(self, key: str, default: Any = None) -> list[Object]:
        """Give the statuses of one."""
        return [DONE]


def is_running(found: list[Object]) -> bool:
    statuses = [one.get("status", {}).get("veleroBackup", {}).get("status", {}) for one in found]
    return any(one.get("phase") == "InProgress" for one in statuses)


def is_early_one(found: list[Object]) -> bool:
    return any(is_early(one) for one in found)


async def until(
    place: Session, kind: Kind[Any], where: str, predicate: Callable[[list[Object]], bool]
) -> list[Object]:
    """Wait until the objects of a kind are as wanted, and give them."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while True:
            found = list((await place.kube.client.get(kind.collection(where)))["items"])
            if predicate(found):
                return found
            await pause(PAUSE_SECONDS)


def test_a_restore_from_nothing_is_not_sent(place: Session) -> None:
    done = place.kedge("nar", "create", "--from-backup", "none", *SHOP)
    missing = (
        'nonadminbackups.oadp.openshift.io "none" not found\n'
        'hint: looked for in namespace "shop"; -n names another one\n'
    )
    assert outcome(done) == (1, "", f"An error occurred: {missing}")
    assert place.kedge("nar", "get", *SHOP).stderr == "No NonAdminRestores found\n"


def test_a_restore_that_is_refused_ends_the_waiting_with_the_rule(place: Session) -> None:
    place.kedge("nab", "create", "nightly", *SHOP)
    flags = ("--resource-modifier-configmap", "theirs", "--wait")
    done = place.kedge("nar", "create", "back", "--from-backup", "nightly", *flags, *SHOP)
    assert done.exit_code == 1
    assert "resourceModifier is restricted" in done.stderr.splitlines()[-1]


def test_a_location_is_made_listed_described_and_deleted(place: Session) -> None:
    done = place.kedge("nabsl", "create", "mine", *LOCATION, *SHOP)
    assert outcome(done) == (
        0,
        'NonAdminBackupStorageLocation "mine" created successfully.\n'
        "Run `kedge nabsl describe mine -n shop` to see what happens next.\n",
        "",
    )
    table = place.kedge("nabsl", "get", *SHOP).stdout.splitlines()
    assert table[1].split()[:3] == ["mine", "aws", "b"]
    told = place.kedge("nabsl", "describe", "nabsl/mine", *SHOP).stdout
    assert "Credentials:     keys, cloud" in told
    done = place.kedge("nabsl", "delete", "mine", "--confirm", "--wait", *SHOP)
    assert done.stdout.endswith('NonAdminBackupStorageLocation "mine" deleted successfully.\n')
    done = place.kedge("nabsl", "get", *SHOP)
    assert done.stderr == "No NonAdminBackupStorageLocations found\n"


def test_what_waits_for_another_object_names_that_one(place: Session) -> None:
    place.kedge("nabsl", "create", "mine", *LOCATION, *SHOP)
    place.kedge("nab", "create", "weekly", "--storage-location", "mine", *SHOP)
    place.kedge("nar", "create", "back", "--from-backup", "weekly", *SHOP)
    for kind, command, name, words in (
        (NABS, "nab", "weekly", "`kedge nabsl describe mine -n shop` tells what that needs"),
        (NARS, "nar", "back", "`kedge nab describe weekly -n shop` tells what to do"),
    ):
        place.call(until(place, kind, "shop", is_refused_one))
        told = place.kedge(command, "describe", name, *SHOP).stdout
        assert words in told.partition("Next:")[2].splitlines()[0]


def is_refused_one(found: list[Object]) -> bool:
    return any(one.get("status", {}).get("phase") == "BackingOff" for one in found)


def test_what_is_described_of_all_namespaces_is_named_with_its_own(place: Session) -> None:
    place.kedge("nab", "create", "nightly", *SHOP)
    place.kedge("nar", "create", "back", "--from-backup", "nightly", *SHOP)
    place.kedge("nabsl", "create", "mine", *LOCATION, *SHOP)
    ready = {"phase": "Created", "veleroBackupStorageLocation": {"status": {"phase": "Available"}}}
    where = f"{OWN_LOCATIONS.collection('shop')}/mine/status"
    place.call(place.kube.client.patch(where, {"status": ready}))
    for command, words in (
        ("nab", "`kedge nar create --from-backup nightly -n shop`"),
        ("nar", "`kedge nar delete back -n shop`"),
        ("nabsl", "`kedge nab create NAME --storage-location mine -n shop`"),
    ):
        for flags in (("-A",), ("-A", "-n", "velero")):
            assert words in place.kedge(command, "describe", *flags).stdout


def test_what_is_not_there_is_a_failure(place: Session) -> None:
    for command, kind in (("nar", NARS), ("nabsl", OWN_LOCATIONS)):
        for verb in ("get", "describe", "delete"):
            flags = ["--confirm"] if verb == "delete" else []
            done = place.kedge(command, verb, "none", *flags, *SHOP)
            where = (
                f'{kind.plural}.{kind.group} "none" not found\n'
                'hint: looked for in namespace "shop"; -n names another one\n'
            )
            assert (done.exit_code, done.stderr) == (1, f"An error occurred: {where}")


def test_the_log_of_a_backup_in_the_administrators_location_is_not_given_out(
    place: Session,
) -> None:
    place.kedge("nab", "create", "nightly", *SHOP)
    done = place.kedge("nab", "logs", "nightly", *SHOP)
    assert done.exit_code == 1
    assert "can not be had: it is kept in a storage location of the administrator's" in done.stderr


def tenant(place: Session, folder: Path, name: str, verbs: list[str]) -> str:
    """Make somebody who may do this with requests in one namespace; give a kubeconfig."""
    client = place.kube.client
    base = "/apis/rbac.authorization.k8s.io/v1/namespaces/shop"
    kinds = [NABS.plural, NARS.plural, OWN_LOCATIONS.plural]
    rules = [{"apiGroups": [NABS.group], "resources": kinds, "verbs": verbs}]
    accounts = "/api/v1/namespaces/shop/serviceaccounts"
    place.call(client.create(accounts, {"metadata": {"name": name}}))
    place.call(client.create(f"{base}/roles", {"metadata": {"name": name}, "rules": rules}))
    group = "rbac.authorization.k8s.io"
    binding = {
        "metadata": {"name": name},
        "roleRef": {"apiGroup": group, "kind": "Role", "name": name},
        "subjects": [{"kind": "ServiceAccount", "name": name, "namespace": "shop"}],
    }
    place.call(client.create(f"{base}/rolebindings", binding))
    token = place.call(client.create(f"{accounts}/{name}/token", {"spec": {}}))["status"]["token"]
    config = yaml.safe_load(place.kube.kubeconfig.read_text())
    for user in config["users"]:
        user["user"] = {"token": token}
    for context in config["contexts"]:
        context["context"]["namespace"] = "shop"
    file = folder / name
    file.write_text(yaml.safe_dump(config))
    return str(file)


def test_somebody_with_rights_in_one_namespace_does_the_round(
    place: Session, tmp_path: Path
) -> None:
    ann = {"KUBECONFIG": tenant(place, tmp_path, "ann", VERBS)}
    done = place.kedge("nab", "create", "nightly", "--wait", **ann)
    assert done.exit_code == 0, done.output
    assert place.kedge("nar", "create", "--from-backup", "nightly", "--wait", **ann).exit_code == 0
    assert "It is complete" in place.kedge("nab", "describe", **ann).stdout
    rules = place.kedge("nab", "policy", **ann)
    assert rules.exit_code == 0
    assert "Namespace:  shop" in rules.stdout
    assert "ConfigMap velero/kedge-nonadmin-policy can not be read with your rights" in rules.stdout
    program = place.kedge("nab", "policy", "-o", "yaml", "--server-namespace", "away", **ann)
    told = yaml.safe_load(program.stdout)["administrator"]
    assert told["readable"] is False
    assert told["source"].startswith("ConfigMap away/")
    done = place.kedge("nab", "delete", "nightly", "--confirm", "--wait", **ann)
    assert done.exit_code == 0
    other = place.kedge("nab", "get", "-n", "velero", **ann)
    assert other.exit_code == 1
    assert "forbidden" in other.stderr


def test_somebody_who_may_only_look_is_told_whom_to_ask(place: Session, tmp_path: Path) -> None:
    place.kedge("nab", "create", "nightly", *SHOP)
    place.kedge("nar", "create", "back", "--from-backup", "nightly", *SHOP)
    place.kedge("nabsl", "create", "mine", *LOCATION, *SHOP)
    eve = {"KUBECONFIG": tenant(place, tmp_path, "eve", ["get", "list"])}
    for command, name in (("nab", "nightly"), ("nar", "back"), ("nabsl", "mine")):
        done = place.kedge(command, "delete", name, "--confirm", **eve)
        assert (done.exit_code, done.stdout) == (1, "")
        assert done.stderr.endswith(f"; {EDITORS}\n")
    assert "another namespace with -n" in EDITORS
    everywhere = place.kedge("nab", "get", "-A", **eve)
    assert everywhere.stderr.endswith(f"; {ONE_PLACE}\n")


REQUESTS = NON_ADMIN_LOCATION_REQUEST.collection(NAMESPACE)


def asked(place: Session, name: str) -> str:
    """Stand in for the server: ask the administrator for a location; give the path of that."""
    called = f"shop-{name}-uid"
    made = {"nacuuid": called, "name": called, "namespace": NAMESPACE}
    path = f"{OWN_LOCATIONS.collection('shop')}/{name}/status"
    status = {"status": {"phase": "New", "veleroBackupStorageLocation": made}}
    place.call(place.kube.client.patch(path, status))
    storage = {"bucket": "b", "prefix": "shop"}
    spec = {"provider": "aws", "objectStorage": storage}
    about = {"name": name, "namespace": "shop", "nacuuid": called, "requestedSpec": spec}
    request = f"{REQUESTS}/{called}"
    kind = NON_ADMIN_LOCATION_REQUEST
    head = {"apiVersion": kind.api_version, "kind": kind.name}
    place.call(place.kube.client.create(REQUESTS, {**head, "metadata": {"name": called}}))
    told = {"status": {"phase": "Pending", "nonAdminBackupStorageLocation": about}}
    place.call(place.kube.client.patch(f"{request}/status", told))
    return request


def test_an_administrator_approves_and_rejects_what_was_asked_for(
    place: Session, tmp_path: Path
) -> None:
    place.kedge("nabsl", "create", "mine", *LOCATION, *SHOP)
    early = place.kedge("nabsl", "approve", "mine", *SHOP)
    assert early.exit_code == 1
    assert "nobody has asked for an approval" in early.stderr
    assert "`kedge nabsl describe mine -n shop` tells why" in early.stderr
    request = asked(place, "mine")
    for verb, word in (("approve", "approved"), ("reject", "rejected")):
        done = place.kedge("nabsl", verb, "nabsl/mine", *SHOP)
        words = f'NonAdminBackupStorageLocation "shop/mine" (aws, b/shop) is {word}.\n'
        assert outcome(done) == (0, words, "")
        found = place.call(place.kube.client.get(request))
        assert found["spec"]["approvalDecision"] == verb
    tim = {"KUBECONFIG": tenant(place, tmp_path, "tim", VERBS)}
    refused = place.kedge("nabsl", "approve", "mine", **tim)
    assert refused.exit_code == 1
    assert refused.stderr.endswith(f"; {ASK}\n")
    assert place.call(place.kube.client.get(request))["spec"]["approvalDecision"] == "reject"
    place.call(place.kube.client.delete(request))
    assert place.kedge("nabsl", "approve", "mine", *SHOP).exit_code == 1


def test_a_kind_that_the_cluster_does_not_have_hides_no_rules(
    place: Session, tmp_path: Path
) -> None:
    """It is forbidden like any other; the ConfigMap may be read, and is not there."""
    mia = tenant(place, tmp_path, "mia", VERBS)
    for one in policy_roles(NAMESPACE):
        plural = f"{one['kind'].lower()}s"
        paths = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{NAMESPACE}/{plural}"
        place.call(place.kube.client.create(paths, one))
    rules = place.kedge("nab", "policy", KUBECONFIG=mia).stdout
    assert "By the administrator (nothing is enforced by a server in velero: there is no " in rules
