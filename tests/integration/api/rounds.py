"""Typed objects on the way to a server and back."""

from typing import Any

import msgspec

from kedge.api.crd import DEFINITIONS
from kedge.api.plain import from_plain
from kedge.client.patches import merge
from kedge.kube.kind import Kind
from tests.integration.api.places import Place

KINDS = {each.kind.plural: each.kind for each in DEFINITIONS if each.kind.group == "velero.io"}


def typed(place: Place, plural: str, obj: dict[str, Any], name: str) -> Any:
    """Read an example, and put it into the namespace of the place."""
    metadata = {"name": name, "namespace": place.kubectl.namespace}
    return from_plain(KINDS[plural], {**obj, "metadata": metadata})


async def goes_round(place: Place, kind: Kind[Any], full: Any) -> Any:
    """Create an object, give it a status, and read what came of it."""
    name, namespace = full.metadata.name, full.metadata.namespace
    async with place.client() as client:
        made = await client.create(kind, full)
        assert made.spec == full.spec
        status = {"status": msgspec.to_builtins(full.status)}
        await client.patch_status(kind, name, merge(status), namespace)
        found = await client.get(kind, name, namespace)
    assert found.spec == full.spec
    return found
