"""Policies that choose kind by kind: ours and the original save the same objects.

Skipped without the original: `python tools/velero/build.py` builds it.
"""

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import obstore
import pytest

from kedge.kube.kind import Object
from tests.integration.roundtrip.scene import Scene
from tests.real_cluster import Programs
from tests.velero.programs import VeleroPrograms
from tests.velero.s3 import S3Server, s3_server
from tests.velero.server import NAMESPACE
from tests.velero.stage import Stage, staged

BUCKET = "policies"
SPACES = ["shop", "team-a", "team-b", "other"]
TEAMS = """
version: v1
namespacedFilterPolicies:
- namespaces: [shop]
  resourceFilters:
  - {kinds: [ConfigMap], names: [app-*], excludedNames: ['*-tmp']}
  - {kinds: [Pod], labelSelector: {matchLabels: {app: till}}}
- namespaces: [team-a, 'team-?']
  resourceFilters:
  - {kinds: [cm], orLabelSelectors: [{matchLabels: {app: none}}, {matchLabels: {all: 'yes'}}]}
  - {kinds: ['*'], labelSelector: {matchExpressions: [{key: app, operator: Exists}]}}
"""
CLUSTER = """
version: v1
clusterScopedFilterPolicy:
  resourceFilters:
  - {kinds: [PersistentVolume], excludedNames: [other-*]}
  - {kinds: [ClusterRole], labelSelector: {matchLabels: {app: shop}}}
  - {kinds: [Namespace], names: [shop, team-*]}
namespacedFilterPolicies:
- {namespaces: [other], resourceFilters: [{kinds: [persistentvolumeclaims, secrets]}]}
includeExcludePolicy: {excludedNamespaceScopedResources: [secrets]}
"""
OUTSIDE = ["persistentvolumes", "clusterroles", "namespaces"]
LABELS: Object = {"matchLabels": {"all": "yes"}}
CASES: dict[str, tuple[str, Object]] = {
    "teams": (TEAMS, {"includedNamespaces": SPACES}),
    "labels": (TEAMS, {"includedNamespaces": SPACES, "labelSelector": LABELS}),
    "everywhere": (TEAMS, {"excludedNamespaces": [NAMESPACE, "kube-*"]}),
    "cluster": (
        CLUSTER,
        {
            "includedNamespaces": SPACES,
            "includedClusterScopedResources": OUTSIDE,
            "labelSelector": LABELS,
        },
    ),
}
REFUSED: dict[str, tuple[str, Object]] = {
    "no-kinds": (
        "version: v1\nclusterScopedFilterPolicy: {resourceFilters: [{names: [a]}]}",
        {"includedNamespaces": SPACES},
    ),
    "bad-label": (
        "version: v1\nnamespacedFilterPolicies: [{namespaces: [a], resourceFilters: "
        "[{kinds: [po], labelSelector: {matchExpressions: [{key: a, operator: Like}]}}]}]",
        {"includedNamespaces": SPACES},
    ),
    "no-text": (
        "version: v1\nvolumePolicies: [{conditions: {pvcAccessModes: [1]}, action: {type: skip}}]",
        {"includedNamespaces": SPACES},
    ),
    "old-filters": (TEAMS, {"includedResources": ["configmaps"]}),
}


@pytest.fixture(scope="module")
def s3(
    velero_programs: VeleroPrograms, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[S3Server]:
    with s3_server(tmp_path_factory.mktemp("s3")) as server:
        server.make_bucket(BUCKET)
        yield server


def made(version: str, kind: str, name: str, space: str = "", **rest: Any) -> Object:
    labels = rest.pop("labels", {})
    metadata = {"name": name, "labels": labels} | ({"namespace": space} if space else {})
    return {"apiVersion": version, "kind": kind, "metadata": metadata, **rest}


def fleet() -> Iterator[Object]:
    """Give namespaces with the same objects, and what is outside of them."""
    size = {"accessModes": ["ReadWriteOnce"], "storageClassName": ""}
    volume = {**size, "capacity": {"storage": "1Gi"}, "hostPath": {"path": "/data"}}
    for name, labels in (("shop-role", {"app": "shop"}), ("other-role", {})):
        yield made("rbac.authorization.k8s.io/v1", "ClusterRole", name, labels=labels, rules=[])
    for space in SPACES:
        yield made("v1", "Namespace", space)
        yield made("v1", "PersistentVolume", f"{space}-1", labels={"all": "yes"}, spec=volume)
        for name, label in (("app-a", "all"), ("app-tmp", "all"), ("more", "app")):
            yield made("v1", "ConfigMap", name, space, labels={label: "yes"}, data={"a": "b"})
        yield made("v1", "Secret", "key", space, labels={"all": "yes"})
        claim = {**size, "resources": {"requests": {"storage": "1Gi"}}}
        bound = {**claim, "volumeName": f"{space}-1"}
        yield made("v1", "PersistentVolumeClaim", "data", space, labels={"all": "yes"}, spec=bound)
        pod = {
            "containers": [{"name": "main", "image": "x"}],
            "volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}],
        }
        yield made("v1", "Pod", "till", space, labels={"app": "till"}, spec=pod)
        yield made("v1", "Pod", "spare", space, labels={"all": "yes"}, spec=pod)


async def bind(scene: Scene) -> None:
    """Give the claims their volumes, as a controller would."""
    for space in SPACES:
        path = await scene.path(("v1", "PersistentVolumeClaim", space, "data"))
        await scene.client.patch(f"{path}/status", {"status": {"phase": "Bound"}})


async def backups(stage: Stage, who: str) -> dict[str, Object]:
    """Make all backups, one after another, and give their statuses."""
    found = {}
    for name, (_, spec) in {**CASES, **REFUSED}.items():
        chosen = {"resourcePolicy": {"kind": "configmap", "name": name}, "snapshotVolumes": False}
        wanted = made("velero.io/v1", "Backup", f"{name}-{who}", NAMESPACE, spec={**spec, **chosen})
        await stage.scene.create([wanted])
        found[name] = (await stage.ended("Backup", f"{name}-{who}"))["status"]
    return found


def saved(s3: S3Server, name: str) -> dict[str, list[str]]:
    """Give what is in a backup, by kind."""
    path = f"backups/{name}/{name}-resource-list.json.gz"
    data = gzip.decompress(obstore.get(s3.store(BUCKET), path).bytes())
    listed: dict[str, list[str]] = json.loads(data)
    return {kind: sorted(names) for kind, names in listed.items()}


def why(status: Object) -> str:
    """Give what is wrong, without the words around it that are ours or the original's."""
    (text,) = status["validationErrors"]
    return str(text).rpartition("ConfigMap ")[2].partition(" with error ")[2] or str(text)


@pytest.mark.slow
@pytest.mark.usefixtures("velero_port")
@pytest.mark.asyncio
async def test_the_same_objects_are_saved(
    real_programs: Programs, velero_programs: VeleroPrograms, s3: S3Server, tmp_path: Path
) -> None:
    async with staged(real_programs, velero_programs, s3, tmp_path) as stage:
        await stage.scene.create([*fleet()])
        await bind(stage.scene)
        for name, (policy, _) in {**CASES, **REFUSED}.items():
            data = {"policy": policy}
            await stage.scene.create([made("v1", "ConfigMap", name, NAMESPACE, data=data)])
        async with stage.ours(BUCKET):
            ours = await backups(stage, "ours")
        async with stage.original(BUCKET):
            theirs = await backups(stage, "theirs")
    for name in CASES:
        assert (ours[name]["phase"], theirs[name]["phase"]) == ("Completed", "Completed"), name
        assert saved(s3, f"{name}-ours") == saved(s3, f"{name}-theirs"), name
    for name in REFUSED:
        (told,) = theirs[name]["validationErrors"]
        assert told.endswith(why(ours[name])), name
