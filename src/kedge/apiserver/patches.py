"""Patches: read from a body, laid over an object, and the result decoded as a whole object is."""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import msgspec

from kedge.apiserver.call import Call
from kedge.apiserver.kinds.schemas import schema_of_kind
from kedge.apiserver.resource import Object, Resource
from kedge.apiserver.typed.convert import convert
from kedge.apiserver.typed.decode import IGNORE, STRICT, WARN, Decoded
from kedge.apiserver.typed.interpret import Kind
from kedge.apiserver.typed.jsontext import parse
from kedge.apiserver.typed.patched import (
    Path,
    arranged,
    decode_patched,
    in_go_order,
    patched_text,
    touched_by_merge,
    touched_by_operations,
)
from kedge.apiserver.typed.reading import strict_error, warnings_of
from kedge.apiserver.typed.unstructured import coerce_meta, settle
from kedge.apiserver.typed.untyped import untyped
from kedge.apiserver.typed.words import word
from kedge.kube.errors import ApiError, BadRequest, InternalError, invalid
from kedge.kube.fielderror import invalid as invalid_field
from kedge.kube.goerror import GoError
from kedge.kube.gonumbers import Literal, loose_number
from kedge.kube.gotext import quote, to_json, to_text
from kedge.kube.patch.json import apply_json_patch, check_json_patch
from kedge.kube.patch.merge import check_merge_patch, check_object, merge
from kedge.kube.patch.strategic import strategic
from kedge.kube.schema import Schema

JSON_PATCH = "application/json-patch+json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
PREFIX = "error decoding patch: "
META = ("apiVersion", "kind", "metadata")

_plain = msgspec.json.Decoder().decode
_typed = msgspec.json.Decoder(float_hook=Literal).decode
_loose = msgspec.json.Decoder(float_hook=loose_number).decode
_typed_finite = msgspec.json.Decoder(float_hook=lambda text: _finite(Literal(text))).decode

Load = Callable[[], Object]
"""Gives the object that is patched, a new one every time: patching and decoding change it."""


@dataclass(frozen=True, slots=True)
class Subject:
    """What is patched: an object of the resource, or of what its subresource takes."""

    kind: Kind
    schema: Schema
    custom: bool = False

    @staticmethod
    def of(resource: Resource) -> "Subject":
        """Patch objects of a resource."""
        kind = Kind(resource.group, resource.version, resource.kind)
        return Subject(kind, resource.schema, resource.custom)

    @staticmethod
    def of_kind(api_version: str, kind: str) -> "Subject":
        """Patch objects of a built-in kind."""
        group, _, version = api_version.rpartition("/")
        schema = schema_of_kind(api_version, kind)
        assert schema is not None
        return Subject(Kind(group, version, kind), schema)


@dataclass(frozen=True, slots=True)
class Patched:
    """A patch as it was read."""

    value: Any
    strict: list[str] = field(default_factory=list)
    """What strict decoding has to say of the patch itself."""


def patch(
    call: Call, media: str, subject: Subject, load: Load, mode: str, base: Object | None = None
) -> Object:
    """Lay the patch in the body over the object; defaults are not filled in yet.

    `base` is what `load` gives. Of a custom object, the result may share with it what a merge patch
    leaves alone: it is as the schema wants it, so that nobody has to change it any more.
    """
    if media == STRATEGIC:
        obj = _strategic(call, subject, load(), mode)
    elif media == JSON_PATCH:
        read = _read_operations(call, subject, mode)
        obj = _decoded(call, subject, _ByOperations(read, load), mode)
    else:
        read = _read_merge(call, subject, mode)
        obj = _decoded(call, subject, _ByMerge(read, load, base), mode)
    if not subject.custom:
        obj["kind"], obj["apiVersion"] = subject.kind.kind, subject.kind.api_version
    obj.setdefault("metadata", {})
    return obj


@dataclass(frozen=True, slots=True)
class _ByMerge:
    """Changes an object by a merge patch."""

    patch: Patched
    load: Load
    base: Object | None = None

    def first(self) -> Object:
        """Give the object to begin with."""
        return self.load() if self.base is None else self.base

    def make(self, obj: Object) -> Object:
        return check_object(merge(obj, self.patch.value))

    def touched(self) -> set[Path]:
        return touched_by_merge(self.patch.value)


class _ByOperations(_ByMerge):
    """Changes an object by a JSON patch."""

    def make(self, obj: Object) -> Object:
        return check_object(apply_json_patch(obj, self.patch.value))

    def touched(self) -> set[Path]:
        return touched_by_operations(one for one in self.patch.value or () if one)


def _decoded(call: Call, subject: Subject, change: _ByMerge, mode: str) -> Object:
    if subject.custom:
        return _decoded_custom(call, subject, change, mode)
    given = change.load()
    patched = change.make(given)
    managed = _without_owners(patched, given)
    try:
        decoded = decode_patched(subject.schema, patched, subject.kind, mode)
    except GoError:
        decoded = None
    if decoded is None or decoded.strict or change.patch.strict:
        decoded = _decoded_exactly(call, subject, change, mode)
    elif managed is not None and decoded.obj:
        decoded.obj.setdefault("metadata", {})["managedFields"] = managed
    call.empties = decoded.empties
    return decoded.obj


def _without_owners(patched: Object, given: Object) -> list[Any] | None:
    """Take the owners of the fields out, and give them, if the patch has left them alone.

    They are big, and as the server wrote them.
    """
    meta, before = patched.get("metadata"), given.get("metadata")
    if not isinstance(meta, dict) or not isinstance(before, dict):
        return None
    patched["metadata"] = meta = dict(meta)  # the other one may be that of the given object
    found: list[Any] | None = before.get("managedFields")
    if found is None or meta.get("managedFields") is not found:
        return None
    del meta["managedFields"]
    return found


def _decoded_exactly(call: Call, subject: Subject, change: _ByMerge, mode: str) -> Decoded:
    """Decode once more, in the order of the text: something is wrong, and the first tells."""
    patched = change.make(in_go_order(subject.schema, change.load()))
    text = patched_text(patched, change.touched())
    try:
        obj = arranged(patched, change.touched())
        decoded = decode_patched(subject.schema, obj, subject.kind, mode)
    except GoError as exc:
        raise unfit(text, exc.text) from None
    _settle(call, text, [*change.patch.strict, *decoded.strict], mode)
    return decoded


def _decoded_custom(call: Call, subject: Subject, change: _ByMerge, mode: str) -> Object:
    given = change.first()
    obj = change.make(given)
    managed = _without_owners(obj, given)
    try:
        told = _told(obj)
        paths = coerce_meta(obj)
        if told == subject.kind:
            paths += subject.schema.rules.settle(obj)
        elif (told.group, told.kind) == (subject.kind.group, subject.kind.kind):
            paths += [name for name in obj if name not in META]  # a version that there is not
    except GoError as exc:
        raise unfit(to_json(change.make(change.load())), exc.text) from None
    if managed is not None:
        obj["metadata"]["managedFields"] = managed
    strict = [*change.patch.strict, *(f'unknown field "{path}"' for path in paths)]
    if strict:
        _settle(call, to_json(change.make(change.load())), strict, mode)
    if not obj.get("apiVersion"):
        cause = "Object 'apiVersion' is missing in 'object has no apiVersion field'"
        raise InternalError(f"Internal error occurred: {cause}", {"causes": [{"message": cause}]})
    return obj


def _strategic(call: Call, subject: Subject, old: Object, mode: str) -> Object:
    read = _read_strategic(call, mode)
    patched = strategic(old, read.value, subject.schema)
    text = to_text(read.value)  # of what is left of it
    try:
        decoded = convert(subject.schema, patched, mode)
    except GoError as exc:
        raise unfit(text, exc.text) from None
    _settle(call, text, [*read.strict, *decoded.strict], mode)
    call.empties = decoded.empties
    return decoded.obj


def _settle(call: Call, text: str, strict: list[str], mode: str) -> None:
    if strict and mode == STRICT:
        raise unfit(text, strict_error(strict))
    if mode == WARN:
        for one in warnings_of(strict):
            call.warn(one)


def unfit(text: str, why: str) -> ApiError:
    """Say that a patched object does not fit its type."""
    return invalid("", "", "", [invalid_field("patch", text, why)])


def _told(obj: Object) -> Kind:
    kind, version = obj.get("kind"), obj.get("apiVersion")
    if not kind or not isinstance(kind, str):
        raise GoError(f"Object 'Kind' is missing in '{to_json(obj)}'")
    group, _, version = str(version or "").rpartition("/")
    return Kind(group, version, kind)


def _read_operations(call: Call, subject: Subject, mode: str) -> Patched:
    prefix = "" if mode == IGNORE else PREFIX
    value, doubled = _value(call.body, _decoder(subject, mode), prefix)
    strict = [f"json patch {text}" for text in doubled]
    strict += check_json_patch(value, strict=mode != IGNORE)
    return Patched(value, strict if mode != IGNORE else [])


def _read_merge(call: Call, subject: Subject, mode: str) -> Patched:
    try:
        value, doubled = _value(call.body, _decoder(subject, mode), PREFIX)
    except BadRequest:
        if mode == IGNORE:
            raise BadRequest("Invalid JSON Patch") from None
        raise
    check_merge_patch(value, strict=mode != IGNORE)
    return Patched(value, doubled if mode != IGNORE else [])


def _read_strategic(call: Call, mode: str) -> Patched:
    value, doubled = _value(call.body, _plain, "")
    if value is None:
        value = {}
    if not isinstance(value, dict):
        told = f"json: cannot unmarshal {word(value)} into Go value of type"
        raise BadRequest(f"{told} map[string]interface {{}}")
    return Patched(value, doubled if mode != IGNORE else [])


class _Notes:
    """Collects keys that are there twice."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def add(self, kind: str, path: str) -> None:
        self.found.append(f"{kind} field {quote(path)}")


def _value(body: bytes, decode: Callable[[bytes], Any], prefix: str) -> tuple[Any, list[str]]:
    try:
        value = decode(body)
        if body.count(b'":') == settle(value):
            return value, []
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError):
        pass
    notes = _Notes()
    try:
        return untyped(parse(body), "", notes), notes.found
    except GoError as exc:
        raise BadRequest(f"{prefix}{exc.text}") from None


def _decoder(subject: Subject, mode: str) -> Callable[[bytes], Any]:
    if subject.custom:
        return _loose
    return _typed if mode == IGNORE else _typed_finite


def _finite(number: Literal) -> Literal:
    if math.isinf(number):
        raise ValueError(number.text)
    return number
