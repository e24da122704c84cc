"""Addresses of services: who has one keeps it, and a write that fails gives it back."""

from pathlib import Path
from typing import Any

import pytest

from kedge.kube.errors import AlreadyExists, Invalid
from kedge.testing import Cluster, cluster

PATH = "/api/v1/namespaces/default/services"


def service(name: str, ip: str, port: int = 80) -> dict[str, Any]:
    spec = {"clusterIP": ip, "ports": [{"port": port}]}
    return {"metadata": {"name": name}, "spec": spec}


async def take(kube: Cluster, name: str, ip: str) -> None:
    await kube.client.create(PATH, service(name, ip))


@pytest.mark.asyncio
async def test_an_address_is_given_once() -> None:
    async with cluster() as kube:
        await take(kube, "a", "10.0.0.9")
        with pytest.raises(Invalid, match="provided IP is already allocated"):
            await take(kube, "b", "10.0.0.9")
        await kube.client.delete(f"{PATH}/a")
        await take(kube, "b", "10.0.0.9")


@pytest.mark.asyncio
async def test_a_refused_write_gives_back_what_it_took() -> None:
    async with cluster() as kube:
        with pytest.raises(Invalid):
            await kube.client.create(PATH, service("a", "10.0.0.9", port=0))
        await take(kube, "b", "10.0.0.9")
        with pytest.raises(AlreadyExists):
            await take(kube, "b", "10.0.0.10")
        await take(kube, "c", "10.0.0.10")


@pytest.mark.asyncio
async def test_a_dry_run_takes_nothing() -> None:
    async with cluster() as kube:
        await kube.client.create(PATH, service("a", "10.0.0.9"), dryRun="All")
        await take(kube, "b", "10.0.0.9")


@pytest.mark.asyncio
async def test_each_server_has_addresses_of_its_own() -> None:
    async with cluster() as one, cluster() as other:
        await take(one, "a", "10.0.0.9")
        await take(other, "a", "10.0.0.9")


@pytest.mark.asyncio
async def test_addresses_are_known_after_a_restart(tmp_path: Path) -> None:
    async with cluster(tmp_path) as kube:
        await take(kube, "a", "10.0.0.9")
    async with cluster(tmp_path) as kube:
        with pytest.raises(Invalid, match="provided IP is already allocated"):
            await take(kube, "b", "10.0.0.9")
