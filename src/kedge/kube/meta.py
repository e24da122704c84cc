"""The metadata of an object as a type, for typed kinds and for caches that keep no more."""

import msgspec


class OwnerReference(msgspec.Struct, rename="camel", omit_defaults=True, frozen=True):
    """Points from a dependent to its owner."""

    api_version: str = ""
    kind: str = ""
    name: str = ""
    uid: str = ""
    controller: bool | None = None
    block_owner_deletion: bool | None = None


class ObjectMeta(msgspec.Struct, rename="camel", omit_defaults=True):
    """What every object has; times are texts, as they came."""

    name: str = ""
    generate_name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""
    generation: int = 0
    creation_timestamp: str | None = None
    deletion_timestamp: str | None = None
    deletion_grace_period_seconds: int | None = None
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    owner_references: list[OwnerReference] | None = None
    finalizers: list[str] | None = None


class Partial(msgspec.Struct, rename="camel", omit_defaults=True):
    """An object of which only the metadata is kept."""

    api_version: str = ""
    kind: str = ""
    metadata: ObjectMeta = msgspec.field(default_factory=ObjectMeta)
