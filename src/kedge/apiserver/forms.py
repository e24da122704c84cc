"""The forms of an answer: objects, their metadata, or Tables; alone, in lists, in events."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from kedge.apiserver.call import Call
from kedge.apiserver.http.accept import PROTOBUF
from kedge.apiserver.http.reply import Reply
from kedge.apiserver.kinds.registered import go_package
from kedge.apiserver.objects import Objects, decode
from kedge.apiserver.protobuf.frame import frame
from kedge.apiserver.resource import Object, Resource
from kedge.apiserver.table import Tables
from kedge.kube.errors import ApiError, NotAcceptable, UnknownError
from kedge.store import Record

_encode = msgspec.json.Encoder().encode


@dataclass(slots=True)
class Found:
    """One page of a list."""

    records: list[Record] = field(default_factory=list)
    revision: int = 0
    token: str = ""
    remaining: int | None = None


class Forms:
    """Turns rows into answers."""

    def __init__(self, objects: Objects, tables: Tables) -> None:
        """Convert versions with `objects`, draw Tables with `tables`."""
        self.objects = objects
        self.tables = tables

    def one(self, call: Call, code: int, record: Record) -> Reply:
        """Give an answer with one stored object."""
        if not call.accept.kind:
            return Reply(code, self.objects.raw(call.resource, record))
        return self.one_object(call, code, self.objects.load(call.resource, record))

    def one_object(self, call: Call, code: int, obj: Object) -> Reply:
        """Give an answer with one object that need not be stored."""
        kind = call.accept.kind
        if not kind:
            return Reply(code, _encode(obj))
        if kind == "Table":
            meta = {"resourceVersion": obj.get("metadata", {}).get("resourceVersion", "")}
            return Reply(code, _encode(self.tables.table(call, [obj], _without_empty(meta))))
        if kind == "PartialObjectMetadataList":
            if call.resource.custom:
                # A plain error of Go: it has no reason.
                raise UnknownError("content is not a list", code=500)
            shown = go_name(call.resource, "")
            raise NotAcceptable(
                f"you requested {kind}, but the requested object is not a list ({shown})"
            )
        return Reply(code, _encode(partial(call.resource, obj, call.accept.version)))

    def collection(self, call: Call, found: Found) -> Reply:
        """Give an answer with a list."""
        meta: Object = {"resourceVersion": str(found.revision)}
        if call.resource.custom and not call.accept.kind:
            meta["continue"] = ""  # Go writes it in lists of objects without a type
        if found.token:
            meta["continue"] = found.token
            if found.remaining is not None:
                meta["remainingItemCount"] = found.remaining
        kind = call.accept.kind
        if kind == "Table":
            objects = [self.objects.load(call.resource, record) for record in found.records]
            return Reply(200, _encode(self.tables.table(call, objects, meta)))
        if kind == "PartialObjectMetadata":
            shown = go_name(call.resource, "List")
            raise NotAcceptable(
                f"you requested {kind}, but the requested object is a list ({shown})"
            )
        if kind == "PartialObjectMetadataList":
            version = call.accept.version
            rows = (decode(record.value) for record in found.records)
            items = [partial(call.resource, row, version) for row in rows]
            head = {
                "kind": kind,
                "apiVersion": f"meta.k8s.io/{version}",
                "metadata": meta,
                "items": items,
            }
            return Reply(200, _encode(head))
        return Reply(200, self._list_body(call.resource, found.records, meta))

    def _list_body(self, resource: Resource, records: Sequence[Record], meta: Object) -> bytes:
        head = {"kind": resource.list_kind, "apiVersion": resource.api_version, "metadata": meta}
        items = [record.value for record in records]
        if not resource.stored:
            items = [self.objects.raw(resource, record) for record in records]
        if not resource.custom:
            items = [headless(resource, item) for item in items]
        return b"".join((_encode(head)[:-1], b',"items":[', b",".join(items), b"]}\n"))

    def events(self, call: Call) -> EventForm:
        """How the events of one watch are written."""
        kind = call.accept.kind
        if kind == "Table":
            return TableEvents(self, call)
        form = PartialEvents(self, call) if kind else EventForm(self, call)
        return FramedEvents(form) if call.accept.media == PROTOBUF else form


class EventForm:
    """Writes the events of a watch as whole objects."""

    def __init__(self, forms: Forms, call: Call) -> None:
        """Write events of the call's resource."""
        self.forms = forms
        self.call = call
        self.resource = call.resource

    def line(self, kind: str, record: Record) -> bytes:
        """One event."""
        return b"".join((HEADS[kind], self.forms.objects.raw(self.resource, record), END))

    def bookmark(self, revision: int, initial_end: bool = False) -> bytes:
        """Give a bookmark: nothing older than this revision will come."""
        meta: Object = {"resourceVersion": str(revision)}
        if initial_end:
            meta["annotations"] = {"k8s.io/initial-events-end": "true"}
        return b"".join((HEADS["BOOKMARK"], self.shape(self.empty(meta)), END))

    def empty(self, meta: Object) -> Object:
        """Give an object with nothing but metadata, and what Go writes even if empty."""
        obj: Object = {
            "kind": self.resource.kind,
            "apiVersion": self.resource.api_version,
            "metadata": meta,
        }
        if not self.resource.custom:
            obj.update(zero_fields(self.resource))
        return obj

    def shape(self, obj: Object) -> bytes:
        """Give an object in the form of this watch."""
        return _encode(obj)

    def error(self, error: ApiError) -> bytes:
        """Give the event that ends a watch."""
        return b"".join((HEADS["ERROR"], _encode(error.status), END))


class PartialEvents(EventForm):
    """Writes the events of a watch with metadata only."""

    def line(self, kind: str, record: Record) -> bytes:
        """One event."""
        obj = self.forms.objects.load(self.resource, record)
        return b"".join((HEADS[kind], self.shape(obj), END))

    def shape(self, obj: Object) -> bytes:
        """Give the metadata of an object."""
        return _encode(partial(self.resource, obj, self.call.accept.version))


class TableEvents(PartialEvents):
    """Writes the events of a watch as Tables of one row; only the first has the columns."""

    def __init__(self, forms: Forms, call: Call) -> None:
        """Begin with the columns."""
        super().__init__(forms, call)
        self.headed = False

    def shape(self, obj: Object) -> bytes:
        """Give a Table of one row."""
        meta = {"resourceVersion": obj["metadata"].get("resourceVersion", "")}
        table = self.forms.tables.table(self.call, [obj], meta)
        if self.headed:
            table["columnDefinitions"] = None
        self.headed = True
        return _encode(table)


class FramedEvents(EventForm):
    """Writes the events of a watch as protobuf."""

    def __init__(self, form: EventForm) -> None:
        """Frame the events that another form writes as lines."""
        super().__init__(form.forms, form.call)
        self.form = form

    def line(self, kind: str, record: Record) -> bytes:
        """One event."""
        return _framed(kind, self.form.line(kind, record))

    def bookmark(self, revision: int, initial_end: bool = False) -> bytes:
        """Give a bookmark: nothing older than this revision will come."""
        return _framed("BOOKMARK", self.form.bookmark(revision, initial_end))

    def error(self, error: ApiError) -> bytes:
        """Give the event that ends a watch."""
        return _framed("ERROR", self.form.error(error))


def _framed(kind: str, line: bytes) -> bytes:
    return frame(kind, line[len(HEADS[kind]) : -len(END)])


HEADS = {
    kind: f'{{"type":"{kind}","object":'.encode()
    for kind in ("ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR")
}


END = b"}\n"


def headless(resource: Resource, raw: bytes) -> bytes:
    """Give the JSON of an object without kind and apiVersion, as items of built-in lists are."""
    head = f'{{"kind":"{resource.kind}","apiVersion":"{resource.api_version}",'.encode()
    if raw.startswith(head):
        return b"{" + raw[len(head) :]
    obj = decode(raw)
    return _encode(
        {name: value for name, value in obj.items() if name not in {"kind", "apiVersion"}}
    )


def go_name(resource: Resource, suffix: str) -> str:
    """Name the type of an object, or of its list, as Go does."""
    if resource.custom:
        return f"*unstructured.Unstructured{suffix}"
    return f"*{go_package(resource.group)}.{resource.kind}{suffix}"


def partial(resource: Resource, obj: Object, version: str) -> Object:
    """Only the metadata of an object."""
    return {
        "kind": "PartialObjectMetadata",
        "apiVersion": f"meta.k8s.io/{version}",
        "metadata": resource.strategy.bare(obj.get("metadata", {})),
    }


def zero_fields(resource: Resource) -> Object:
    """Give the fields of a kind that Go writes for an empty object."""
    zero: Object = resource.schema.cache.get("zero") or _zero(resource.schema)
    resource.schema.cache["zero"] = zero
    return zero


def _zero(schema: Any) -> Object:
    zero: Object = {}
    for name, part in schema.fields.items():
        if name in {"kind", "apiVersion", "metadata"} or part.pointer:
            continue
        if part.type == "object" and not part.is_map and part.name and not part.omit_zero:
            zero[name] = _zero(part)
    return zero


def _without_empty(meta: Object) -> Object:
    return {name: value for name, value in meta.items() if value}
