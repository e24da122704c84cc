"""Objects in the store: plain dicts in, rows out, with the resourceVersion inside the bytes."""

from typing import Any

import msgspec

from kedge.apiserver.resource import Object, Resource
from kedge.kube.errors import MODIFIED, already_exists, conflict
from kedge.kube.metadata import FIELDS
from kedge.store import KeyExists, Log, Mismatch, Record

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


def ordered(obj: Object) -> Object:
    """Put an object into Go's order; lists cut off the kind and apiVersion in front."""
    meta = obj["metadata"]
    first = {"kind": obj["kind"], "apiVersion": obj["apiVersion"]}
    first["metadata"] = {name: meta[name] for name in FIELDS if name in meta}
    return {**first, **{name: obj[name] for name in obj if name not in first}}


def decode(raw: bytes) -> Any:
    """Give the value of JSON bytes that the server wrote itself."""
    return _decode(raw)


class Objects:
    """Reads and writes objects of any kind. Versions are converted here, and nowhere else."""

    def __init__(self, log: Log) -> None:
        """Work on this log."""
        self.log = log

    def get(self, resource: Resource, namespace: str, name: str) -> Record | None:
        """Give the row of a live object."""
        return self.log.get(resource.key(namespace, name))

    def load(self, resource: Resource, record: Record) -> Object:
        """Give the object of a row in the version of `resource`; the caller owns it."""
        obj: Object = _decode(record.value)
        return obj if resource.stored else ordered(resource.strategy.from_storage(obj))

    def raw(self, resource: Resource, record: Record) -> bytes:
        """Give the JSON of a row in the version of `resource`."""
        return record.value if resource.stored else _encode(self.load(resource, record))

    async def create(self, resource: Resource, obj: Object) -> Record:
        """Store a new object."""
        key = resource.key(obj["metadata"].get("namespace", ""), obj["metadata"]["name"])
        try:
            record = await self.log.append(key, self._encoder(resource, obj), 0)
        except KeyExists:
            raise already_exists(resource.group, resource.plural, obj["metadata"]["name"]) from None
        if resource.strategy.learns:
            _tell(resource, obj["metadata"], obj)
        return record

    async def replace(self, resource: Resource, obj: Object, record: Record) -> Record:
        """Store a changed object in place of the row it was made from."""
        try:
            record = await self.log.append(
                record.key, self._encoder(resource, obj), record.revision
            )
        except Mismatch:
            raise modified(resource, obj["metadata"]["name"]) from None
        if resource.strategy.learns:
            _tell(resource, obj["metadata"], obj)
        return record

    async def remove(self, resource: Resource, obj: Object, record: Record) -> Record:
        """Take an object away; watchers see it as it was stored last, whatever `obj` is by now."""
        try:
            record = await self.log.delete(record.key, _Restamped(record), record.revision)
            obj["metadata"]["resourceVersion"] = str(record.revision)
        except Mismatch:
            raise modified(resource, obj["metadata"]["name"]) from None
        if resource.strategy.learns:
            _tell(resource, obj["metadata"], None)
        return record

    def remind(self, resource: Resource, meta: Object) -> None:
        """Tell the hooks what is stored, after a write that failed."""
        if resource.strategy.learns:
            record = self.get(resource, meta.get("namespace", ""), meta.get("name", ""))
            _tell(resource, meta, self.load(resource, record) if record else None)

    def _encoder(self, resource: Resource, obj: Object) -> "_Encoder":
        return _Encoder(obj if resource.stored else resource.strategy.to_storage(obj))


def _tell(resource: Resource, meta: Object, obj: Object | None) -> None:
    resource.strategy.learn(meta.get("namespace", ""), meta.get("name", ""), obj)


class _Encoder:
    """Writes the object once its revision is known."""

    __slots__ = ("given",)

    def __init__(self, obj: Object) -> None:
        self.given = obj

    def __call__(self, revision: int) -> bytes:
        self.given["metadata"]["resourceVersion"] = str(revision)
        return _encode(ordered(self.given))


class _Restamped:
    """Writes what is stored under another revision."""

    __slots__ = ("record",)

    def __init__(self, record: Record) -> None:
        self.record = record

    def __call__(self, revision: int) -> bytes:
        return restamped(self.record, revision)


def restamped(record: Record, revision: int) -> bytes:
    """Give the JSON of a row with another resourceVersion: it is the first in the metadata."""
    old = f'"resourceVersion":"{record.revision}"'.encode()
    return record.value.replace(old, f'"resourceVersion":"{revision}"'.encode(), 1)


def modified(resource: Resource, name: str) -> Exception:
    """Someone else wrote first."""
    return conflict(resource.group, resource.plural, name, MODIFIED)
