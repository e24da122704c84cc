"""The other client libraries, each used as its own documentation shows."""

from typing import Any

from parts.runtime.meter import Counter, Measured, Meter
from parts.runtime.objects import KINDS
from parts.runtime.task import Task


async def kubernetes_asyncio_events(task: Task) -> Measured:
    """Watch with kubernetes_asyncio, which makes typed models."""
    return await _kubernetes_asyncio_watch(task, None)


async def kubernetes_asyncio_dict_events(task: Task) -> Measured:
    """Watch with kubernetes_asyncio, told to leave objects as dicts."""
    return await _kubernetes_asyncio_watch(task, "object")


async def _kubernetes_asyncio_watch(task: Task, return_type: str | None) -> Measured:
    from kubernetes_asyncio import client, config, watch

    await config.load_kube_config(config_file=task.kubeconfig)
    async with client.ApiClient() as api, watch.Watch(return_type) as stream:
        core = client.CoreV1Api(api)
        lists: dict[str, Any] = {
            "pods": core.list_namespaced_pod,
            "configmaps": core.list_namespaced_config_map,
        }
        counter = Counter(task.count)
        async for _event in stream.stream(lists[task.resource], task.namespace):
            if counter.tick():
                break
    return counter.measured()


async def kubernetes_asyncio_sync(task: Task) -> Measured:
    """List with kubernetes_asyncio."""
    from kubernetes_asyncio import client, config

    await config.load_kube_config(config_file=task.kubeconfig)
    async with client.ApiClient() as api:
        core = client.CoreV1Api(api)
        lists: dict[str, Any] = {
            "pods": core.list_namespaced_pod,
            "configmaps": core.list_namespaced_config_map,
        }
        meter = Meter()
        found = await lists[task.resource](task.namespace)
        return meter.read(len(found.items))


async def kr8s_events(task: Task) -> Measured:
    """Watch with kr8s."""
    from kr8s.asyncio import api

    client = await api(kubeconfig=task.kubeconfig)
    counter = Counter(task.count)
    async for _kind, _found in client.watch(task.resource, namespace=task.namespace):
        if counter.tick():
            break
    return counter.measured()


async def kr8s_sync(task: Task) -> Measured:
    """List with kr8s, which asks for pages of 100."""
    from kr8s.asyncio import api

    client = await api(kubeconfig=task.kubeconfig)
    meter = Meter()
    found = [one async for one in client.get(task.resource, namespace=task.namespace)]
    return meter.read(len(found))


async def lightkube_events(task: Task) -> Measured:
    """Watch with lightkube, which makes typed structs."""
    from lightkube import AsyncClient, KubeConfig
    from lightkube.resources import core_v1

    kind = getattr(core_v1, KINDS[task.resource])
    client = AsyncClient(KubeConfig.from_file(task.kubeconfig))
    counter = Counter(task.count)
    async for _kind, _found in client.watch(kind, namespace=task.namespace):
        if counter.tick():
            break
    return counter.measured()


async def lightkube_sync(task: Task) -> Measured:
    """List with lightkube."""
    from lightkube import AsyncClient, KubeConfig
    from lightkube.resources import core_v1

    kind = getattr(core_v1, KINDS[task.resource])
    client = AsyncClient(KubeConfig.from_file(task.kubeconfig))
    meter = Meter()
    found = [one async for one in client.list(kind, namespace=task.namespace)]
    return meter.read(len(found))
