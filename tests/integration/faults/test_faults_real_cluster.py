"""The proxy in front of a real kube-apiserver."""

import pytest

from kedge.kube.errors import AlreadyExists, Forbidden, NotFound
from kedge.testing import Client, faults
from tests.integration.faults.front import WATCHES, WRITES, config, told
from tests.real_cluster import RealCluster

CONFIGS = "/api/v1/namespaces/kube-public/configmaps"


@pytest.mark.asyncio
async def test_a_real_server_behind_the_proxy(real_cluster: RealCluster) -> None:
    token = real_cluster.tokens["admin"]
    async with (
        faults.proxy(real_cluster.url, token=token, tls=real_cluster.tls) as proxy,
        proxy.client() as client,
        proxy.client(real_cluster.tokens["alice"]) as alice,
    ):
        with pytest.raises(Forbidden):
            await alice.get(CONFIGS)
        version = (await client.get(CONFIGS))["metadata"]["resourceVersion"]
        proxy.inject(faults.DuplicateEvent(0), WATCHES)
        proxy.inject(faults.Split(), WATCHES)
        watch = client.watch(CONFIGS, resourceVersion=version)
        with proxy.inject(faults.SendTwice(), WRITES), pytest.raises(AlreadyExists):
            await client.create(CONFIGS, config("a", text="\u2028" * 1000))
        for _ in range(2):
            assert told(await anext(watch)) == ("ADDED", "a")
        await the_order(proxy, client)
        await watch.aclose()


async def the_order(proxy: faults.Proxy, client: Client) -> None:
    past = faults.Past()
    with proxy.inject(past.keep):
        old = await client.get(f"{CONFIGS}/a")
    watching = next(call for call in proxy.calls if WATCHES(call.request))
    with proxy.inject(faults.EventFirst(), WRITES):
        made = await client.patch(f"{CONFIGS}/a", {"data": {"n": "1"}})
        assert watching.position >= int(made["metadata"]["resourceVersion"])
        await client.delete(f"{CONFIGS}/a")
    with pytest.raises(NotFound):
        await client.get(f"{CONFIGS}/a")
    with proxy.inject(past.serve):
        assert await client.get(f"{CONFIGS}/a") == old


@pytest.mark.asyncio
async def test_a_client_certificate_for_a_real_server(real_cluster: RealCluster) -> None:
    tls = real_cluster.tls
    tls.load_cert_chain(real_cluster.client.certificate, real_cluster.client.key)
    async with faults.proxy(real_cluster.url, tls=tls) as proxy, proxy.client() as client:
        assert (await client.get("/api/v1/namespaces/default"))["kind"] == "Namespace"
