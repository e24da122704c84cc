"""The status of objects whose kind has a subresource for it, and of those whose kind has none."""

import asyncio
from contextlib import suppress
from typing import Any

import msgspec
import pytest

from kedge.client import Client, Following, Selection, StatusChange, StatusOf, patches
from kedge.client.decoders import Event
from kedge.client.requests import Writing
from kedge.kube import errors
from kedge.kube.kind import Kind, Object, plain
from kedge.kube.meta import ObjectMeta
from tests.integration.eventually import pause

CRDS = plain(
    "apiextensions.k8s.io/v1", "CustomResourceDefinition", "customresourcedefinitions",
    namespaced=False,
)  # fmt: skip
GROUP = "client.example.org"
WAIT = 60.0


def definition(plural: str, kind: str, has_status: bool) -> Object:
    schema = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    version: dict[str, Any] = {
        "name": "v1",
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": schema},
    }
    if has_status:
        version["subresources"] = {"status": {}}
    names = {"plural": plural, "singular": plural[:-1], "kind": kind, "listKind": f"{kind}List"}
    spec = {"group": GROUP, "scope": "Namespaced", "names": names, "versions": [version]}
    return {"metadata": {"name": f"{plural}.{GROUP}"}, "spec": spec}


async def defined(kube: Client, plural: str, kind: str, has_status: bool) -> Kind[Object]:
    """Install a kind, unless another test has, and wait until it is served."""
    name = f"{plural}.{GROUP}"
    with suppress(errors.AlreadyExists):
        await kube.create(CRDS, definition(plural, kind, has_status))
    made = plain(f"{GROUP}/v1", kind, plural)
    selection = Selection(fields=f"metadata.name={name}")
    async with asyncio.timeout(WAIT):
        async with kube.watch(CRDS, selection, Following(initial=True)) as watch:
            while not any(_is_established(item) for item in await watch.batch()):
                pass
        await _served(kube, made)
    return made


def _is_established(item: object) -> bool:
    if not isinstance(item, Event):
        return False
    conditions = item.object.get("status", {}).get("conditions") or ()
    return any(one["type"] == "Established" and one["status"] == "True" for one in conditions)


async def _served(kube: Client, kind: Kind[Object]) -> None:
    """Wait for discovery, which follows after a moment on a real server."""
    while True:
        kube.discovery.forget(kind)
        try:
            if any(one.name == kind.plural for one in await kube.discovery.resources(kind)):
                await kube.page(kind, size=1)
                return
        except errors.NotFound:
            pass
        await pause(0.05)


@pytest.mark.asyncio
async def test_with_a_subresource(kube: Client, namespace: str) -> None:
    sails = await defined(kube, "sails", "Sail", has_status=True)
    obj = {"metadata": {"name": "a"}, "spec": {"size": 1}, "status": {"up": False}}
    made = await kube.create(sails, obj, namespace)
    assert "status" not in made
    change = patches.merge({"status": {"up": True}, "spec": {"size": 9}})
    patched = await kube.patch_status(sails, "a", change, namespace)
    assert (patched["status"], patched["spec"]) == ({"up": True}, {"size": 1})
    patched["status"]["up"] = False
    patched["spec"]["size"] = 9
    updated = await kube.update_status(sails, patched)
    assert (updated["status"], updated["spec"]) == ({"up": False}, {"size": 1})
    with pytest.raises(errors.Conflict):
        await kube.update_status(sails, {**made, "status": {"up": True}})
    with pytest.raises(errors.NotFound, match='"nosuch" not found'):
        await kube.patch_status(sails, "nosuch", change, namespace)


@pytest.mark.asyncio
@pytest.mark.parametrize("has_status", [True, False])
async def test_a_status_that_is_known(kube: Client, namespace: str, has_status: bool) -> None:
    kind = ("sails", "Sail") if has_status else ("boats", "Boat")
    kinds = await defined(kube, *kind, has_status=has_status)
    marks = {"labels": {"a": "b"}, "annotations": {"c": "d"}, "finalizers": ["example.org/held"]}
    spec = {"size": {"height": 1}, "crew": [1, 2]}
    obj = {"metadata": {"name": "known", **marks}, "spec": spec}
    made = await kube.create(kinds, obj, namespace, Writing(manager="owner"))

    def over(one: Object) -> StatusOf:
        return StatusOf(msgspec.convert(one["metadata"], ObjectMeta), one.get("status"))

    first = await kube.write_status(
        kinds, over(made), {"up": True, "wind": {"knots": 7, "gusts": 9}}
    )
    assert first["status"] == {"up": True, "wind": {"knots": 7, "gusts": 9}}
    second = await kube.write_status(kinds, over(first), {"up": None, "wind": {"gusts": None}})
    assert second["status"] == {"wind": {"knots": 7}}
    found = await kube.get(kinds, "known", namespace)
    assert found == second
    assert found["spec"] == spec
    assert {name: found["metadata"][name] for name in marks} == marks
    assert notes_of(found, "owner") == notes_of(made, "owner") != {}
    with pytest.raises(errors.Conflict):
        await kube.write_status(kinds, over(first), {"up": True})
    nobody = ObjectMeta(name="nosuch", namespace=namespace, resource_version="1")
    with pytest.raises(errors.NotFound, match='"nosuch" not found'):
        await kube.write_status(kinds, StatusOf(nobody, None), {"up": True})


def notes_of(obj: Object, manager: str) -> Object:
    """Give what the server has noted of the fields that somebody has written."""
    notes: list[Object] = obj["metadata"]["managedFields"]
    return next(one["fieldsV1"] for one in notes if one["manager"] == manager)


@pytest.mark.asyncio
async def test_several_at_once_whose_metadata_alone_is_wanted(kube: Client, namespace: str) -> None:
    sails = await defined(kube, "sails", "Sail", has_status=True)
    names = ("p", "q", "r")
    for name in names:
        await kube.create(sails, {"metadata": {"name": name}, "spec": {"size": 1}}, namespace)
    change = patches.merge({"status": {"up": True}})
    wanted = [StatusChange(name, namespace, change) for name in (*names, "nosuch")]
    *found, missing = await kube.patch_statuses(sails.partial.into(dict), wanted)
    assert isinstance(missing, errors.NotFound)
    for name, told in zip(names, found, strict=True):
        assert isinstance(told, dict)
        assert told.keys() == {"kind", "apiVersion", "metadata"}
        kept = await kube.get(sails, name, namespace)
        assert kept["metadata"]["resourceVersion"] == told["metadata"]["resourceVersion"]
        assert kept["status"] == {"up": True}


@pytest.mark.asyncio
async def test_without_a_subresource(kube: Client, namespace: str) -> None:
    boats = await defined(kube, "boats", "Boat", has_status=False)
    made = await kube.create(boats, {"metadata": {"name": "a"}, "spec": {"crew": 1}}, namespace)
    change = patches.merge({"status": {"afloat": True}})
    patched = await kube.patch_status(boats, "a", change, namespace)
    assert (patched["status"], patched["spec"]) == ({"afloat": True}, {"crew": 1})
    patched["status"]["afloat"] = False
    assert (await kube.update_status(boats, patched))["status"] == {"afloat": False}
    with pytest.raises(errors.Conflict):
        await kube.update_status(boats, {**made, "status": {"afloat": True}})
    with pytest.raises(errors.NotFound, match='"nosuch" not found'):
        await kube.patch_status(boats, "nosuch", change, namespace)


@pytest.mark.asyncio
async def test_a_subresource_that_is_taken_away_meanwhile(kube: Client, namespace: str) -> None:
    oars = await defined(kube, "oars", "Oar", has_status=True)
    await kube.create(oars, {"metadata": {"name": "a"}}, namespace)
    change = patches.merge({"status": {"wet": True}})
    await kube.patch_status(oars, "a", change, namespace)
    crd = f"oars.{GROUP}"
    remove = patches.json([{"op": "remove", "path": "/spec/versions/0/subresources"}])
    await kube.patch(CRDS, crd, remove)
    try:
        async with asyncio.timeout(WAIT):
            while await kube.discovery.has(oars, "status"):
                kube.discovery.forget(oars)
                await pause(0.05)
        dry = patches.merge({"status": {"wet": False}})
        patched = await kube.patch_status(oars, "a", dry, namespace)
        assert patched["status"] == {"wet": False}
    finally:
        await kube.delete(CRDS, crd)


@pytest.mark.asyncio
async def test_a_kind_of_the_server_itself(kube: Client, namespace: str) -> None:
    pods = plain("v1", "Pod", "pods")
    spec = {"containers": [{"name": "a", "image": "x"}]}
    await kube.create(pods, {"metadata": {"name": "p"}, "spec": spec}, namespace)
    change = patches.strategic({"status": {"phase": "Failed", "message": "told"}})
    patched = await kube.patch_status(pods, "p", change, namespace)
    assert (patched["status"]["phase"], patched["status"]["message"]) == ("Failed", "told")
