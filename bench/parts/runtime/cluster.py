"""The other load side: the embedded API server, filled with objects of 2 kB."""

import asyncio
import gc
import sys

from kedge.testing import cluster
from parts.runtime.objects import new

NAMESPACE = "bench"
PARALLEL = 20


async def main(resource: str, count: int) -> None:
    """Fill a server, say where its kubeconfig is, and serve until killed."""
    async with cluster() as server:
        meta = {"name": NAMESPACE}
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": meta}
        await server.client.create("/api/v1/namespaces", namespace)
        numbers = iter(range(count))

        async def worker() -> None:
            for number in numbers:
                body = new(resource, f"item-{number:07d}")
                await server.client.request("POST", path, body)

        path = f"/api/v1/namespaces/{NAMESPACE}/{resource}"
        async with asyncio.TaskGroup() as group:
            for _ in range(PARALLEL):
                group.create_task(worker())
        sys.stdout.write(f"{server.kubeconfig}\n")
        sys.stdout.flush()
        await asyncio.Event().wait()


if __name__ == "__main__":
    gc.set_threshold(50_000, 20, 100)
    asyncio.run(main(sys.argv[1], int(sys.argv[2])))
