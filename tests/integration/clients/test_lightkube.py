"""lightkube, sync and async: list, watch, apply, patch, delete; built-in and generic kinds."""

from collections.abc import Iterator

import pytest
from lightkube import ApiError, AsyncClient, Client, KubeConfig
from lightkube.generic_resource import create_namespaced_resource
from lightkube.models.apps_v1 import DeploymentSpec
from lightkube.models.core_v1 import Container, PodSpec, PodTemplateSpec
from lightkube.models.meta_v1 import LabelSelector, ObjectMeta
from lightkube.resources.apps_v1 import Deployment
from lightkube.resources.core_v1 import ConfigMap
from lightkube.types import CascadeType, PatchType

from tests.integration.apiserver_process import Running

LABELS = {"app": "web"}
FIELDS = "tests"


@pytest.fixture(scope="module")
def kubeconfig(server: Running) -> KubeConfig:
    return KubeConfig.from_file(str(server.kubeconfig))


@pytest.fixture
def client(kubeconfig: KubeConfig, namespace: str) -> Iterator[Client]:
    client = Client(kubeconfig, namespace=namespace, field_manager=FIELDS, trust_env=False)
    yield client
    client._client._client.close()


def paint(name: str, **data: str) -> ConfigMap:
    """Give a ConfigMap."""
    return ConfigMap(metadata=ObjectMeta(name=name, labels=LABELS), data=data)


def deployment(replicas: int) -> Deployment:
    """Give a Deployment."""
    pod = PodSpec(containers=[Container(name="main", image="registry.example/web:1")])
    template = PodTemplateSpec(metadata=ObjectMeta(labels=LABELS), spec=pod)
    selector = LabelSelector(matchLabels=LABELS)
    spec = DeploymentSpec(selector=selector, template=template, replicas=replicas)
    meta = ObjectMeta(name="web")
    return Deployment(apiVersion="apps/v1", kind="Deployment", metadata=meta, spec=spec)


def test_objects_are_created_listed_patched_replaced_and_deleted(client: Client) -> None:
    made = client.create(paint("one", colour="red"))
    client.create(paint("two"))
    found = list(client.list(ConfigMap, labels={"app": "web"}, chunk_size=1))
    assert [item.metadata.name for item in found if item.metadata] == ["one", "two"]
    patched = client.patch(ConfigMap, "one", {"data": {"colour": "blue"}})
    assert patched.data == {"colour": "blue"}
    with pytest.raises(ApiError) as stale:
        client.replace(made)
    assert stale.value.status.reason == "Conflict"
    client.delete(ConfigMap, "one")
    client.deletecollection(ConfigMap)
    assert list(client.list(ConfigMap)) == []
    with pytest.raises(ApiError) as gone:
        client.get(ConfigMap, "one")
    assert gone.value.status.code == 404


def test_apply_and_its_conflicts(client: Client) -> None:
    client.apply(deployment(2))
    patch = {"spec": {"replicas": 3}}
    client.patch(Deployment, "web", patch, patch_type=PatchType.MERGE, field_manager="scaler")
    with pytest.raises(ApiError) as conflict:
        client.apply(deployment(2))
    assert 'conflict with "scaler"' in str(conflict.value.status.message)
    applied = client.apply(deployment(2), force=True)
    assert applied.spec is not None
    assert applied.spec.replicas == 2
    scale = client.get(Deployment.Scale, "web")
    assert scale.spec is not None
    assert scale.spec.replicas == 2
    client.delete(Deployment, "web", cascade=CascadeType.FOREGROUND)


def test_a_watch_from_a_version(client: Client) -> None:
    listed = client.list(ConfigMap)
    assert list(listed) == []
    version = listed.resourceVersion
    client.create(paint("seen"))
    client.delete(ConfigMap, "seen")
    events = client.watch(ConfigMap, resource_version=version, server_timeout=5)
    assert [next(events)[0], next(events)[0]] == ["ADDED", "DELETED"]


def test_a_generic_kind(client: Client, boats: str) -> None:
    Boat = create_namespaced_resource(boats, "v1", "Boat", "boats")
    client.create(Boat(metadata=ObjectMeta(name="kayak"), spec={"length": 5}))
    client.patch(Boat.Status, "kayak", {"status": {"afloat": True}}, patch_type=PatchType.MERGE)
    kayak = client.get(Boat, "kayak")
    assert (kayak["spec"], kayak["status"]) == ({"length": 5, "oars": 2}, {"afloat": True})
    body = Boat(
        apiVersion=f"{boats}/v1", kind="Boat", metadata=ObjectMeta(name="raft"), spec={"length": 1}
    )
    assert client.apply(body)["spec"]["length"] == 1
    assert len(list(client.list(Boat))) == 2


@pytest.mark.asyncio
async def test_the_async_client(kubeconfig: KubeConfig, namespace: str) -> None:
    client = AsyncClient(kubeconfig, namespace=namespace, field_manager=FIELDS, trust_env=False)
    try:
        listed = client.list(ConfigMap)
        assert [item async for item in listed] == []
        version = listed.resourceVersion
        await client.create(paint("one"))
        await client.apply(
            ConfigMap(
                apiVersion="v1",
                kind="ConfigMap",
                metadata=ObjectMeta(name="one"),
                data={"colour": "red"},
            )
        )
        await client.patch(ConfigMap, "one", {"data": {"size": "big"}})
        await client.delete(ConfigMap, "one")
        seen = []
        async for kind, obj in client.watch(ConfigMap, resource_version=version):
            seen.append((kind, obj.data))
            if kind == "DELETED":
                break
        last = {"colour": "red", "size": "big"}
        assert seen == [
            ("ADDED", None),
            ("MODIFIED", {"colour": "red"}),
            ("MODIFIED", last),
            ("DELETED", last),
        ]
    finally:
        await client.close()


@pytest.mark.asyncio
async def test_waiting_for_a_condition(kubeconfig: KubeConfig, namespace: str) -> None:
    client = AsyncClient(kubeconfig, namespace=namespace, field_manager=FIELDS, trust_env=False)
    try:
        await client.create(deployment(1))
        status = {"conditions": [{"type": "Available", "status": "True"}]}
        await client.patch(Deployment.Status, "web", {"status": status}, patch_type=PatchType.MERGE)
        await client.wait(Deployment, "web", for_conditions=["Available"])
    finally:
        await client.close()
