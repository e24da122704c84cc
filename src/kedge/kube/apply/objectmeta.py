"""The shape of metadata, which the schema of a custom resource does not tell."""

from typing import Final

from kedge.kube.schema import Fields, Schema


def _text() -> Schema:
    return Schema(type="string")


def _time() -> Schema:
    return Schema(type="string", format="date-time", pointer=True)


def _map() -> Schema:
    return Schema(type="object", additional=_text())


def _owner() -> Schema:
    fields: Fields = {
        "apiVersion": _text(),
        "kind": _text(),
        "name": _text(),
        "uid": _text(),
        "controller": Schema(type="boolean"),
        "blockOwnerDeletion": Schema(type="boolean"),
    }
    return Schema(type="object", name="OwnerReference", declared=fields, map_type="atomic")


def _entry() -> Schema:
    fields: Fields = {
        "manager": _text(),
        "operation": _text(),
        "apiVersion": _text(),
        "time": _time(),
        "fieldsType": _text(),
        "fieldsV1": Schema(type="object", preserve=True, pointer=True),
        "subresource": _text(),
    }
    return Schema(type="object", name="ManagedFieldsEntry", declared=fields)


def _owners() -> Schema:
    # Go writes the uid even where it is empty, so the key of an owner without one is the empty uid.
    owner = _owner()
    owner.fields["uid"].default = ""
    return Schema(type="array", items=owner, list_type="map", list_keys=("uid",))


OBJECT_META: Final = Schema(
    type="object",
    name="ObjectMeta",
    declared={
        "name": _text(),
        "generateName": _text(),
        "namespace": _text(),
        "selfLink": _text(),
        "uid": _text(),
        "resourceVersion": _text(),
        "generation": Schema(type="integer", format="int64"),
        "creationTimestamp": _time(),
        "deletionTimestamp": _time(),
        "deletionGracePeriodSeconds": Schema(type="integer", format="int64", pointer=True),
        "labels": _map(),
        "annotations": _map(),
        "ownerReferences": _owners(),
        "finalizers": Schema(type="array", items=_text(), list_type="set"),
        "managedFields": Schema(type="array", items=_entry()),
    },
)
"""ObjectMeta of meta/v1."""
