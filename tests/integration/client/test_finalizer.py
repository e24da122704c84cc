"""Our finalizer on an object, of which nothing else may change."""

from typing import ClassVar

import pytest

from kedge.client import Client, patches
from kedge.client.requests import Writing
from kedge.kube import errors
from kedge.kube.kind import Kind, Object
from kedge.selfservice.finalizer import set_finalizer
from kedge.selfservice.whole import Asked
from tests.integration.client.test_statuses import defined, notes_of

THEIRS = "example.org/held"
OURS = "example.org/ours"


class Sail(Asked, frozen=True):
    """An object of a kind that exists for tests."""

    finalizer: ClassVar[str] = OURS


async def hoisted(kube: Client, kind: Kind[Object], namespace: str) -> Object:
    """Make an object that has all that an object can have."""
    owner = await kube.create(kind, {"metadata": {"name": "owner"}}, namespace)
    reference = {
        "apiVersion": kind.api_version, "kind": kind.name, "name": "owner",
        "uid": owner["metadata"]["uid"], "controller": True, "blockOwnerDeletion": False,
    }  # fmt: skip
    applied = '{"spec":{"size":1}}'
    marks = {
        "generateName": "fore-",
        "labels": {"a": "b"},
        "annotations": {"kubectl.kubernetes.io/last-applied-configuration": applied},
        "finalizers": [THEIRS],
        "ownerReferences": [reference],
    }
    spec = {"size": 1, "crew": [], "wind": {}, "sheet": None, "knots": 0.5}
    obj = {"metadata": marks, "spec": spec}
    made = await kube.create(kind, obj, namespace, Writing(manager="owner"))
    change = patches.merge({"status": {"up": False, "why": ""}})
    name = made["metadata"]["name"]
    return await kube.patch_status(kind, name, change, namespace, Writing(manager="owner"))


def without(obj: Object) -> Object:
    """Give an object without what every write changes, and without finalizers."""
    gone = ("resourceVersion", "managedFields", "finalizers")
    return {**obj, "metadata": {k: v for k, v in obj["metadata"].items() if k not in gone}}


@pytest.mark.asyncio
async def test_nothing_but_the_finalizer_changes(kube: Client, namespace: str) -> None:
    kind = await defined(kube, "sails", "Sail", has_status=True)
    sails = kind.into(Sail)
    made = await hoisted(kube, kind, namespace)
    name = made["metadata"]["name"]

    sail = await kube.get(sails, name, namespace)
    put = await set_finalizer(kube, sails, sail, present=True)
    assert put.metadata.finalizers == [THEIRS, OURS]
    assert put.has_finalizer
    found = await kube.get(kind, name, namespace)
    assert without(found) == without(made)
    assert notes_of(found, "owner") == notes_of(made, "owner") != {}

    with pytest.raises(errors.Conflict):
        await set_finalizer(kube, sails, sail, present=True)
    taken = await set_finalizer(kube, sails, put, present=False)
    assert taken.metadata.finalizers == [THEIRS]
    assert without(await kube.get(kind, name, namespace)) == without(made)


@pytest.mark.asyncio
async def test_one_that_is_deleted_goes_without_it(kube: Client, namespace: str) -> None:
    kind = await defined(kube, "sails", "Sail", has_status=True)
    sails = kind.into(Sail)
    made = await kube.create(kind, {"metadata": {"name": "torn", "finalizers": [OURS]}}, namespace)
    await kube.delete(kind, "torn", namespace)
    leaving = await kube.get(sails, "torn", namespace)
    assert leaving.is_leaving
    await set_finalizer(kube, sails, leaving, present=False)
    with pytest.raises(errors.NotFound):
        await kube.get(kind, made["metadata"]["name"], namespace)
    with pytest.raises(errors.NotFound):
        await set_finalizer(kube, sails, leaving, present=False)
