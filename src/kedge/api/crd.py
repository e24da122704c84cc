"""The CRDs of all our kinds, made from their types. Pure, and the same at every call."""

from functools import cache
from typing import Any, Final

import msgspec

from kedge.api.definition import Column, Definition
from kedge.api.nonadmin import backup as nonadmin_backup
from kedge.api.nonadmin import download_request as nonadmin_download_request
from kedge.api.nonadmin import location as nonadmin_location
from kedge.api.nonadmin import location_request as nonadmin_location_request
from kedge.api.nonadmin import restore as nonadmin_restore
from kedge.api.prescaled import kind as prescaled
from kedge.api.schema import WHOLE, Schema, rules_of, schema_of
from kedge.api.velero import (
    backup,
    delete_request,
    download_request,
    pod_volume_backup,
    pod_volume_restore,
    repository,
    restore,
    schedule,
    server_status,
    snapshot_location,
    storage_location,
)
from kedge.api.velero.group import GROUP as VELERO_GROUP
from kedge.api.velero.labels import COMPONENT, COMPONENT_VELERO

DEFINITIONS: Final[tuple[Definition, ...]] = tuple(
    module.DEFINITION
    for module in (
        backup,
        delete_request,
        download_request,
        nonadmin_backup,
        nonadmin_download_request,
        nonadmin_location,
        nonadmin_location_request,
        nonadmin_restore,
        pod_volume_backup,
        pod_volume_restore,
        prescaled,
        repository,
        restore,
        schedule,
        server_status,
        snapshot_location,
        storage_location,
    )
)
"""All kinds that we bring to a cluster."""

_HEAD: Final = ("api_version", "kind", "metadata")
_API_VERSION: Final = "The version of the API that the object is written in."
_KIND: Final = "The kind of the object."


def crds() -> list[dict[str, Any]]:
    """Give the CustomResourceDefinitions of all kinds, by name."""
    made = [crd_of(each) for each in DEFINITIONS]
    return sorted(made, key=lambda crd: str(crd["metadata"]["name"]))


def crd_of(definition: Definition) -> dict[str, Any]:
    """Give the CustomResourceDefinition of one kind; it is the caller's own."""
    crd: dict[str, Any] = msgspec.json.decode(_written(definition))
    return crd


@cache
def _written(definition: Definition) -> bytes:
    # Reading types takes far longer than reading JSON, and many ask for all kinds again.
    return msgspec.json.encode(_made(definition))


def _made(definition: Definition) -> dict[str, Any]:
    kind = definition.kind
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": str(kind), **_labels(definition)},
        "spec": {
            "group": kind.group,
            "names": _names(definition),
            "scope": "Namespaced" if kind.namespaced else "Cluster",
            "versions": [
                {
                    "name": kind.version,
                    "served": True,
                    "storage": True,
                    "subresources": {"status": {}},
                    "additionalPrinterColumns": [_column(each) for each in definition.columns],
                    "schema": {"openAPIV3Schema": _schema(definition)},
                }
            ],
        },
    }


def _labels(definition: Definition) -> dict[str, Any]:
    """Mark what a Velero installation consists of: what removes one finds it by the label."""
    is_of_velero = definition.kind.group == VELERO_GROUP
    return {"labels": {COMPONENT: COMPONENT_VELERO}} if is_of_velero else {}


def _names(definition: Definition) -> dict[str, Any]:
    kind = definition.kind
    names: dict[str, Any] = {
        "kind": kind.name,
        "listKind": f"{kind.name}List",
        "plural": kind.plural,
        "singular": kind.name.lower(),
    }
    if definition.short_names:
        names["shortNames"] = list(definition.short_names)
    if definition.categories:
        names["categories"] = list(definition.categories)
    return names


def _column(column: Column) -> dict[str, Any]:
    made: dict[str, Any] = {
        "name": column.name,
        "type": column.type,
        "jsonPath": column.path,
        "description": column.text,
    }
    return made | ({"priority": 1} if column.wide else {})


def _schema(definition: Definition) -> Schema:
    schema = schema_of(definition.kind.model, skip=_HEAD)
    head: Schema = {
        "apiVersion": {"description": _API_VERSION, "type": "string"},
        "kind": {"description": _KIND, "type": "string"},
        "metadata": {"type": "object"},
    }
    return {
        "description": definition.text,
        **schema,
        "properties": head | _with_one_writer(schema["properties"]),
        **rules_of(definition.rules),
    }


def _with_one_writer(properties: Schema) -> Schema:
    """Have a status belong to one writer as a whole.

    Else the server notes for each of its fields who has written it: half of an object would be such
    notes, which are read and written with each change.
    """
    status = properties.get("status")
    return properties if status is None else properties | {"status": status | WHOLE}
