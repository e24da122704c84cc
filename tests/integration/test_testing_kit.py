"""The test kit as other projects use it: clusters in one's own process, clients, a clock."""

import asyncio
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import yaml

import kedge.testing
from kedge.kube.errors import AlreadyExists, Forbidden, NotFound, Unauthorized
from kedge.testing import Client, FakeClock, cluster
from tests.integration.eventually import pause

CONFIGS = "/api/v1/namespaces/default/configmaps"
SELF = "/apis/authentication.k8s.io/v1/selfsubjectreviews"


def test_the_public_names_are_these() -> None:
    names = ["Client", "Cluster", "Event", "FakeClock", "cluster"]
    assert kedge.testing.__all__ == names


@pytest.mark.asyncio
async def test_a_cluster_has_what_every_client_needs() -> None:
    async with cluster() as kube:
        config = yaml.safe_load(kube.kubeconfig.read_text())
        assert config["clusters"][0]["cluster"]["server"] == kube.url
        review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
        answer = await kube.client.create(SELF, review)
        assert "system:masters" in answer["status"]["userInfo"]["groups"]
        tls = ssl.create_default_context(cafile=str(kube.ca))
        async with Client(kube.url, kube.token, tls) as client:
            assert (await client.get("/api/v1/namespaces/default"))["kind"] == "Namespace"
    assert not kube.kubeconfig.exists()
    assert not kube.ca.exists()


@pytest.mark.asyncio
async def test_a_fresh_cluster_is_at_rest() -> None:
    async with cluster() as kube:
        start = await kube.client.get(CONFIGS)
        await pause(0.2)
        later = await kube.client.get(CONFIGS)
        assert later["metadata"]["resourceVersion"] == start["metadata"]["resourceVersion"]


@pytest.mark.asyncio
async def test_clusters_do_not_see_each_other() -> None:
    async with cluster() as one, cluster() as other:
        made = {"metadata": {"name": "mine"}}
        await asyncio.gather(*(kube.client.create(CONFIGS, made) for kube in (one, other)))
        await one.client.delete(f"{CONFIGS}/mine")
        with pytest.raises(NotFound):
            await one.client.get(f"{CONFIGS}/mine")
        await other.client.get(f"{CONFIGS}/mine")
        with pytest.raises(Unauthorized):
            async with one.client_for(other.token) as stranger:
                await stranger.get(CONFIGS)


@pytest.mark.asyncio
async def test_a_cluster_in_a_folder_is_there_again(tmp_path: Path) -> None:
    async with cluster(tmp_path / "data") as kube:
        await kube.client.create(CONFIGS, {"metadata": {"name": "kept"}})
        token = kube.token
    async with cluster(tmp_path / "data") as kube:
        assert kube.token == token
        with pytest.raises(AlreadyExists):
            await kube.client.create(CONFIGS, {"metadata": {"name": "kept"}})


@pytest.mark.asyncio
@pytest.mark.parametrize("year", [1990, 2090])
async def test_times_are_those_of_the_clock(year: int) -> None:
    clock = FakeClock(datetime(year, 5, 17, 12, tzinfo=UTC))
    async with cluster(clock=clock) as kube:
        first = await kube.client.create(CONFIGS, {"metadata": {"name": "first"}})
        assert first["metadata"]["creationTimestamp"] == f"{year}-05-17T12:00:00Z"
        clock.advance(timedelta(hours=1))
        held = {"metadata": {"name": "second", "finalizers": ["x.test/y"]}}
        second = await kube.client.create(CONFIGS, held)
        assert second["metadata"]["creationTimestamp"] == f"{year}-05-17T13:00:00Z"
        clock.advance(timedelta(minutes=1))
        deleted = await kube.client.delete(f"{CONFIGS}/second")
        assert deleted["metadata"]["deletionTimestamp"] == f"{year}-05-17T13:01:00Z"


@pytest.mark.asyncio
async def test_a_token_ends_when_the_clock_says_so() -> None:
    clock = FakeClock()
    async with cluster(clock=clock) as kube:
        accounts = "/api/v1/namespaces/default/serviceaccounts"
        await kube.client.create(accounts, {"metadata": {"name": "robot"}})
        made = await kube.client.create(
            f"{accounts}/robot/token", {"spec": {"expirationSeconds": 600}}
        )
        async with kube.client_for(made["status"]["token"]) as robot:
            with pytest.raises(Forbidden):
                await robot.get(CONFIGS)
            clock.advance(timedelta(minutes=12))
            with pytest.raises(Unauthorized):
                await robot.get(CONFIGS)


def test_a_clock_goes_only_forward_and_knows_its_zone() -> None:
    clock = FakeClock()
    with pytest.raises(ValueError, match="does not go back"):
        clock.advance(timedelta(seconds=-1))
    with pytest.raises(ValueError, match="time zone"):
        FakeClock(datetime(2030, 1, 1))  # noqa: DTZ001


@pytest.mark.asyncio
async def test_users_come_from_a_token_file(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens.csv"
    tokens.write_text('secret,carol,uid-carol,"devs"\n')
    async with cluster(token_file=tokens) as kube, kube.client_for("secret") as carol:
        with pytest.raises(Forbidden, match='User "carol" cannot list resource "configmaps"'):
            await carol.get(CONFIGS)
    async with cluster() as kube, kube.client_for("") as nobody:
        with pytest.raises(Forbidden, match="system:anonymous"):
            await nobody.get(CONFIGS)


@pytest.mark.asyncio
async def test_waiting_for_an_object_ends_when_it_is_as_wished() -> None:
    async with cluster() as kube, asyncio.TaskGroup() as tasks:
        path = f"{CONFIGS}/paint"
        blue = tasks.create_task(
            kube.client.until(path, lambda config: config.get("data") == {"colour": "blue"})
        )
        await kube.client.create(CONFIGS, {"metadata": {"name": "paint"}})
        await kube.client.patch(path, {"data": {"colour": "blue"}})
        assert (await blue)["data"] == {"colour": "blue"}
        with pytest.raises(TimeoutError):
            await kube.client.until(path, lambda config: False, seconds=0.1)


@pytest.mark.asyncio
async def test_a_kind_can_be_used_once_it_is_defined() -> None:
    async with cluster() as kube:
        names = {"plural": "boats", "singular": "boat", "kind": "Boat"}
        schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
        version = {"name": "v1", "served": True, "storage": True}
        versions = [{**version, "schema": {"openAPIV3Schema": schema}}]
        spec = {"group": "kit.test", "scope": "Cluster", "names": names, "versions": versions}
        head = {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition"}
        await kube.define({**head, "metadata": {"name": "boats.kit.test"}, "spec": spec})
        boat = {"apiVersion": "kit.test/v1", "kind": "Boat", "metadata": {"name": "kayak"}}
        await kube.client.create("/apis/kit.test/v1/boats", boat)


@pytest.mark.asyncio
async def test_a_watch_ends_with_its_cluster() -> None:
    async with cluster() as kube:
        client = kube.client_for(kube.token)
        watch = client.watch(CONFIGS)
        await kube.client.create(CONFIGS, {"metadata": {"name": "a"}})
        assert (await anext(watch)).type == "ADDED"
    assert [event async for event in watch] == []
    await client.close()
