"""A cluster to restore into, archives made of objects, and what a restore did."""

import io
from collections import Counter
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import msgspec

from kedge.aio.clock import SystemClock
from kedge.api.velero.restore import RestoreSpec
from kedge.archive.contents import Contents, ContentsBuilder
from kedge.archive.item import Item, Place
from kedge.archive.writer import ArchiveWriter
from kedge.client.client import Client
from kedge.client.settings import ClientSettings
from kedge.client.where import explicit
from kedge.engine.journal import Journal
from kedge.engine.restore.modifiers import Modifiers
from kedge.engine.restore.preview import Change, preview
from kedge.engine.restore.request import RestoreOutcome, RestoreRun
from kedge.engine.restore.run import Progress, restore
from kedge.testing import cluster
from kedge.testing.cluster import Cluster

Object = dict[str, Any]

PLURALS = {
    "ConfigMap": "configmaps",
    "CustomResourceDefinition": "customresourcedefinitions.apiextensions.k8s.io",
    "Deployment": "deployments.apps",
    "Job": "jobs.batch",
    "Namespace": "namespaces",
    "PersistentVolume": "persistentvolumes",
    "PersistentVolumeClaim": "persistentvolumeclaims",
    "Pod": "pods",
    "PriorityClass": "priorityclasses.scheduling.k8s.io",
    "RoleBinding": "rolebindings.rbac.authorization.k8s.io",
    "ClusterRoleBinding": "clusterrolebindings.rbac.authorization.k8s.io",
    "ClusterRole": "clusterroles.rbac.authorization.k8s.io",
    "Secret": "secrets",
    "Service": "services",
    "ServiceAccount": "serviceaccounts",
    "StorageClass": "storageclasses.storage.k8s.io",
    "Widget": "widgets.example.com",
}


def obj(kind: str, name: str, namespace: str = "", api: str = "v1", **rest: Any) -> Object:
    """Make an object; `meta` are further fields of its metadata."""
    meta = {"name": name, **rest.pop("meta", {})}
    if namespace:
        meta["namespace"] = namespace
    return {"apiVersion": api, "kind": kind, "metadata": meta, **rest}


def widgets(version: str = "v1") -> Object:
    """Define a kind of our own."""
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    return obj(
        "CustomResourceDefinition",
        "widgets.example.com",
        api="apiextensions.k8s.io/v1",
        spec={
            "group": "example.com",
            "scope": "Namespaced",
            "names": {"kind": "Widget", "plural": "widgets", "singular": "widget"},
            "versions": [
                {
                    "name": version,
                    "served": True,
                    "storage": True,
                    "schema": {"openAPIV3Schema": schema},
                    "subresources": {"status": {}},
                }
            ],
        },
        status={"acceptedNames": {"kind": "Widget", "plural": "widgets"}},
    )


CORE = "/api/v1/namespaces/app"
LIVED = {
    f"{CORE}/configmaps": obj("ConfigMap", "c", "app", data={"a": "1"}, binaryData={"b": "AAE="}),
    f"{CORE}/secrets": obj("Secret", "s", "app", type="Opaque", data={"a": "MQ=="}),
    f"{CORE}/serviceaccounts": obj("ServiceAccount", "runner", "app"),
    f"{CORE}/services": obj(
        "Service", "web", "app", spec={"type": "NodePort", "ports": [{"port": 80}]}
    ),
    f"{CORE}/persistentvolumeclaims": obj(
        "PersistentVolumeClaim",
        "data",
        "app",
        spec={"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
    ),
    f"{CORE}/pods": obj(
        "Pod", "p", "app", spec={"containers": [{"name": "c", "image": "i"}], "priority": 0}
    ),
    "/apis/apps/v1/namespaces/app/deployments": obj(
        "Deployment",
        "web",
        "app",
        api="apps/v1",
        spec={
            "selector": {"matchLabels": {"a": "b"}},
            "template": {
                "metadata": {"labels": {"a": "b"}},
                "spec": {"containers": [{"name": "c", "image": "i"}]},
            },
        },
    ),
    "/apis/batch/v1/namespaces/app/jobs": obj(
        "Job",
        "once",
        "app",
        api="batch/v1",
        spec={
            "template": {
                "spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}
            }
        },
    ),
    "/apis/example.com/v1/namespaces/app/widgets": obj(
        "Widget", "w", "app", api="example.com/v1", spec={"a": 1}
    ),
}
"""Where objects of many kinds are made, and the objects."""


def archive_of(objects: Iterable[Object]) -> Contents:
    """Write an archive of these objects, and read it."""
    writer = ArchiveWriter(0)
    packed = b""
    for each in objects:
        place = Place(
            PLURALS[each["kind"]],
            each["metadata"].get("namespace", ""),
            each["metadata"]["name"],
        )
        version = each["apiVersion"].rpartition("/")[2]
        writer.add(Item(place, version, msgspec.json.encode(each)))
    packed = writer.finish()
    builder = ContentsBuilder(io.BytesIO())
    builder.feed(packed)
    return builder.finish()


@dataclass
class Report:
    """What came of a restore."""

    outcome: RestoreOutcome
    results: Object
    progress: Progress
    requests: Counter[str]

    @property
    def errors(self) -> list[str]:
        """All texts of errors."""
        return _texts(self.results["errors"])

    @property
    def warnings(self) -> list[str]:
        """All texts of warnings."""
        return _texts(self.results["warnings"])


def _texts(result: Object) -> list[str]:
    inside = [text for texts in result.get("namespaces", {}).values() for text in texts]
    return [*result.get("velero", ()), *result.get("cluster", ()), *inside]


@dataclass
class Slipway:
    """Runs restores into one cluster."""

    kube: Cluster
    client: Client
    requests: Counter[str] = field(default_factory=Counter)

    def told(self, spec: RestoreSpec, name: str, **more: Any) -> RestoreRun:
        """Write down a restore."""
        more.setdefault("resource_timeout", timedelta(seconds=20))
        more.setdefault("terminating_timeout", timedelta(seconds=20))
        return RestoreRun(name=name, namespace="velero", backup_name="b1", spec=spec, **more)

    async def restore(
        self, objects: list[Object] | Contents, name: str = "r1", **spec: Any
    ) -> Report:
        """Restore objects; what is no field of a spec goes to the run."""
        more = {
            key: spec.pop(key)
            for key in ("modifiers", "priorities", "terminating_timeout")
            if key in spec
        }
        run = self.told(RestoreSpec(backup_name="b1", **spec), name, **more)
        contents = archive_of(objects) if isinstance(objects, list) else objects
        clock = SystemClock()
        journal, progress = Journal(clock, plain=True), Progress()
        before = Counter(self.requests)
        try:
            outcome = await restore(self.client, run, contents, journal, progress, clock)
            results = journal.results()
        finally:
            journal.close()
        return Report(outcome, results, progress, self.requests - before)

    async def preview(
        self, objects: Iterable[Object], modifiers: Modifiers | None = None, **spec: Any
    ) -> list[Change]:
        """Preview a restore."""
        run = self.told(RestoreSpec(backup_name="b1", **spec), "r1", modifiers=modifiers)
        return await preview(self.client, run, archive_of(objects), SystemClock())

    async def get(self, path: str) -> Object:
        """Read an object."""
        return await self.kube.client.get(path)

    async def make(self, path: str, each: Object) -> Object:
        """Make an object."""
        return await self.kube.client.create(path, each)

    async def namespace(self, name: str) -> None:
        """Make a namespace."""
        await self.make("/api/v1/namespaces", obj("Namespace", name))


@asynccontextmanager
async def slipway() -> AsyncIterator[Slipway]:
    """Run a cluster for restores."""
    async with cluster() as kube:
        requests: Counter[str] = Counter()

        def observe(method: str, code: int, seconds: float) -> None:
            requests[method] += 1

        access = explicit(kube.url, token=kube.token, ca=kube.ca)
        settings = ClientSettings(per_second=0)
        async with Client(access, settings, observer=observe) as client:
            yield Slipway(kube, client, requests)
