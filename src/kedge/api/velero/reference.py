"""References from one object to another."""

from typing import Annotated

from kedge.api.part import Doc, Part


class SecretKey(Part, frozen=True):
    """One entry of a Secret in the same namespace."""

    name: Annotated[str, Doc("The name of the Secret.")] = ""
    key: Annotated[str, Doc("The entry of the Secret's data that is used.", required=True)] = ""
    optional: Annotated[bool | None, Doc("Whether the Secret or its entry may be missing.")] = None


class LocalReference(Part, frozen=True):
    """An object of a named kind in the same namespace."""

    api_group: Annotated[str | None, Doc("The API group of the object; none for a ConfigMap.")] = (
        None
    )
    kind: Annotated[str, Doc("The kind of the object: configmap.", required=True)] = ""
    name: Annotated[str, Doc("The name of the object.", required=True)] = ""


class ObjectReference(Part, frozen=True):
    """An object anywhere in the cluster."""

    api_version: Annotated[str, Doc("The API version of the object.")] = ""
    kind: Annotated[str, Doc("The kind of the object.")] = ""
    namespace: Annotated[str, Doc("The namespace of the object.")] = ""
    name: Annotated[str, Doc("The name of the object.")] = ""
    uid: Annotated[str, Doc("The uid of the object.")] = ""
    resource_version: Annotated[str, Doc("The version of the object that is meant.")] = ""
    field_path: Annotated[str, Doc("The part of the object that is meant.")] = ""
