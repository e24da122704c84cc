"""A test kit: a Kubernetes API in your own process, for tests of anything that speaks to one.

>>> import asyncio
>>> from kedge.testing import cluster
>>> async def names() -> list[str]:
...     async with cluster() as kube:
...         namespaces = await kube.client.get("/api/v1/namespaces")
...         return [one["metadata"]["name"] for one in namespaces["items"]]
>>> asyncio.run(names())
['default', 'kube-node-lease', 'kube-public', 'kube-system']
"""

from kedge.testing.client import Client, Event
from kedge.testing.clock import FakeClock
from kedge.testing.cluster import Cluster, cluster

__all__ = ["Client", "Cluster", "Event", "FakeClock", "cluster"]
