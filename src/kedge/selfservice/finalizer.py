"""Our finalizer on an object by which people ask for something."""

from typing import TypeVar

import msgspec

from kedge.client import Client
from kedge.kube.kind import Kind
from kedge.selfservice.whole import Asked

A = TypeVar("A", bound=Asked)


class _Meta(msgspec.Struct, frozen=True):
    """Of the metadata, who holds an object back from going."""

    finalizers: list[str] | None = None


class _Held(msgspec.Struct, frozen=True):
    """An object of which only the finalizers are read."""

    metadata: _Meta = _Meta()


_read = msgspec.json.Decoder(_Held).decode


def is_held(data: bytes, finalizer: str) -> bool:
    """Tell whether an object, as the API writes it, has a finalizer."""
    return finalizer in (_read(data).metadata.finalizers or ())


async def set_finalizer(client: Client, kind: Kind[A], obj: A, *, present: bool) -> A:
    """Put it on an object that is still in this version, or take it off.

    Raises Conflict and NotFound. The object is put: a server that patches writes it out, lays the
    change over it and reads it back, and does all of it twice where its cache is behind.
    """
    wanted = [each for each in obj.metadata.finalizers or () if each != obj.finalizer]
    if present:
        wanted.append(obj.finalizer)
    meta = msgspec.structs.replace(obj.metadata, finalizers=wanted)
    return await client.update(kind, msgspec.structs.replace(obj, metadata=meta))
