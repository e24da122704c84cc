"""The server works with the rights that an installation gives it, and uses all of them."""

import asyncio
import os
import ssl
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from kedge.aio.background import background
from kedge.aio.clock import SystemClock
from kedge.api.velero.backup import BACKUP
from kedge.api.velero.delete_request import DELETE_BACKUP_REQUEST
from kedge.api.velero.download_request import DOWNLOAD_REQUEST
from kedge.api.velero.restore import RESTORE
from kedge.api.velero.schedule import SCHEDULE
from kedge.api.velero.server_status import SERVER_STATUS_REQUEST
from kedge.api.velero.storage_location import BACKUP_STORAGE_LOCATION
from kedge.cli.install.rights import CLUSTER_RULES, RIGHTS
from kedge.cli.operator.rights import BY_CONTROLLER
from kedge.cli.operator.run import operator
from kedge.cli.operator.settings import LEASE, EngineSettings, OperatorSettings
from kedge.client import Client, Request
from kedge.client.patches import merge
from kedge.client.responses import read
from kedge.client.where import explicit, find
from kedge.kube.kind import Object, plain
from kedge.runtime.leadersettings import LeaderSettings
from kedge.testing.faults import Proxy, matches, proxy
from tests.integration.eventually import pause
from tests.integration.install.conftest import Site

HOME = "rights"
SCHEDULES = SCHEDULE.into(dict)
BACKUPS = BACKUP.into(dict)
RESTORES = RESTORE.into(dict)
LOCATIONS = BACKUP_STORAGE_LOCATION.into(dict)
DOWNLOADS = DOWNLOAD_REQUEST.into(dict)
STATUSES = SERVER_STATUS_REQUEST.into(dict)
DELETIONS = DELETE_BACKUP_REQUEST.into(dict)
SECRETS = plain("v1", "Secret", "secrets")
ROLES = plain("rbac.authorization.k8s.io/v1", "Role", "roles")
EVERYTHING = {"apiGroups": ["*"], "resources": ["*"], "verbs": ["*"]}
"""More than the server may do itself: it restores such a role nevertheless."""
EVENTS = plain("v1", "Event", "events")
YEARLY = "0 0 1 1 *"
LONG = 60.0


async def until(look: Callable[[], Any], holds: Callable[[Any], bool]) -> Any:
    """Ask until something holds, with a deadline."""
    async with asyncio.timeout(LONG):
        while not holds(found := await look()):
            await pause(0.05)
        return found


async def token_of(admin: Client, account: str) -> str:
    """Ask for a token of a service account."""
    path = f"/api/v1/namespaces/{HOME}/serviceaccounts/{account}/token"
    kind = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
    answer = await admin.send(Request("POST", path, body=msgspec.json.encode(kind)))
    token: str = read(answer, dict)["status"]["token"]
    return token


@asynccontextmanager
async def admin_of(site: Site) -> AsyncIterator[Client]:
    """Be the one who installs."""
    access = find(site.kubectl.kubeconfig, environ=os.environ, clock=SystemClock())
    async with Client(access) as admin:
        yield admin


@asynccontextmanager
async def watched(admin: Client, token: str, objects: Path) -> AsyncIterator[Proxy]:
    """Run the server with a token, and look at all that it asks for."""
    login = await admin.access.credentials.login()
    assert isinstance(login.tls, ssl.SSLContext)
    leader = LeaderSettings(LEASE, HOME, "me", lease_seconds=30, renew_seconds=20)
    settings = OperatorSettings(
        namespace=HOME,
        leader=leader,
        engine=EngineSettings(objects_folder=objects, download_port=0),
    )
    async with (
        proxy(admin.access.server, tls=_without_certificate(login.tls)) as seen,
        operator(explicit(seen.url, token=token), settings) as manager,
        background(manager.run()),
    ):
        yield seen


def _without_certificate(tls: ssl.SSLContext) -> ssl.SSLContext:
    """Trust the same server, and be nobody: a client certificate would go before a token."""
    roots = tls.get_ca_certs(binary_form=True)
    return ssl.create_default_context(cadata=b"".join(roots))


async def make(admin: Client, name: str, expression: str, **spec: Any) -> None:
    """Create a Schedule."""
    spec = {"schedule": expression, "template": {}, **spec}
    meta = {"name": name, "namespace": HOME}
    await admin.create(SCHEDULES, {"metadata": meta, "spec": spec})


async def everything_that_happens(admin: Client) -> None:
    """Have the running server do all that it can do."""
    year = SystemClock().now().year

    async def schedule(name: str) -> Object:
        return await admin.get(SCHEDULES, name, HOME)

    # A run that is due, whose name somebody else has taken.
    taken = {"name": f"taken-{year}0101000000", "namespace": HOME}
    await admin.create(BACKUPS, {"metadata": taken, "spec": {}})
    await make(admin, "taken", YEARLY, paused=True)
    await until(lambda: schedule("taken"), lambda one: "conditions" in one.get("status", {}))
    past = {"status": {"lastBackup": f"{year - 2}-06-01T00:00:00Z"}}
    await admin.patch_status(SCHEDULES, "taken", merge(past), HOME)
    await admin.patch(SCHEDULES, "taken", merge({"spec": {"paused": False}}), HOME)

    def is_run(backups: list[Object]) -> bool:
        return any(one["metadata"]["name"] == f"{taken['name']}-1" for one in backups)

    async def backups() -> list[Object]:
        return (await admin.page(BACKUPS)).items

    await until(backups, is_run)
    # A skip that is taken out of the spec.
    await make(admin, "skipped", YEARLY, skipImmediately=True)
    await until(lambda: schedule("skipped"), lambda one: "skipImmediately" not in one["spec"])
    # The same Event twice.
    await make(admin, "bad", "nonsense")
    for expression, phase in (("@hourly", "Enabled"), ("nonsense", "FailedValidation")):
        await until(lambda: schedule("bad"), lambda one: one.get("status", {}).get("phase"))
        await admin.patch(SCHEDULES, "bad", merge({"spec": {"schedule": expression}}), HOME)
        await until(lambda: schedule("bad"), _is_in(phase))

    async def events() -> list[Object]:
        return (await admin.page(EVENTS)).items

    await until(events, lambda found: any(one.get("count") == 2 for one in found))


async def a_life_of_a_backup(admin: Client) -> None:
    """Have the running server save, restore, hand out and, when its time is over, delete."""
    await admin.create(SECRETS, {"metadata": named("cloud"), "stringData": {"cloud": "none"}})
    credential = {"name": "cloud", "key": "cloud"}
    bucket = {"provider": "kedge.dev/filesystem", "objectStorage": {"bucket": "b"}}
    location = {"metadata": named("default"), "spec": {**bucket, "credential": credential}}
    await admin.create(LOCATIONS, location)
    await until(lambda: admin.get(LOCATIONS, "default", HOME), _is_in("Available"))
    role = {"metadata": named("strong"), "rules": [EVERYTHING]}
    await admin.create(ROLES, role)
    spec = {"includedNamespaces": [HOME], "includedResources": ["roles", "configmaps"]}
    await admin.create(BACKUPS, {"metadata": named("b"), "spec": spec})
    await until(lambda: admin.get(BACKUPS, "b", HOME), _is_in("Completed"))
    await admin.delete(ROLES, "strong", HOME)
    await admin.create(RESTORES, {"metadata": named("r"), "spec": {"backupName": "b"}})
    await until(lambda: admin.get(RESTORES, "r", HOME), _is_in("Completed"))
    assert (await admin.get(ROLES, "strong", HOME))["rules"] == [EVERYTHING]
    target = {"target": {"kind": "BackupLog", "name": "b"}}
    await admin.create(DOWNLOADS, {"metadata": named("d"), "spec": target})
    await until(lambda: admin.get(DOWNLOADS, "d", HOME), _is_in("Processed"))
    await admin.create(STATUSES, {"metadata": named("s"), "spec": {}})
    await until(lambda: admin.get(STATUSES, "s", HOME), _is_in("Processed"))
    over = {"status": {"expiration": "2020-01-01T00:00:00Z"}}
    await admin.patch_status(BACKUPS, "b", merge(over), HOME)

    async def left() -> list[str]:
        kinds = (BACKUPS, RESTORES, DELETIONS)
        found = [one for kind in kinds for one in (await admin.page(kind)).items]
        names = [one["metadata"]["name"] for one in found]
        return [name for name in names if name in ("b", "r") or name.startswith("b-")]

    await until(left, lambda names: names == [])


def named(name: str) -> Object:
    """Give the metadata of an object at home."""
    return {"name": name, "namespace": HOME}


def _is_in(phase: str) -> Callable[[Object], bool]:
    return lambda one: one.get("status", {}).get("phase") == phase


def asked_for(seen: Proxy) -> set[tuple[str, str, str]]:
    """Give group, resource and verb of every request for a resource at home."""
    found = set()
    for call in seen.calls:
        aim = call.request.aim
        if aim.plural and aim.namespace == HOME:
            resource = f"{aim.plural}/{aim.subresource}" if aim.subresource else aim.plural
            found.add((aim.group, resource, aim.verb))
    return found


GRANTED = {(one.group, one.resource, verb) for one in RIGHTS for verb in one.verbs}
VELERO = "velero.io"
ELSEWHERE = {
    # By sync: a bucket that somebody else fills, and empties.
    (VELERO, "backups", "delete"),
    (VELERO, "podvolumebackups", "create"),
    (VELERO, "podvolumebackups", "get"),
    (VELERO, "podvolumebackups/status", "patch"),
    (VELERO, "schedules", "get"),
    # Where a second location says that it is the default, or an old request has no labels.
    (VELERO, "backupstoragelocations", "patch"),
    (VELERO, "deletebackuprequests", "patch"),
    # Where the status is no subresource, as in a stock Velero's kinds.
    (VELERO, "downloadrequests", "patch"),
    (VELERO, "serverstatusrequests", "patch"),
    # When their time is over.
    (VELERO, "downloadrequests", "delete"),
    (VELERO, "serverstatusrequests", "delete"),
    # A policy, or modifiers, that a Backup or a Restore names.
    ("", "configmaps", "get"),
}
"""What is used only in the tests of its own controller."""
SELF_SERVICE = {
    (one.group, one.resource, verb)
    for name, reach in BY_CONTROLLER.items()
    if name.startswith("nonadmin")
    for one in reach.at_home
    for verb in one.verbs
}
"""What is done on behalf of people who are not here."""


@pytest.fixture(name="housed")
def _housed(place: Site, first: list[str]) -> None:
    """Install a second time, in the namespace of these tests."""
    place.install("-n", HOME)


@pytest.mark.asyncio
@pytest.mark.usefixtures("housed")
async def test_the_server_needs_its_rights_and_uses_them(place: Site, tmp_path: Path) -> None:
    async with admin_of(place) as admin:
        async with watched(admin, await token_of(admin, "kedge"), tmp_path) as seen:
            await everything_that_happens(admin)
            await a_life_of_a_backup(admin)
            await seen.seen(matches(verb="update", resource="leases"))
        refused = [call.path for call in seen.calls if call.status in (401, 403)]
        assert refused == []
        assert GRANTED - asked_for(seen) - ELSEWHERE - SELF_SERVICE == set()


async def rules_of(admin: Client, account: str) -> list[Object]:
    """Ask a service account what it may do at home."""
    login = await admin.access.credentials.login()
    assert login.tls is not None
    body = {"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview"}
    request = Request(
        "POST",
        "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews",
        body=msgspec.json.encode({**body, "spec": {"namespace": HOME}}),
    )
    token = await token_of(admin, account)
    async with (
        proxy(admin.access.server, tls=_without_certificate(login.tls)) as way,
        Client(explicit(way.url, token=token)) as client,
    ):
        rules: list[Object] = read(await client.send(request), dict)["status"]["resourceRules"]
        return rules


@pytest.mark.asyncio
@pytest.mark.usefixtures("housed")
async def test_nothing_else_is_granted(place: Site) -> None:
    place.kubectl.run("create", "serviceaccount", "nobody", "-n", HOME)
    async with admin_of(place) as admin:
        for_all = await rules_of(admin, "nobody")
        own = [rule for rule in await rules_of(admin, "kedge") if rule not in for_all]
    granted = [*(one.rule for one in RIGHTS), *CLUSTER_RULES]
    assert [rule for rule in own if rule not in granted] == []
    assert [rule for rule in granted if rule not in own] == []
