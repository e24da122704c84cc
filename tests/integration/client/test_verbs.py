"""Every verb that reads or writes one object, against our server and a real one."""

import asyncio

import msgspec
import pytest

from kedge.client import Client, ClientSettings, Deletion, Selection, Writing, patches
from kedge.kube import errors
from kedge.kube.kind import Kind, Object, plain
from kedge.kube.meta import ObjectMeta
from tests.integration.client.conftest import Api

CONFIGS = plain("v1", "ConfigMap", "configmaps")
DEPLOYMENTS = plain("apps/v1", "Deployment", "deployments")
ROLES = plain("rbac.authorization.k8s.io/v1", "ClusterRole", "clusterroles", namespaced=False)


class Config(msgspec.Struct, rename="camel", omit_defaults=True):
    """A ConfigMap as a type."""

    metadata: ObjectMeta
    data: dict[str, str] = msgspec.field(default_factory=dict)
    immutable: bool | None = None


TYPED = Kind("", "v1", "ConfigMap", "configmaps", Config)


def config(name: str, **data: str) -> Object:
    return {"metadata": {"name": name}, "data": data}


@pytest.mark.asyncio
async def test_what_is_created_can_be_read(kube: Client, namespace: str) -> None:
    made = await kube.create(CONFIGS, config("a", x="\u2028\u0085é\x00"), namespace)
    assert made["metadata"]["namespace"] == namespace
    assert await kube.get(CONFIGS, "a", namespace) == made
    assert made["data"] == {"x": "\u2028\u0085é\x00"}
    assert made["metadata"]["managedFields"][0]["manager"] == "kedge"


@pytest.mark.asyncio
async def test_typed_objects_go_there_and_back(kube: Client, namespace: str) -> None:
    obj = Config(ObjectMeta(generate_name="c-", namespace=namespace, labels={"a": "b"}), {"x": "1"})
    made = await kube.create(TYPED, obj)
    assert made.metadata.name.startswith("c-")
    assert made.metadata.uid
    made.data["y"] = "2"
    updated = await kube.update(TYPED, made)
    assert updated.data == {"x": "1", "y": "2"}
    assert await kube.get(TYPED, made.metadata.name, namespace) == updated


@pytest.mark.asyncio
async def test_bytes_go_there_and_back(kube: Client, namespace: str) -> None:
    body = b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"x":"1"}}'
    made = await kube.create(CONFIGS.raw, msgspec.Raw(body), namespace)
    assert await kube.get(CONFIGS.raw, "a", namespace) == made
    assert msgspec.json.decode(made)["data"] == {"x": "1"}
    assert (await kube.update(CONFIGS.raw, made)) == made


@pytest.mark.asyncio
async def test_metadata_alone(kube: Client, namespace: str) -> None:
    await kube.create(CONFIGS, config("a", x="1"), namespace)
    meta = await kube.get(CONFIGS.partial, "a", namespace)
    assert meta.kind == "PartialObjectMetadata"
    assert meta.metadata.name == "a"


@pytest.mark.asyncio
async def test_a_megabyte(kube: Client, namespace: str) -> None:
    text = "x\u2028" * 250_000
    await kube.create(CONFIGS, config("big", x=text), namespace)
    assert (await kube.get(CONFIGS, "big", namespace))["data"]["x"] == text


@pytest.mark.asyncio
async def test_names_that_need_quoting(kube: Client) -> None:
    for name in ("test:client", "test?client#1", "test client+é;&="):
        await kube.create(ROLES, {"metadata": {"name": name}, "rules": []})
        found = await kube.get(ROLES, name)
        assert found["metadata"]["name"] == name
        await kube.delete(ROLES, name)


@pytest.mark.asyncio
async def test_each_failure_is_its_own_error(kube: Client, namespace: str) -> None:
    made = await kube.create(CONFIGS, config("a"), namespace)
    with pytest.raises(errors.AlreadyExists):
        await kube.create(CONFIGS, config("a"), namespace)
    with pytest.raises(errors.NotFound):
        await kube.get(CONFIGS, "b", namespace)
    await kube.update(CONFIGS, {**made, "data": {"x": "1"}})
    with pytest.raises(errors.Conflict):
        await kube.update(CONFIGS, {**made, "data": {"x": "2"}})
    with pytest.raises(errors.Invalid):
        await kube.create(CONFIGS, config("Not A Name"), namespace)
    with pytest.raises(errors.NotFound):
        await kube.get(plain("no.example.org/v1", "X", "xs"), "a", namespace)
    with pytest.raises(errors.TooLarge):
        await kube.create(CONFIGS, config("big", x="x" * 4_000_000), namespace)
    with pytest.raises(errors.BadRequest):
        await kube.create(CONFIGS, {**config("c"), "metadata": {"name": 3}}, namespace)


@pytest.mark.asyncio
async def test_a_stranger_is_unauthorized(api: Api) -> None:
    async with api.client(token="nobody") as stranger:
        with pytest.raises(errors.Unauthorized):
            await stranger.get(CONFIGS, "a", "default")
        with pytest.raises(errors.Unauthorized):
            async with stranger.watch(CONFIGS):
                pass
        with pytest.raises(errors.Unauthorized):
            await stranger.exec("a", "default", ["true"])


@pytest.mark.asyncio
async def test_a_dry_run_stores_nothing(kube: Client, namespace: str) -> None:
    dry = Writing(dry_run=True)
    await kube.create(CONFIGS, config("a"), namespace, dry)
    with pytest.raises(errors.NotFound):
        await kube.get(CONFIGS, "a", namespace)
    await kube.create(CONFIGS, config("a"), namespace)
    await kube.patch(CONFIGS, "a", patches.merge({"data": {"x": "1"}}), namespace, dry)
    await kube.delete(CONFIGS, "a", namespace, Deletion(dry_run=True))
    assert "data" not in await kube.get(CONFIGS, "a", namespace)


@pytest.mark.asyncio
async def test_unknown_fields_are_refused_where_that_is_wanted(
    kube: Client, namespace: str
) -> None:
    obj = {**config("a"), "dta": {}}
    with pytest.raises(errors.BadRequest, match="dta"):
        await kube.create(CONFIGS, obj, namespace, Writing(validation="Strict"))
    await kube.create(CONFIGS, obj, namespace, Writing(validation="Ignore"))


@pytest.mark.asyncio
async def test_a_merge_patch(kube: Client, namespace: str) -> None:
    await kube.create(CONFIGS, config("a", x="1", y="2"), namespace)
    change = patches.merge({"data": {"x": None, "z": "3"}})
    assert (await kube.patch(CONFIGS, "a", change, namespace))["data"] == {"y": "2", "z": "3"}


@pytest.mark.asyncio
async def test_a_patch_of_one_version_only(kube: Client, namespace: str) -> None:
    made = await kube.create(CONFIGS, config("a"), namespace)
    version = made["metadata"]["resourceVersion"]
    change = patches.merge({"metadata": {"resourceVersion": version}, "data": {"x": "1"}})
    await kube.patch(CONFIGS, "a", change, namespace)
    with pytest.raises(errors.Conflict):
        await kube.patch(CONFIGS, "a", change, namespace)


@pytest.mark.asyncio
async def test_a_json_patch(kube: Client, namespace: str) -> None:
    await kube.create(CONFIGS, config("a", x="1"), namespace)
    change = patches.json(
        [
            {"op": "test", "path": "/data/x", "value": "1"},
            {"op": "replace", "path": "/data/x", "value": "2"},
        ]
    )
    assert (await kube.patch(CONFIGS, "a", change, namespace))["data"] == {"x": "2"}
    with pytest.raises(errors.ApiError) as raised:
        await kube.patch(CONFIGS, "a", change, namespace)
    assert raised.value.code == 422


@pytest.mark.asyncio
async def test_a_strategic_patch_merges_lists_by_their_key(kube: Client, namespace: str) -> None:
    containers = [{"name": "a", "image": "a:1"}, {"name": "b", "image": "b:1"}]
    labels = {"app": "x"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": containers}}
    spec = {"selector": {"matchLabels": labels}, "template": template}
    await kube.create(DEPLOYMENTS, {"metadata": {"name": "d"}, "spec": spec}, namespace)
    newer = [{"name": "b", "image": "b:2"}]
    change = patches.strategic({"spec": {"template": {"spec": {"containers": newer}}}})
    patched = await kube.patch(DEPLOYMENTS, "d", change, namespace)
    images = [one["image"] for one in patched["spec"]["template"]["spec"]["containers"]]
    assert images == ["a:1", "b:2"]


@pytest.mark.asyncio
async def test_apply_makes_and_changes_and_finds_the_fields_of_others(
    kube: Client, namespace: str
) -> None:
    me, you = Writing("me"), Writing("you")
    wanted = Config(ObjectMeta(name="a"), {"x": "1", "y": "1"})
    made = await kube.patch(TYPED, "a", patches.apply(wanted), namespace, me)
    assert made.data == {"x": "1", "y": "1"}
    less = patches.apply(config("a", x="1"))
    assert (await kube.patch(CONFIGS, "a", less, namespace, me))["data"] == {"x": "1"}
    other = patches.apply(config("a", x="2"))
    with pytest.raises(errors.Conflict, match='conflict with "me"'):
        await kube.patch(CONFIGS, "a", other, namespace, you)
    force = patches.apply(config("a", x="2"), force=True)
    assert (await kube.patch(CONFIGS, "a", force, namespace, you))["data"] == {"x": "2"}


@pytest.mark.asyncio
async def test_a_delete_names_what_it_means(kube: Client, namespace: str) -> None:
    made = await kube.create(CONFIGS, config("a"), namespace)
    uid, version = made["metadata"]["uid"], made["metadata"]["resourceVersion"]
    with pytest.raises(errors.Conflict):
        await kube.delete(CONFIGS, "a", namespace, Deletion(uid="another"))
    await kube.patch(CONFIGS, "a", patches.merge({"data": {"x": "1"}}), namespace)
    with pytest.raises(errors.Conflict):
        await kube.delete(CONFIGS, "a", namespace, Deletion(uid, version))
    told = await kube.delete(CONFIGS, "a", namespace, Deletion(uid))
    assert told["kind"] == "Status"
    with pytest.raises(errors.NotFound):
        await kube.delete(CONFIGS, "a", namespace, Deletion(uid))


@pytest.mark.asyncio
async def test_what_has_a_finalizer_is_given_back(kube: Client, namespace: str) -> None:
    obj = config("a")
    obj["metadata"]["finalizers"] = ["example.org/wait"]
    await kube.create(CONFIGS, obj, namespace)
    left = await kube.delete(CONFIGS, "a", namespace, Deletion(propagation="Background"))
    assert left["metadata"]["deletionTimestamp"]
    await kube.patch(CONFIGS, "a", patches.merge({"metadata": {"finalizers": None}}), namespace)
    with pytest.raises(errors.NotFound):
        await kube.get(CONFIGS, "a", namespace)


@pytest.mark.asyncio
async def test_a_collection_is_deleted_as_selected(kube: Client, namespace: str) -> None:
    for name in ("a", "b", "c"):
        obj = config(name)
        obj["metadata"]["labels"] = {"side": "left" if name == "c" else "right"}
        await kube.create(CONFIGS, obj, namespace)
    await kube.delete_collection(CONFIGS, Selection(namespace, labels="side=right"))
    left = [one["metadata"]["name"] async for one in kube.list(CONFIGS, Selection(namespace))]
    assert [name for name in left if name != "kube-root-ca.crt"] == ["c"]


@pytest.mark.asyncio
async def test_many_at_once_over_few_connections(api: Api, namespace: str) -> None:
    settings = ClientSettings(per_second=0, connections=4)
    async with api.client(settings=settings) as kube, asyncio.TaskGroup() as group:
        for number in range(100):
            group.create_task(kube.create(CONFIGS, config(f"c{number}"), namespace))
    async with api.client() as kube:
        names = [one.metadata.name async for one in kube.list(TYPED, Selection(namespace))]
    assert len([name for name in names if name.startswith("c")]) == 100
