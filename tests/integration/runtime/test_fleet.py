"""The sample controller does its work on the embedded API."""

import asyncio

import pytest

from kedge.testing import Cluster, cluster
from tests.integration.runtime.fleet import CRD, a_fleet, sailing

FLEETS = "/apis/sea.example.com/v1/namespaces/default/fleets"
BOATS = "/api/v1/namespaces/default/configmaps"


async def colours(kube: Cluster) -> dict[str, str]:
    boats = await kube.client.get(BOATS)
    return {
        one["metadata"]["name"]: one["data"]["colour"]
        for one in boats["items"]
        if one["metadata"]["name"].startswith("north")
    }


@pytest.mark.asyncio
async def test_a_fleet_is_built_painted_shrunk_and_sunk() -> None:
    async with cluster() as kube:
        await kube.define(CRD)
        await kube.client.create(
            FLEETS, {"apiVersion": "sea.example.com/v1", "kind": "Fleet", **a_fleet("north", 3)}
        )
        async with sailing(kube.url, kube.token, kube.ca.read_bytes()):
            await kube.client.until(
                f"{FLEETS}/north", lambda one: one.get("status", {}).get("boats") == 3
            )
            assert await colours(kube) == {
                "north-0": "white",
                "north-1": "white",
                "north-2": "white",
            }
            await kube.client.patch(f"{FLEETS}/north", {"spec": {"size": 1, "colour": "red"}})
            await kube.client.until(
                f"{FLEETS}/north", lambda one: one.get("status", {}).get("boats") == 1
            )
            assert await colours(kube) == {"north-0": "red"}
            await kube.client.delete(f"{BOATS}/north-0")
            await kube.client.until(f"{BOATS}/north-0", lambda one: one["data"]["colour"] == "red")
            await kube.client.delete(f"{FLEETS}/north")
            async with asyncio.timeout(10):
                async for event in kube.client.watch(FLEETS):
                    if event.type == "DELETED":
                        break
            assert await colours(kube) == {}
