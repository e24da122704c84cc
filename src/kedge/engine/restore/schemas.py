"""The shapes of built-in kinds, as a cluster tells them: which lists merge, and by which key."""

from typing import Any, Final

from kedge.client.client import Client
from kedge.client.requests import Request
from kedge.client.responses import read
from kedge.engine.restore.fields import rows, table, text
from kedge.kube.errors import NotFound
from kedge.kube.kind import Kind, Object
from kedge.kube.schema import Fields, Schema

GVK: Final = "x-kubernetes-group-version-kind"
STRATEGY: Final = "x-kubernetes-patch-strategy"
MERGE_KEY: Final = "x-kubernetes-patch-merge-key"
BUILT_IN: Final = "io.k8s."
REFERENCE: Final = "#/components/schemas/"


class Schemas:
    """Reads the OpenAPI documents of a cluster, each once."""

    def __init__(self, client: Client) -> None:
        """Ask a cluster."""
        self._client = client
        self._components: dict[str, Object] = {}

    async def of(self, kind: Kind[Any]) -> Schema | None:
        """Give the shape of a built-in kind; None: the cluster does not tell, or it is another."""
        if kind.root not in self._components:
            request = Request("GET", f"/openapi/v3{kind.root}", repeatable=True)
            try:
                document = read(await self._client.send(request), dict)
            except NotFound:
                document = {}
            self._components[kind.root] = table(document, "components", "schemas")
        components = self._components[kind.root]
        wanted = {"group": kind.group, "version": kind.version, "kind": kind.name}
        for name in components:
            if name.startswith(BUILT_IN) and wanted in list(rows(components, name, GVK)):
                return schema_of({"$ref": REFERENCE + name}, components)
        return None


def schema_of(node: Object, components: Object) -> Schema:
    """Make the part of a schema that patches look at; what is inside is made when it is needed."""
    strategy, key = text(node, STRATEGY), text(node, MERGE_KEY)
    name, inner = "", node
    references = [node, *rows(node, "allOf")]
    for each in references:
        target = text(each, "$ref").removeprefix(REFERENCE)
        if target in components:
            name, inner = target.rpartition(".")[2], table(components, target)
    items = inner.get("items")
    more = inner.get("additionalProperties")

    def load() -> Fields:
        properties = table(inner, "properties")
        return {field: schema_of(table(properties, field), components) for field in properties}

    return Schema(
        type=text(inner, "type") or ("object" if "properties" in inner else ""),
        name=name,
        load=load,
        items=schema_of(items, components) if isinstance(items, dict) else None,
        additional=schema_of(more, components) if isinstance(more, dict) else None,
        patch_strategy=strategy,
        merge_key=key,
    )
