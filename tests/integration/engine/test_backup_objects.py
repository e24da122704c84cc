"""What is in a backup: all that is asked for, as it is on the server."""

import gc
from typing import Any

import msgspec
import pytest

from kedge.client.requests import Request
from kedge.engine.backup.collect import AT_FIRST, AT_ONCE, Collector
from kedge.engine.backup.listing import Items, Lister, Query
from kedge.engine.backup.needs import Needs
from kedge.engine.backup.prepare import Prepared
from kedge.engine.backup.save import Saver
from kedge.kube.kind import Object, plain
from tests.integration.definitions import anything
from tests.integration.engine.backing import (
    ACCOUNTS,
    BINDINGS,
    CLAIM,
    CLAIMS,
    CONFIGS,
    PODS,
    PRIORITIES,
    ROLES,
    VOLUME,
    VOLUMES,
    Harbour,
    harbour,
    made_by,
    pod,
)
from tests.integration.eventually import eventually

BOATS = plain("sea.example.org/v1", "Boat", "boats")
ISLES = plain("sea.example.org/v1", "Isle", "isles", namespaced=False)
BOAT = anything("sea.example.org", "v1", "boats", "Boat")
ISLE = anything("sea.example.org", "v1", "isles", "Isle", "Cluster")


async def many_kinds(port: Harbour) -> None:
    """Fill a cluster with objects of many kinds."""
    kube = port.kube
    await port.namespace("app", team="a")
    await port.make(CONFIGS, "huge", "app", data={"k": "x" * 300_000})
    await port.make(CONFIGS, "bytes", "app", binaryData={"k": "AAEC/w=="}, immutable=True)
    await port.make(CONFIGS, "text", "app", data={"a": "ä\u2028\u0000<>&\U0001f6a2", "b": ""})
    await port.make(
        plain("v1", "Secret", "secrets"), "s", "app", type="Opaque", data={"p": "aHVudGVyMg=="}
    )
    await port.make(
        plain("v1", "Service", "services"),
        "s",
        "app",
        spec={"ports": [{"port": 80}], "selector": {"a": "b"}},
    )
    await port.make(PODS, "p", "app", spec=pod())
    template = {"metadata": {"labels": {"a": "b"}}, "spec": pod()}
    await port.make(
        plain("apps/v1", "Deployment", "deployments"),
        "d" * 60,
        "app",
        spec={"selector": {"matchLabels": {"a": "b"}}, "template": template},
        labels={"long": "l" * 63},
    )
    await port.make(CONFIGS, "n" * 253, "app")
    await port.cluster.define(BOAT)
    await port.cluster.define(ISLE)
    await port.make(BOATS, "b", "app", crew={"deep": [{"n": 1.5}, None, 12345678901234567]})
    await kube.create(ISLES, {"metadata": {"name": "i"}, "size": 3})


def comparable(obj: Object) -> Object:
    return {name: value for name, value in obj.items() if name not in ("apiVersion", "kind")}


@pytest.mark.asyncio
async def test_every_object_is_saved_as_it_is_on_the_server() -> None:
    async with harbour() as port:
        await many_kinds(port)
        made = await port.back_up()
        assert made.journal.results() == {"errors": {}, "warnings": {}}
        kinds = {
            "boats.sea.example.org": BOATS,
            "isles.sea.example.org": ISLES,
            "configmaps": CONFIGS,
            "pods": PODS,
            "clusterroles.rbac.authorization.k8s.io": ROLES,
        }
        for resource, kind in kinds.items():
            live = [one async for one in port.kube.list(kind)]
            saved = [one for name, one in made.items.items() if name.split("/")[0] == resource]
            assert [comparable(one) for one in saved] == [comparable(one) for one in live]
            assert all(one["apiVersion"] == kind.api_version for one in saved)
            assert all(one["kind"] == kind.name for one in saved)
            assert saved
        assert "customresourcedefinitions.apiextensions.k8s.io/boats.sea.example.org" in made.items
        assert "namespaces/app" in made.items


@pytest.mark.asyncio
async def test_each_object_is_there_twice_with_the_same_bytes() -> None:
    async with harbour() as port:
        await many_kinds(port)
        made = await port.back_up()
        assert made.names[0] == "metadata/version"
        plain_names = [name for name in made.names[1:] if "-preferredversion/" not in name]
        assert len(made.names) == 1 + 2 * len(plain_names)
        for name in plain_names:
            top, resource, rest = name.split("/", 2)
            version = next(
                other
                for other in made.names
                if other.startswith(f"{top}/{resource}/v") and other.endswith(f"version/{rest}")
            )
            assert made.files[name] == made.files[version]
        assert made.outcome.items == len(plain_names) == len(made.items)


@pytest.mark.asyncio
async def test_the_outcome_tells_what_is_in_the_archive() -> None:
    async with harbour() as port:
        await many_kinds(port)
        made = await port.back_up()
        listed = made.outcome.resource_list
        assert listed["sea.example.org/v1/Boat"] == ["app/b"]
        assert listed["sea.example.org/v1/Isle"] == ["i"]
        assert listed["apps/v1/Deployment"] == ["app/" + "d" * 60]
        assert listed["v1/ConfigMap"] == sorted(listed["v1/ConfigMap"])
        assert sum(map(len, listed.values())) == made.outcome.items
        assert made.progress.done == made.progress.total == made.outcome.items
        assert made.outcome.size_bytes == len(made.archive)


@pytest.mark.asyncio
async def test_the_same_cluster_gives_the_same_bytes() -> None:
    async with harbour() as port:
        await many_kinds(port)
        spec: dict[str, Any] = {"orLabelSelectors": [{}, {"matchLabels": {"team": "a"}}]}
        for fields in ({}, {"includedNamespaces": ["app", "default"]}, spec):
            first, second = await port.back_up(**fields), await port.back_up(**fields)
            assert first.archive == second.archive
            assert first.outcome == second.outcome


@pytest.mark.asyncio
async def test_pages_do_not_show() -> None:
    async with harbour() as port:
        await port.namespace("app")
        for number in range(25):
            await port.make(CONFIGS, f"c{number:02}", "app")
        whole = await port.back_up()
        for size in (1, 7, 0):
            made = await port.back_up(page_size=size)
            assert made.archive == whole.archive
            assert made.progress.total == whole.outcome.items


@pytest.mark.asyncio
async def test_first_pages_that_are_too_many_to_be_kept_are_read_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with harbour() as port:
        await port.namespace("app")
        for number in range(5):
            await port.make(CONFIGS, f"c{number}", "app")
        whole = await port.back_up()
        monkeypatch.setattr("kedge.engine.backup.collect.KEPT_BYTES", 0)
        made = await port.back_up()
        assert made.archive == whole.archive
        assert made.progress == whole.progress


@pytest.mark.asyncio
async def test_one_long_list_is_read_on_while_the_backup_begins() -> None:
    asked: list[str] = []
    early: list[str] = []

    def look(request: Request) -> None:
        if "continue" in request.query:
            asked.append(request.path)

    async def begin() -> None:
        await eventually(lambda: bool(asked))
        early.extend(asked)

    async with harbour() as port:
        await port.namespace("app")
        for number in range(5):
            await port.make(CONFIGS, f"c{number}", "app")
            await port.make(ACCOUNTS, f"a{number}", "app")
        whole = await port.back_up()
        port.kube.change = look
        made = await made_by(port.kube, 2, begin)
        assert made.archive == whole.archive
        assert len(early) == 1
        assert len(set(asked)) > 1


@pytest.mark.asyncio
async def test_few_lists_are_asked_for_while_the_backup_begins(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    busy, ended, most = 0, 0, {"before": 0, "after": 0}
    now, real = "before", Lister.page

    async def page(self: Lister, query: Query, size: int, token: str = "") -> Items:
        nonlocal busy, ended
        if token:
            return await real(self, query, size, token)  # of the one long list that is read on
        busy += 1
        most[now] = max(most[now], busy)
        try:
            return await real(self, query, size, token)
        finally:
            busy, ended = busy - 1, ended + 1

    async def begin() -> None:
        nonlocal now
        await eventually(lambda: ended > AT_ONCE)
        now = "after"

    monkeypatch.setattr(Lister, "page", page)
    async with harbour() as port:
        await made_by(port.kube, begin=begin)
    assert most == {"before": AT_FIRST, "after": AT_ONCE}


@pytest.mark.asyncio
async def test_a_backup_of_next_to_nothing_asks_for_each_resource_once() -> None:
    async with harbour() as port:
        await port.namespace("app")
        port.kube.asked.clear()
        made = await port.back_up(includedNamespaces=["app"])
        assert set(made.items) <= {"namespaces/app", "serviceaccounts/app/default"} | {
            name for name in made.items if name.startswith("configmaps/app/kube-root")
        }
        lists = [path for path in port.kube.asked if path.startswith(("/api/", "/apis/"))]
        assert len(lists) == len(set(lists))


@pytest.mark.asyncio
async def test_a_pod_brings_its_claims_their_volumes_and_its_priority() -> None:
    async with harbour() as port:
        await port.namespace("app")
        await port.make(PRIORITIES, "high", value=5)
        await port.make(PRIORITIES, "low", value=1)
        await port.make(VOLUMES, "pv-1", spec=VOLUME, labels={"zone": "z"})
        await port.make(VOLUMES, "pv-2", spec=VOLUME)
        source = {"dataSource": {"kind": "PersistentVolumeClaim", "name": "old"}}
        await port.make(CLAIMS, "data", "app", spec={**CLAIM, **source, "volumeName": "pv-1"})
        await port.make(CLAIMS, "idle", "app", spec=CLAIM)
        bound = {"metadata": {"name": "data", "namespace": "app"}, "status": {"phase": "Bound"}}
        live = await port.kube.get(CLAIMS, "data", "app")
        await port.kube.update_status(CLAIMS, {**live, "status": bound["status"]})
        await port.make(
            PODS, "p", "app", spec=pod("data", "gone", priorityClassName="high"), labels={"a": "b"}
        )
        made = await port.back_up(labelSelector={"matchLabels": {"a": "b"}})
        assert set(made.items) == {
            "pods/app/p",
            "persistentvolumeclaims/app/data",
            "persistentvolumes/pv-1",
            "priorityclasses.scheduling.k8s.io/high",
            "namespaces/app",
        }
        assert "dataSource" not in made.items["persistentvolumeclaims/app/data"]["spec"]
        warnings = made.journal.results()["warnings"]
        assert warnings["namespaces"] == {
            "app": [
                " resource: /persistentvolumeclaims name: /gone message: /Additional item was "
                "not found in Kubernetes API, can't back it up"
            ]
        }
        (words,) = warnings["velero"]
        assert "1 PersistentVolumeClaim is not saved" in words
        assert "app/data" in words
        (info,) = made.outcome.volume_infos
        assert (info["pvName"], info["pvcName"], info["skipped"]) == ("pv-1", "data", True)
        assert info["pvInfo"]["labels"] == {"zone": "z"}
        quiet = await port.back_up(snapshotVolumes=False)
        assert quiet.journal.warnings == 1  # the claim that is gone
        only = await port.back_up(includedResources=["pods"])
        assert set(only.items) == {"pods/app/p"}


@pytest.mark.asyncio
async def test_a_service_account_brings_its_bindings_and_their_roles() -> None:
    async with harbour() as port:
        await port.namespace("app")
        await port.make(ACCOUNTS, "robot", "app")
        await port.make(ROLES, "lift", rules=[])
        subject = {"kind": "ServiceAccount", "name": "robot", "namespace": "app"}
        reference = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "lift"}
        await port.make(BINDINGS, "robots", subjects=[subject], roleRef=reference)
        await port.make(
            BINDINGS, "others", subjects=[{**subject, "namespace": "b"}], roleRef=reference
        )
        made = await port.back_up(includedNamespaces=["app"])
        assert {name for name in made.items if "clusterrole" in name} == {
            "clusterrolebindings.rbac.authorization.k8s.io/robots",
            "clusterroles.rbac.authorization.k8s.io/lift",
        }
        assert made.journal.warnings == made.journal.errors == 0
        none = await port.back_up(
            includedNamespaces=["app"], excludedClusterScopedResources=["clusterroles"]
        )
        assert {name for name in none.items if "clusterrole" in name} == {
            "clusterrolebindings.rbac.authorization.k8s.io/robots"
        }


@pytest.mark.asyncio
async def test_custom_objects_bring_their_definition() -> None:
    async with harbour() as port:
        await many_kinds(port)
        made = await port.back_up(includedNamespaces=["app"])
        definitions = {name for name in made.items if name.startswith("customresource")}
        assert definitions == {
            "customresourcedefinitions.apiextensions.k8s.io/boats.sea.example.org"
        }
        assert made.items["boats.sea.example.org/app/b"]["crew"]["deep"][2] == 12345678901234567
        assert made.journal.warnings == 0
        without = await port.back_up(
            includedNamespaces=["app"], excludedClusterScopedResources=["crd"]
        )
        assert not {name for name in without.items if name.startswith("customresource")}
        only = await port.back_up(includedResources=["boats"])
        assert set(only.items) == {"boats.sea.example.org/app/b"}


@pytest.mark.asyncio
async def test_a_kind_that_was_made_a_moment_ago_is_in_the_next_backup() -> None:
    async with harbour() as port:
        assert "boats.sea.example.org" not in (await port.back_up()).resources
        await port.cluster.define(BOAT)
        await port.make(BOATS, "b", "default")
        assert "boats.sea.example.org/default/b" in (await port.back_up()).items


@pytest.mark.asyncio
async def test_what_is_labelled_or_on_its_way_out_is_left_out() -> None:
    async with harbour() as port:
        await port.namespace("app")
        out = {"velero.io/exclude-from-backup": "true"}
        await port.namespace("hidden", **out)
        await port.make(CONFIGS, "kept", "app", labels={"velero.io/exclude-from-backup": "false"})
        await port.make(CONFIGS, "labelled", "app", labels=out)
        await port.make(CONFIGS, "leaving", "app", finalizers=["example.org/wait"])
        await port.kube.delete(CONFIGS, "leaving", "app")
        await port.make(VOLUMES, "pv", spec=VOLUME, labels=out)
        made = await port.back_up()
        assert {name for name in made.items if "/app/" in name} == {"configmaps/app/kept"}
        assert "persistentvolumes" not in made.resources
        assert "namespaces/hidden" not in made.items
        assert "Left out 1 items: it is being deleted" in made.log
        raw = made.files["resources/configmaps/namespaces/app/kept.json"]
        assert msgspec.json.decode(raw)["metadata"]["name"] == "kept"


@pytest.mark.asyncio
async def test_what_a_backup_held_is_gone_when_it_ends() -> None:
    async with harbour() as port:
        await port.namespace("app")
        await port.make(CONFIGS, "c", "app")
        gc.collect()
        gc.disable()  # it may be a long time until somebody looks for what holds itself
        try:
            await port.back_up(includedNamespaces=["app"])
            held = (Collector, Saver, Needs, Prepared)
            assert not [type(one) for one in gc.get_objects() if isinstance(one, held)]
        finally:
            gc.enable()
