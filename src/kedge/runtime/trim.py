"""Reads an object once, as it comes: its metadata, and the bytes that a cache keeps of it.

Of a typed object no more is kept than its type has fields for. What is free in it, such as a spec
that is a plain dict, is not read for that: most versions are replaced before anybody looks at them.
"""

from collections.abc import Callable, Sequence
from typing import Any, Final

import msgspec
from msgspec.structs import FieldInfo

from kedge.client.decoders import object_decoder
from kedge.kube.kind import Object
from kedge.kube.meta import ObjectMeta
from kedge.runtime.entry import Meta, read_meta

Trim = Callable[[msgspec.Raw], tuple[Meta, bytes]]
"""Gives what is kept of an object; raises what a decoder does where it does not fit its type."""

FREE: Final = (Object, Object | None)
"""The types of fields that hold any object."""
_encode: Final = msgspec.json.Encoder().encode


def trim_for(model: type) -> Trim:
    """Make what trims the objects of a type; plain objects stay whole."""
    if model in (dict, msgspec.Raw):
        return _whole
    fields = msgspec.structs.fields(model) if issubclass(model, msgspec.Struct) else ()
    free = [one.name for one in fields if one.type in FREE]
    has_meta = any(one.name == "metadata" and one.type is ObjectMeta for one in fields)
    read: Callable[[msgspec.Raw], Any] = object_decoder(model).decode
    if not free:
        return lambda raw: (read_meta(raw).metadata, _encode(read(raw)))
    glance = object_decoder(_unread(model, fields, free)).decode

    def trim(raw: msgspec.Raw) -> tuple[Meta, bytes]:
        found: Any = glance(raw)
        for name in free:
            if _is_odd(getattr(found, name)):
                read(raw)  # it says what is wrong, if anything
        meta = _short(found.metadata) if has_meta else read_meta(raw).metadata
        return meta, _encode(found)

    return trim


def _whole(raw: msgspec.Raw) -> tuple[Meta, bytes]:
    return read_meta(raw).metadata, bytes(raw)


def _unread(model: type, fields: Sequence[FieldInfo], free: Sequence[str]) -> type[msgspec.Struct]:
    """Make a type like a model, in which what is free stays as it came."""
    return msgspec.defstruct(
        model.__name__,
        [_unread_field(one) if one.name in free else _field(one) for one in fields],
        rename={one.name: one.encode_name for one in fields},
        omit_defaults=True,
        kw_only=True,
    )


def _unread_field(field: FieldInfo) -> tuple[str, Any, Any]:
    if field.required:
        return field.name, msgspec.Raw, msgspec.field()
    return field.name, msgspec.Raw | msgspec.UnsetType, msgspec.UNSET


def _field(field: FieldInfo) -> tuple[str, Any, Any]:
    default: Any = msgspec.field()
    if field.default is not msgspec.NODEFAULT:
        default = field.default
    elif field.default_factory is not msgspec.NODEFAULT:
        default = msgspec.field(default_factory=field.default_factory)
    return field.name, field.type, default


def _is_odd(value: Any) -> bool:
    """Tell whether what was not read is there, and no object."""
    return value is not msgspec.UNSET and bytes(value)[:1] != b"{"


def _short(meta: ObjectMeta) -> Meta:
    return Meta(
        meta.name,
        meta.namespace,
        meta.uid,
        meta.resource_version,
        meta.generation,
        meta.deletion_timestamp,
        meta.labels,
        meta.owner_references,
    )
