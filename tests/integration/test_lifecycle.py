"""What goes on by itself, over HTTP, with a clock that the test moves."""

import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from kedge.aio.turn import turn
from kedge.apiserver.app import ApiServer
from kedge.apiserver.settings import ServerSettings
from kedge.kube.errors import Expired, NotFound
from kedge.store import Log
from kedge.testing import Client, Cluster, FakeClock, cluster

CONFIGMAPS = "/api/v1/namespaces/default/configmaps"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
EVENTS = "/api/v1/namespaces/default/events"
ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles"


@pytest_asyncio.fixture
async def kube() -> AsyncIterator[Cluster]:
    async with cluster() as running:
        yield running


async def eventually(check: Callable[[], Awaitable[bool]], tries: int = 500) -> None:
    for _ in range(tries):
        if await check():
            return
        await turn()
    raise AssertionError("it did not come true")


async def is_gone(kube: Cluster, path: str) -> bool:
    try:
        await kube.client.get(path)
    except NotFound:
        return True
    return False


async def owned(kube: Cluster, name: str, owner: dict[str, Any], **more: Any) -> None:
    meta = owner["metadata"]
    reference = {"apiVersion": "v1", "kind": "ConfigMap", "name": meta["name"], "uid": meta["uid"]}
    body = {"metadata": {"name": name, "ownerReferences": [{**reference, **more}]}}
    await kube.client.create(CONFIGMAPS, body)


@pytest.mark.asyncio
async def test_a_chain_of_dependents_goes_with_its_head(kube: Cluster) -> None:
    head = await kube.client.create(CONFIGMAPS, {"metadata": {"name": "head"}})
    await owned(kube, "middle", head)
    await owned(kube, "tail", await kube.client.get(f"{CONFIGMAPS}/middle"))
    await kube.client.delete(f"{CONFIGMAPS}/head")
    await eventually(lambda: is_gone(kube, f"{CONFIGMAPS}/tail"))
    assert await is_gone(kube, f"{CONFIGMAPS}/middle")


@pytest.mark.asyncio
async def test_a_dependent_with_another_living_owner_stays(kube: Cluster) -> None:
    one = await kube.client.create(CONFIGMAPS, {"metadata": {"name": "one"}})
    two = await kube.client.create(CONFIGMAPS, {"metadata": {"name": "two"}})
    references = [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "name": o["metadata"]["name"],
            "uid": o["metadata"]["uid"],
        }
        for o in (one, two)
    ]
    body = {"metadata": {"name": "both", "ownerReferences": references}}
    await kube.client.create(CONFIGMAPS, body)
    await kube.client.delete(f"{CONFIGMAPS}/one")

    async def is_cut() -> bool:
        both = await kube.client.get(f"{CONFIGMAPS}/both")
        return bool(both["metadata"]["ownerReferences"] == references[1:])

    await eventually(is_cut)


@pytest.mark.asyncio
async def test_an_owner_of_the_same_name_with_another_uid_is_no_owner(kube: Cluster) -> None:
    owner = await kube.client.create(CONFIGMAPS, {"metadata": {"name": "owner"}})
    owner["metadata"]["uid"] = "00000000-0000-0000-0000-000000000000"
    await owned(kube, "stray", owner)
    await eventually(lambda: is_gone(kube, f"{CONFIGMAPS}/stray"))


@pytest.mark.asyncio
@pytest.mark.parametrize("blocks", [True, False])
async def test_an_owner_in_the_foreground_takes_its_dependents_along(
    kube: Cluster, blocks: bool
) -> None:
    owner = await kube.client.create(
        CONFIGMAPS, {"metadata": {"name": "owner", "finalizers": ["example.com/hold"]}}
    )
    await owned(kube, "child", owner, blockOwnerDeletion=blocks)
    await kube.client.delete(f"{CONFIGMAPS}/owner", propagationPolicy="Foreground")
    await eventually(lambda: is_gone(kube, f"{CONFIGMAPS}/child"))

    async def is_let_go() -> bool:
        meta = (await kube.client.get(f"{CONFIGMAPS}/owner"))["metadata"]
        return bool(meta["finalizers"] == ["example.com/hold"])

    await eventually(is_let_go)


@pytest.mark.asyncio
@pytest.mark.parametrize(
    "change",
    [{"ownerReferences": None}, {"ownerReferences": [{"blockOwnerDeletion": False}]}],
    ids=["cut", "unblocked"],
)
async def test_an_owner_waits_no_longer_for_who_lets_it_go(
    kube: Cluster, change: dict[str, Any]
) -> None:
    owner = await kube.client.create(CONFIGMAPS, {"metadata": {"name": "owner"}})
    reference = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "name": "owner",
        "uid": owner["metadata"]["uid"],
        "blockOwnerDeletion": True,
    }
    meta = {"name": "child", "finalizers": ["example.com/hold"], "ownerReferences": [reference]}
    await kube.client.create(CONFIGMAPS, {"metadata": meta})
    await kube.client.delete(f"{CONFIGMAPS}/owner", propagationPolicy="Foreground")

    async def is_ending() -> bool:
        return "deletionTimestamp" in (await kube.client.get(f"{CONFIGMAPS}/child"))["metadata"]

    await eventually(is_ending)
    assert not await is_gone(kube, f"{CONFIGMAPS}/owner")
    for one in change["ownerReferences"] or ():
        one.update({**reference, **one})
    await kube.client.patch(f"{CONFIGMAPS}/child", {"metadata": change})
    await eventually(lambda: is_gone(kube, f"{CONFIGMAPS}/owner"))


@pytest.mark.asyncio
async def test_owners_in_a_circle_do_not_wait_for_each_other(kube: Cluster) -> None:
    one = await kube.client.create(CONFIGMAPS, {"metadata": {"name": "one"}})
    await owned(kube, "two", one, blockOwnerDeletion=True)
    two = await kube.client.get(f"{CONFIGMAPS}/two")
    reference = {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "name": "two",
        "uid": two["metadata"]["uid"],
        "blockOwnerDeletion": True,
    }
    change = {"metadata": {"ownerReferences": [reference]}}
    await kube.client.patch(f"{CONFIGMAPS}/one", change)
    await kube.client.delete(f"{CONFIGMAPS}/one", propagationPolicy="Foreground")
    await eventually(lambda: is_gone(kube, f"{CONFIGMAPS}/one"))
    await eventually(lambda: is_gone(kube, f"{CONFIGMAPS}/two"))


@pytest.mark.asyncio
async def test_a_dependent_stays_while_no_one_can_tell_about_its_owner(kube: Cluster) -> None:
    uid = "00000000-0000-0000-0000-000000000000"
    unknown = {"apiVersion": "example.com/v1", "kind": "Thing", "name": "a", "uid": uid}
    known = {"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": uid}
    for name, reference in (("a", unknown), ("b", known)):
        meta = {"name": name, "ownerReferences": [reference]}
        await kube.client.create(CONFIGMAPS, {"metadata": meta})
    await eventually(lambda: is_gone(kube, f"{CONFIGMAPS}/b"))
    assert not await is_gone(kube, f"{CONFIGMAPS}/a")
    names = {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"}
    schema = {"openAPIV3Schema": {"type": "object"}}
    version = {"name": "v1", "served": True, "storage": True, "schema": schema}
    spec = {"group": "example.com", "scope": "Namespaced", "names": names, "versions": [version]}
    await kube.client.create(CRDS, {"metadata": {"name": "things.example.com"}, "spec": spec})

    async def is_collected() -> bool:
        # Kinds are looked up again with the next change, whatever it is.
        await kube.client.create(CONFIGMAPS, {"metadata": {"generateName": "other-"}})
        return await is_gone(kube, f"{CONFIGMAPS}/a")

    await eventually(is_collected)


@pytest.mark.asyncio
async def test_dependents_that_lost_their_owner_while_the_server_was_down_go_at_the_start(
    tmp_path: Path,
) -> None:
    data = tmp_path / "data"
    async with cluster(data) as kube:
        owner = await kube.client.create(CONFIGMAPS, {"metadata": {"name": "owner"}})
        await owned(kube, "child", owner)
    async with Log.open(data / "kedge.db") as log:
        record = log.get("/core/configmaps/default/owner")
        assert record is not None
        await log.delete(record.key, lambda revision: record.value, record.revision)
    async with cluster(data) as kube:
        await eventually(lambda: is_gone(kube, f"{CONFIGMAPS}/child"))


@pytest.mark.asyncio
async def test_a_namespace_with_content_goes_as_a_whole(kube: Cluster) -> None:
    await kube.client.create("/api/v1/namespaces", {"metadata": {"name": "doomed"}})
    for number in range(30):
        await kube.client.create(
            "/api/v1/namespaces/doomed/configmaps", {"metadata": {"name": f"c{number}"}}
        )
    await kube.client.delete("/api/v1/namespaces/doomed")
    await eventually(lambda: is_gone(kube, "/api/v1/namespaces/doomed"))
    found = await kube.client.get("/api/v1/configmaps", fieldSelector="metadata.namespace=doomed")
    assert found["items"] == []


@pytest.mark.asyncio
async def test_an_aggregated_role_follows_its_parts(kube: Cluster) -> None:
    rule = {"apiGroups": ["example.com"], "resources": ["things"], "verbs": ["get"]}
    whole = {
        "metadata": {"name": "whole"},
        "aggregationRule": {"clusterRoleSelectors": [{"matchLabels": {"part": "yes"}}]},
    }
    await kube.client.create(ROLES, whole)
    await kube.client.create(
        ROLES, {"metadata": {"name": "part", "labels": {"part": "yes"}}, "rules": [rule]}
    )

    async def has_rule() -> bool:
        return bool((await kube.client.get(f"{ROLES}/whole")).get("rules") == [rule])

    await eventually(has_rule)


@pytest.mark.asyncio
async def test_old_history_is_forgotten_and_old_events_expire() -> None:
    clock = FakeClock()
    async with ApiServer(ServerSettings(), clock) as server:
        tls = ssl.create_default_context(cafile=str(server.address.pki.path("ca.crt")))
        async with Client(server.address.url, server.address.token, tls) as client:
            event = {
                "metadata": {"name": "e", "namespace": "default"},
                "involvedObject": {"kind": "Pod", "name": "p", "namespace": "default"},
                "reason": "Test",
                "type": "Normal",
            }
            await client.create(EVENTS, event)
            first = (await client.get(CONFIGMAPS))["metadata"]["resourceVersion"]
            await client.create(CONFIGMAPS, {"metadata": {"name": "a"}})
            clock.advance(timedelta(minutes=1))
            await server.parts.history.tick()
            clock.advance(timedelta(minutes=6))
            await client.create(CONFIGMAPS, {"metadata": {"name": "b"}})
            await server.parts.history.tick()
            query = {"resourceVersion": first, "resourceVersionMatch": "Exact"}
            with pytest.raises(Expired):
                await client.get(CONFIGMAPS, **query)
            events = [one async for one in client.watch(CONFIGMAPS, resourceVersion=first)]
            assert [one.type for one in events] == ["ERROR"]
            assert events[0].object["code"] == 410
            assert (await client.get(f"{EVENTS}/e"))["reason"] == "Test"
            clock.advance(timedelta(hours=1))
            await server.parts.history.tick()
            with pytest.raises(NotFound):
                await client.get(f"{EVENTS}/e")
