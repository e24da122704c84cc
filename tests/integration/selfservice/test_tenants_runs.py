"""What is run for people must not do, though the archive, or a pod, is their own work."""

import asyncio
import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from kedge.archive.item import Item, Place
from kedge.controllers.backup.running import Collect
from kedge.controllers.backup.settings import BackupSettings
from kedge.controllers.restore.settings import RestoreSettings
from kedge.engine.backup.run import BackupRun
from kedge.kube.errors import NotFound
from kedge.kube.kind import Object
from kedge.selfservice.marks import NAB, NAR, annotations_for, labels_for
from tests.integration.controllers.quay import Collector, quay
from tests.integration.controllers.quay import Server as BackupServer
from tests.integration.controllers.wharf import (
    Engine,
    Server,
    Wharf,
    config,
    phase,
    store_backup,
    wharf,
)

pytestmark = pytest.mark.asyncio

SPACE = "/api/v1/namespaces/shop"
PRIVILEGED = {"pod-security.kubernetes.io/enforce": "privileged"}
HOOKLESS = {"kedge.dev/hooks": "none"}
POST = "post.hook.restore.velero.io"
INIT = "init.hook.restore.velero.io"
AT_ONCE = timedelta(milliseconds=1)
TOO_LONG = "it takes longer than 1ms, which is the most for what is asked for by self-service"


def item(resource: str, kind: str, name: str, namespace: str = "", **rest: Any) -> Item:
    meta = {"name": name, **({"namespace": namespace} if namespace else {}), **rest.pop("meta", {})}
    obj: Object = {"apiVersion": "v1", "kind": kind, "metadata": meta, **rest}
    return Item(Place(resource, namespace, name), "v1", json.dumps(obj).encode())


def marked(**annotations: str) -> Object:
    """Write the metadata of a Restore that was made for a NonAdminRestore."""
    notes = annotations_for(NAR, "shop", "back", "uid") | annotations
    return {"labels": labels_for(NAR, "shop-back-u"), "annotations": notes}


async def is_there(port: Wharf, path: str) -> bool:
    try:
        await port.admin.get(path)
    except NotFound:
        return False
    return True


@pytest.mark.parametrize("is_theirs", [True, False])
async def test_their_namespace_does_not_come_back_as_they_would_like_to_have_it(
    tmp_path: Path, is_theirs: bool
) -> None:
    """It may have been deleted since they asked; it is for others to make it, and to label it."""
    space = item("namespaces", "Namespace", "shop", meta={"labels": PRIVILEGED})
    store_backup(tmp_path, "b", [space, config("prices", "shop")])
    async with wharf(Server(tmp_path, engine=None)) as port, port.running():
        wanted = {"includedNamespaces": ["shop"], "includeClusterResources": False}
        await port.restore("r", marked() if is_theirs else {}, backupName="b", **wanted)
        found = await port.ended("r")
        assert await is_there(port, SPACE) is not is_theirs
        assert phase(found) == ("PartiallyFailed" if is_theirs else "Completed")
        if is_theirs:
            errors = str(port.unpacked("r", "restore-r-results.gz")["errors"])
            assert "there is no namespace shop, and this restore may make none" in errors


async def test_what_is_theirs_goes_into_the_namespace_that_is_there(tmp_path: Path) -> None:
    space = item("namespaces", "Namespace", "shop", meta={"labels": PRIVILEGED})
    store_backup(tmp_path, "b", [space, config("prices", "shop")])
    async with wharf(Server(tmp_path, engine=None)) as port, port.running():
        await port.admin.create("/api/v1/namespaces", {"metadata": {"name": "shop"}})
        await port.restore("r", marked(), backupName="b", includedNamespaces=["shop"])
        assert phase(await port.ended("r")) == "Completed"
        assert await is_there(port, f"{SPACE}/configmaps/prices")
        labels = (await port.admin.get(SPACE))["metadata"]["labels"]
        assert not PRIVILEGED.keys() & labels.keys()


async def test_what_can_only_be_asked_for_is_not_asked_for_with_the_servers_rights(
    tmp_path: Path,
) -> None:
    """A Binding puts a pod on a node of one's choice, past the scheduler."""
    target = {"apiVersion": "v1", "kind": "Node", "name": "n1"}
    store_backup(tmp_path, "b", [item("bindings", "Binding", "web", "default", target=target)])
    async with wharf(Server(tmp_path, engine=None)) as port, port.running():
        pods = "/api/v1/namespaces/default/pods"
        spec = {"containers": [{"name": "main", "image": "x"}]}
        await port.admin.create(pods, {"metadata": {"name": "web"}, "spec": spec})
        await port.restore("r", marked(), backupName="b")
        assert phase(await port.ended("r")) == "PartiallyFailed"
        assert "nodeName" not in (await port.admin.get(f"{pods}/web"))["spec"]
        errors = str(port.unpacked("r", "restore-r-results.gz")["errors"])
        assert "bindings can not be read, so that no backup has any" in errors


@pytest.mark.parametrize("runs", [True, False])
async def test_pods_name_no_hooks_themselves_where_none_may_run(tmp_path: Path, runs: bool) -> None:
    notes = {
        f"{POST}/command": "steal",
        f"{POST}/wait-timeout": "1ms",
        f"{INIT}/container-image": "thief",
    }
    spec = {"containers": [{"name": "main", "image": "x"}]}
    pod = item("pods", "Pod", "web", "default", meta={"annotations": notes}, spec=spec)
    store_backup(tmp_path, "b", [pod])
    async with wharf(Server(tmp_path, engine=None)) as port, port.running():
        await port.restore("r", marked(**({} if runs else HOOKLESS)), backupName="b")
        found = await port.ended("r")
        tried = found["status"].get("hookStatus", {}).get("hooksAttempted", 0)
        assert tried == (1 if runs else 0)
        made = await port.admin.get("/api/v1/namespaces/default/pods/web")
        assert bool(made["spec"].get("initContainers")) is runs
        assert made["metadata"]["annotations"] == notes


@pytest.mark.parametrize("runs", [True, False])
async def test_a_backup_is_told_that_no_hooks_run(tmp_path: Path, runs: bool) -> None:
    told: list[bool] = []
    collector = Collector()

    async def collect(client: Any, run: BackupRun, *more: Any) -> Any:
        told.append(run.runs_hooks)
        return await collector(client, run, *more)

    wanted: Collect = collect
    async with quay(BackupServer(tmp_path, collect=wanted)) as port, port.running():
        await port.backup("b", {} if runs else {"annotations": HOOKLESS})
        await port.ended("b")
        assert told == [runs]


async def test_nobody_holds_up_the_restores_of_others_for_ever(tmp_path: Path) -> None:
    """By a hook, or a bucket of one's own that sends a letter at a time."""
    engine = Engine()
    settings = RestoreSettings(namespace="velero", concurrent_restores=2, tenants_timeout=AT_ONCE)
    server = Server(tmp_path, engine, settings=settings)
    async with wharf(server) as port, port.running():
        await port.restore("mine", {}, backupName="b")
        await port.until("mine", lambda one: phase(one) == "InProgress")
        await port.restore("theirs", marked(), backupName="b")
        found = await port.ended("theirs")
        assert (phase(found), found["status"]["failureReason"]) == ("Failed", TOO_LONG)
        assert phase(await port.get("mine")) == "InProgress"
        engine.go_on.set()
        assert phase(await port.ended("mine")) == "Completed"


async def test_nobody_holds_up_the_backups_of_others_for_ever(tmp_path: Path) -> None:
    gate = asyncio.Event()
    settings = BackupSettings(namespace="velero", concurrent_backups=2, tenants_timeout=AT_ONCE)
    server = BackupServer(tmp_path, limit=2, settings=settings, collect=Collector(gate=gate))
    theirs = {"labels": labels_for(NAB, "u"), "annotations": annotations_for(NAB, "shop", "n")}
    async with quay(server) as port, port.running():
        await port.backup("mine", includedNamespaces=["a"])
        await port.backup("theirs", theirs, includedNamespaces=["b"])
        found = await port.ended("theirs")
        assert (found["phase"], found["failureReason"]) == ("Failed", TOO_LONG)
        assert phase(await port.get("mine")) == "InProgress"
        gate.set()
        assert (await port.ended("mine"))["phase"] == "Completed"
