"""People with the shipped roles do all of self-service with kubectl, and nothing outside of it."""

import asyncio
import gzip
import json
import urllib.request
from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import pytest

from kedge.api.crd import crds
from kedge.kube.errors import Forbidden
from kedge.kube.kind import Object
from kedge.testing.client import Client
from tests.integration.eventually import pause
from tests.integration.selfservice.tenancy import (
    ALICE,
    BOB,
    HOME,
    OFFICE,
    OURS,
    RIVAL,
    SHOP,
    Estate,
    Person,
    estate,
    secret,
)

OADP = "oadp.openshift.io"
PRESCALED = "psc.cronprimer.local"
SECONDS = "--timeout=25s"
VERBS = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection")
READ = {"get", "list", "watch"}
OWN = {"nonadminbackups", "nonadminrestores", "nonadminbackupstoragelocations"}
WORK = {"prescaledcronjobs"}
MADE = OWN | {"nonadmindownloadrequests"}
CORE = (
    *(("", name) for name in ("secrets", "configmaps", "pods", "pods/exec", "serviceaccounts")),
    *(("", name) for name in ("namespaces", "nodes", "persistentvolumes", "events")),
    ("apps", "deployments"),
    ("batch", "cronjobs"),
    *(
        ("rbac.authorization.k8s.io", name)
        for name in ("roles", "rolebindings", "clusterroles", "clusterrolebindings")
    ),
    ("apiextensions.k8s.io", "customresourcedefinitions"),
    ("coordination.k8s.io", "leases"),
)
AT_ONCE = 16
TRIES = 50
"""Events are told a moment later."""


@pytest.fixture(scope="module", params=["embedded", pytest.param("real", marks=pytest.mark.slow)])
def place(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Estate]:
    """A cluster with people."""
    with estate(request.param, request, tmp_path_factory) as found:
        yield found


def nonadmin(kind: str, name: str, spec: Object) -> str:
    return json.dumps(
        {
            "apiVersion": f"{OADP}/v1alpha1",
            "kind": f"NonAdmin{kind}",
            "metadata": {"name": name, "namespace": SHOP},
            "spec": spec,
        }
    )


def bucket_of(place: Estate) -> Object:
    return {
        "backupStorageLocationSpec": {
            "provider": "aws",
            "objectStorage": {"bucket": OURS},
            "config": place.s3.config,
            "credential": {"name": "keys", "key": "cloud"},
        }
    }


def make(who: Person, kind: str, name: str, spec: Object) -> None:
    who.kubectl.ok("create", "-f", "-", stdin=nonadmin(kind, name, spec))


def test_a_whole_round_trip_needs_no_more_than_the_shipped_roles(place: Estate) -> None:
    alice = place.people[ALICE]
    kubectl = alice.kubectl
    kubectl.ok("create", "-f", "-", stdin=json.dumps(secret("keys", SHOP, place.s3)))
    make(alice, "BackupStorageLocation", "mine", bucket_of(place))
    there = "jsonpath={.status.veleroBackupStorageLocation.status.phase}=Available"
    kubectl.ok("wait", "nabsl/mine", f"--for={there}", SECONDS)

    kubectl.ok("create", "configmap", "prices", "--from-literal=tea=4")
    make(alice, "Backup", "nightly", {"backupSpec": {"storageLocation": "mine"}})
    kubectl.ok("wait", "nab/nightly", "--for=condition=Succeeded", SECONDS)
    words = kubectl.ok("get", "nab", "nightly").splitlines()[-1].split()
    assert words[:3] == ["nightly", "Created", "Completed"]
    status = kubectl.get("nab", "nightly")["status"]
    assert status["queueInfo"] == {"estimatedQueuePosition": 0}
    assert status["veleroBackup"]["nacuuid"].startswith("shop-nightly-")

    kubectl.ok("delete", "configmap", "prices")
    make(alice, "Restore", "back", {"restoreSpec": {"backupName": "nightly"}})
    kubectl.ok("wait", "nar/back", "--for=condition=Succeeded", SECONDS)
    assert kubectl.get("configmap", "prices")["data"] == {"tea": "4"}

    make(alice, "DownloadRequest", "log", {"target": {"kind": "BackupLog", "name": "nightly"}})
    kubectl.ok("wait", "nadr/log", "--for=condition=Processed", SECONDS)
    url = kubectl.get("nadr", "log")["status"]["velero"]["status"]["downloadURL"]
    with urllib.request.urlopen(url, timeout=20) as answer:
        assert "backup" in gzip.decompress(answer.read()).decode()
    assert "backup" in alice.kedge("nab", "logs", "nightly")
    kubectl.ok("delete", "nar", "back", "--wait=true", SECONDS)


@pytest.mark.parametrize("way", ["deleteBackup", "forceDeleteBackup", "later"])
def test_each_way_of_deletion_is_theirs(place: Estate, way: str) -> None:
    kubectl = place.people[ALICE].kubectl
    name = f"gone-{way.lower()}"
    make(place.people[ALICE], "Backup", name, {"backupSpec": {}})
    kubectl.ok("wait", f"nab/{name}", "--for=condition=Succeeded", SECONDS)
    made = kubectl.get("nab", name)["status"]["veleroBackup"]["name"]
    word = way
    if way == "later":
        kubectl.ok("delete", "nab", name, "--wait=false")
        kubectl.ok("wait", f"nab/{name}", "--for=condition=Deleting", SECONDS)
        told = kubectl.get("nab", name)["status"]["conditions"]
        assert "requires setting spec.deleteBackup" in str(told)
        # The deletion made a generation of its own.
        kubectl.ok("wait", f"nab/{name}", "--for=condition=Succeeded", SECONDS)
        assert place.admin.get("backups.velero.io", made)
        word = "deleteBackup"
    patch = json.dumps({"spec": {word: True}})
    kubectl.ok("patch", "nab", name, "--type=merge", "--patch", patch)
    if kubectl.run("wait", f"nab/{name}", "--for=delete", SECONDS).returncode:
        assert "NotFound" in kubectl.refused("get", "nab", name)
    assert "NotFound" in place.admin.refused("get", "backups.velero.io", made)


def test_whoever_replaces_an_object_can_still_have_its_backup_deleted(place: Estate) -> None:
    kubectl = place.people[ALICE].kubectl
    make(place.people[ALICE], "Backup", "replaced", {"backupSpec": {}})
    kubectl.ok("wait", "nab/replaced", "--for=condition=Succeeded", SECONDS)
    made = kubectl.get("nab", "replaced")["status"]["veleroBackup"]["name"]
    spec = {"backupSpec": {}, "deleteBackup": True}
    kubectl.ok("replace", "-f", "-", stdin=nonadmin("Backup", "replaced", spec))
    if kubectl.run("wait", "nab/replaced", "--for=delete", SECONDS).returncode:
        assert "NotFound" in kubectl.refused("get", "nab", "replaced")
    assert "NotFound" in place.admin.refused("get", "backups.velero.io", made)


def test_our_role_alone_shows_what_is_told_of_a_request(place: Estate) -> None:
    admin = replace(place.admin, namespace=OFFICE)
    role = ("--clusterrole=kedge-nonadmin-edit", "--user=dora")
    admin.ok("create", "rolebinding", "doras", *role)
    wrong = json.loads(nonadmin("Backup", "wrong", {"backupSpec": {"excludedNamespaces": []}}))
    wrong["metadata"]["namespace"] = OFFICE
    admin.ok("create", "--as=dora", "-f", "-", stdin=json.dumps(wrong))
    admin.ok("wait", "--as=dora", "nab/wrong", "--for=condition=Failed", SECONDS)
    told = ("events", "--as=dora", "--for=nab/wrong", "--watch=false")
    for _ in range(TRIES):
        if "excludedNamespaces is restricted" in admin.ok(*told):
            break
    assert (
        "InvalidBackupSpec"
        in admin.ok("describe", "--as=dora", "nab/wrong").rpartition("Events:")[2]
    )


def test_who_may_only_look_can_only_look(place: Estate) -> None:
    # Where there is nothing, kubectl deletes all of it without asking the server.
    make(place.people[ALICE], "Backup", "hers", {"backupSpec": {}})
    kubectl = place.people[BOB].kubectl
    assert kubectl.get("nab", "hers")["spec"] == {"backupSpec": {}}
    for words in (
        ("delete", "nab", "hers"),
        ("delete", "nab", "--all"),
        ("get", "nadr"),
        ("get", "secrets"),
    ):
        assert "Forbidden" in kubectl.refused(*words)
    spec = nonadmin("Backup", "bobs", {"backupSpec": {}})
    assert "Forbidden" in kubectl.refused("create", "-f", "-", stdin=spec)


def kinds() -> list[tuple[str, str]]:
    """Give all kinds of ours and of Velero with their statuses, and some of the cluster's."""
    ours = [(one["spec"]["group"], one["spec"]["names"]["plural"]) for one in crds()]
    return [*ours, *((group, f"{plural}/status") for group, plural in ours), *CORE]


def is_theirs(person: str, namespace: str, group: str, resource: str, verb: str) -> bool | None:
    """Say what is to be allowed; None: that is for the cluster's own roles to say."""
    all_ = MADE | WORK
    mine = {
        (ALICE, SHOP): all_,
        (ALICE, OFFICE): all_,
        (BOB, SHOP): OWN | WORK,
        (BOB, RIVAL): all_,
    }
    own = mine.get((person, namespace))
    if own is None:
        return False
    if group in {OADP, PRESCALED}:
        plural, _, status = resource.partition("/")
        if plural not in own:
            return False
        verbs = {"get"} if status else READ if (person, namespace) == (BOB, SHOP) else {*VERBS}
        return verb in verbs
    return False if group == "velero.io" else None


async def review(client: Client, namespace: str, group: str, resource: str, verb: str) -> bool:
    """Ask the server whether one may do something."""
    plural, _, part = resource.partition("/")
    what = {"namespace": namespace, "group": group, "resource": plural, "verb": verb}
    made = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": what | ({"subresource": part} if part else {})},
    }
    path = "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"
    return bool((await client.create(path, made))["status"]["allowed"])


@pytest.mark.asyncio
@pytest.mark.parametrize("person", [ALICE, BOB])
async def test_no_verb_on_no_kind_is_open_outside_of_ones_own_namespaces(
    place: Estate, person: str
) -> None:
    wrong: list[str] = []
    async with place.people[person].client() as client:
        gate = asyncio.Semaphore(AT_ONCE)

        async def look(namespace: str, group: str, resource: str, verb: str) -> None:
            wanted = is_theirs(person, namespace, group, resource, verb)
            async with gate:
                found = await review(client, namespace, group, resource, verb)
            if wanted is not None and found is not wanted:
                wrong.append(f"{verb} {resource}.{group} in {namespace or 'all'}: {found}")

        # A real cluster puts roles together a moment after they were made.
        async with asyncio.timeout(30):
            while not await review(client, SHOP, OADP, "nonadminbackups", "list"):
                await pause(0.05)
        async with asyncio.TaskGroup() as group:
            for namespace, (of, resource), verb in product(
                (SHOP, OFFICE, RIVAL, HOME, ""), kinds(), VERBS
            ):
                group.create_task(look(namespace, of, resource, verb))
    assert wrong == []


VELERO = f"/apis/velero.io/v1/namespaces/{HOME}"
SELF = f"/apis/{OADP}/v1alpha1"
ATTEMPTS: list[tuple[str, str, Object | None]] = [
    ("GET", f"{VELERO}/backups", None),
    ("GET", "/apis/velero.io/v1/backups", None),
    ("POST", f"{VELERO}/backups", {"metadata": {"name": "x"}, "spec": {}}),
    ("POST", f"{VELERO}/restores", {"metadata": {"name": "x"}, "spec": {"backupName": "x"}}),
    ("POST", f"{VELERO}/deletebackuprequests", {"metadata": {"name": "x"}}),
    ("DELETE", f"{VELERO}/backups", None),
    ("GET", f"/api/v1/namespaces/{HOME}/secrets", None),
    ("GET", f"/api/v1/namespaces/{HOME}/secrets/cloud-credentials", None),
    ("GET", f"/api/v1/namespaces/{HOME}/configmaps", None),
    ("PATCH", f"{SELF}/namespaces/{SHOP}/nonadminbackups/x/status", {"status": {}}),
    ("PUT", f"{SELF}/namespaces/{SHOP}/nonadminrestores/x/status", {"status": {}}),
    ("GET", f"{SELF}/nonadminbackups", None),
    ("POST", f"{SELF}/namespaces/{RIVAL}/nonadminbackups", {"metadata": {"name": "x"}}),
    ("DELETE", f"{SELF}/namespaces/{RIVAL}/nonadminrestores", None),
    ("POST", f"{SELF}/namespaces/{HOME}/nonadminbackups", {"metadata": {"name": "x"}}),
    ("GET", f"{SELF}/namespaces/{HOME}/nonadminbackupstoragelocationrequests", None),
    ("POST", f"{SELF}/namespaces/{SHOP}/nonadminbackupstoragelocationrequests", {}),
    ("GET", f"/api/v1/namespaces/{RIVAL}/secrets", None),
    ("POST", "/api/v1/namespaces", {"metadata": {"name": "x"}}),
    ("POST", "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings", {"metadata": {"name": "x"}}),
]


@pytest.mark.asyncio
async def test_requests_outside_are_refused(place: Estate) -> None:
    async with place.people[ALICE].client() as client:
        for method, path, body in ATTEMPTS:
            data = None if body is None else json.dumps(body).encode()
            media = "application/merge-patch+json" if method == "PATCH" else "application/json"
            with pytest.raises(Forbidden):
                await client.request(method, path, data, media)
        # The rules of self-service are there to be read.
        path = f"/api/v1/namespaces/{HOME}/configmaps/kedge-nonadmin-policy"
        with pytest.raises(Exception, match="not found"):
            await client.get(path)


def test_a_spec_is_taken_if_its_copy_finds_room_too(place: Estate) -> None:
    who = place.people[ALICE]
    for name, kinds, ends in (("fits", 24_000, "Succeeded=true"), ("huge", 27_000, "Failed=true")):
        left_out = [f"{number:05d}.example.com" for number in range(kinds)]
        make(who, "Backup", name, {"backupSpec": {"excludedResources": left_out}})
        who.kubectl.ok("wait", f"--for=condition={ends}", SECONDS, f"nab/{name}")
    asked = "jsonpath={.status.conditions[?(@.type=='Accepted')].message}"
    assert "bytes, and is kept twice: shorten it" in who.kubectl.ok("get", "nab/huge", "-o", asked)
