"""Bodies: from bytes to decoded, defaulted objects, for built-in and custom kinds alike."""

from dataclasses import dataclass
from typing import Any

import msgspec

from kedge.apiserver.call import Call
from kedge.apiserver.kinds.schemas import schema_of_kind
from kedge.apiserver.objects import ordered
from kedge.apiserver.resource import Object, Resource
from kedge.apiserver.typed.body import media_of, read_body
from kedge.apiserver.typed.decode import IGNORE, STRICT, WARN, decode
from kedge.apiserver.typed.errors import GoError
from kedge.apiserver.typed.interpret import Kind, interpret
from kedge.apiserver.typed.jsontext import parse
from kedge.apiserver.typed.reading import read_typed, strict_error, warnings_of
from kedge.apiserver.typed.unstructured import coerce_meta, read_custom
from kedge.apiserver.typed.untyped import untyped
from kedge.apiserver.typed.words import word
from kedge.apiserver.typed.yamltext import read_yaml
from kedge.kube.errors import ApiError, BadRequest, invalid
from kedge.kube.fielderror import invalid as invalid_field
from kedge.kube.gotext import quote
from kedge.kube.patch.json import check_json_patch
from kedge.kube.patch.merge import check_merge_patch
from kedge.kube.schema import Schema

DELETE_OPTIONS = "DeleteOptions"
PREFIX = "error decoding patch: "
NESTED = (dict, list)
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


class Codec:
    """Reads the bodies of requests."""

    def read(self, call: Call, mode: str) -> Object:
        """Read an object of the call's resource."""
        resource = call.resource
        media = media_of(call.media)
        wanted = Kind(resource.group, resource.version, resource.kind)
        if resource.custom:
            decoded = read_custom(call.body, media, wanted, resource.schema.rules.settle, mode)
            check_kind(resource, decoded.obj)
        else:
            decoded = read_typed(call.body, media, wanted, resource.schema, mode)
        for text in decoded.strict:
            call.warn(text)
        return self._finished(call, decoded.obj)

    def read_kind(self, call: Call, api_version: str, kind: str, mode: str) -> Object:
        """Read an object of another kind than the resource's: what a subresource takes."""
        group, _, version = api_version.rpartition("/")
        schema = self.schema_of(api_version, kind)
        decoded = read_typed(
            call.body, media_of(call.media), Kind(group, version, kind), schema, mode
        )
        for text in decoded.strict:
            call.warn(text)
        decoded.obj.setdefault("metadata", {})
        return decoded.obj

    def schema_of(self, api_version: str, kind: str) -> Schema:
        """Give the schema of a built-in kind."""
        schema = schema_of_kind(api_version, kind)
        assert schema is not None
        return schema

    def recast(
        self, call: Call, obj: Object, mode: str, doubled: list[str] | None = None
    ) -> Object:
        """Decode what a patch made, in place; `doubled` are complaints about the patch itself."""
        resource = call.resource
        if resource.custom:
            return self._finished(call, self._cast_custom(call, obj, mode, doubled or []))
        return self._finished(call, self._cast(call, obj, resource.schema, mode, doubled or []))

    def recast_kind(
        self, call: Call, obj: Object, api_version: str, kind: str, mode: str
    ) -> Object:
        """Decode an object of another kind than the resource's, in place."""
        return self._cast(call, obj, self.schema_of(api_version, kind), mode, [])

    def _cast(
        self, call: Call, obj: Object, schema: Schema, mode: str, doubled: list[str]
    ) -> Object:
        try:
            decoded = decode(schema, obj, None, mode)
        except GoError as exc:
            raise unfit_patch(obj, exc.text) from None
        strict = [*doubled, *decoded.strict]
        if strict and mode == STRICT:
            raise unfit_patch(obj, strict_error(strict))
        if mode == WARN:
            for text in warnings_of(strict):
                call.warn(text)
        return decoded.obj

    def _cast_custom(self, call: Call, obj: Object, mode: str, doubled: list[str]) -> Object:
        resource = call.resource
        try:
            paths = coerce_meta(obj)
        except GoError as exc:
            raise unfit_patch(obj, exc.text) from None
        check_kind(resource, obj)
        paths += resource.schema.rules.settle(obj)
        strict = [*doubled, *(f'unknown field "{path}"' for path in paths)]
        if strict and mode == STRICT:
            raise unfit_patch(obj, strict_error(strict))
        if mode == WARN:
            for text in warnings_of(strict):
                call.warn(text)
        return obj

    def _finished(self, call: Call, obj: Object) -> Object:
        obj.setdefault("metadata", {})
        call.resource.strategy.default(obj)
        return obj

    def json_patch(self, call: Call, mode: str) -> "Patched":
        """Read the operations of a JSON patch."""
        value, doubled = _patch_value(call, PREFIX)
        strict = [f"json patch {text}" for text in doubled]
        strict += check_json_patch(value, strict=mode != IGNORE)
        return Patched(value, strict if mode != IGNORE else [])

    def merge_patch(self, call: Call, mode: str) -> "Patched":
        """Read a merge patch."""
        value, doubled = _patch_value(call, PREFIX)
        check_merge_patch(value, strict=mode != IGNORE)
        return Patched(value, doubled if mode != IGNORE else [])

    def strategic_patch(self, call: Call, mode: str) -> "Patched":
        """Read a strategic merge patch."""
        value, doubled = _patch_value(call, "")
        if value is None:
            value = {}
        if not isinstance(value, dict):
            raise BadRequest(_no_map(value))
        return Patched(value, doubled if mode != IGNORE else [])

    def read_applied(self, call: Call, mode: str) -> Object:
        """Read what server-side apply wants: JSON is YAML, too."""
        try:
            document = read_yaml(call.body)
        except GoError as exc:
            raise BadRequest(
                f"error decoding YAML: error converting YAML to JSON: {exc.text}"
            ) from None
        if document.value is None:
            return {}
        if not isinstance(document.value, dict):
            text = _no_map(document.value)
            raise BadRequest(
                f"error decoding YAML: error unmarshaling JSON: while decoding JSON: {text}"
            )
        if document.strict_error and mode == STRICT:
            raise BadRequest(f"error strict decoding YAML: {document.strict_error}")
        if document.strict_error and mode == WARN:
            for text in warnings_of([document.strict_error]):
                call.warn(text)
        return document.value

    def delete_options(self, call: Call) -> Object:
        """Read the options in the body of a DELETE; empty where there is none."""
        if not call.body:
            return {}
        media = media_of(call.media)
        schema = self.schema_of("v1", DELETE_OPTIONS)
        wanted = Kind("meta.k8s.io", "v1", DELETE_OPTIONS)
        try:
            told = interpret(read_body(call.body, media).value)
        except GoError:
            told = wanted
        if told.kind == DELETE_OPTIONS:
            # Every group has this kind: old clients name that of the object.
            wanted = told
        return read_typed(call.body, media, wanted, schema, "Ignore").obj


@dataclass(frozen=True, slots=True)
class Patched:
    """A patch as it was read, with what strict decoding complains about."""

    value: Any
    strict: list[str]


class _Notes:
    """Collects keys that are there twice."""

    def __init__(self) -> None:
        self.found: list[str] = []

    def add(self, kind: str, path: str) -> None:
        self.found.append(f"{kind} field {quote(path)}")


def _patch_value(call: Call, prefix: str) -> tuple[Any, list[str]]:
    try:
        value = _decode(call.body)
        if call.body.count(b'":') == _count(value):
            return value, []
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, ValueError):
        pass
    notes = _Notes()
    try:
        return untyped(parse(call.body), "", notes), notes.found
    except GoError as exc:
        raise BadRequest(f"{prefix}{exc.text}") from None


def _count(value: Any) -> int:
    """Count the keys of all objects within a value."""
    if isinstance(value, dict):
        return len(value) + sum(_count(item) for item in value.values() if type(item) in NESTED)
    if isinstance(value, list):
        return sum(_count(item) for item in value if type(item) in NESTED)
    return 0


def check_kind(resource: Resource, obj: Object) -> None:
    """Refuse an object of another kind."""
    kind = obj.get("kind")
    if kind != resource.kind:
        name = (obj.get("metadata") or {}).get("name") or ""
        error = invalid_field("kind", kind, f"must be {resource.kind}")
        raise invalid(resource.group, kind or "", name, [error])


def unfit_patch(obj: Object, why: str) -> ApiError:
    """Say that a patched object does not fit its type."""
    whole = ordered(obj) if "metadata" in obj and "kind" in obj else obj
    text = _encode({name: whole[name] for name in sorted(whole)}).decode()
    return invalid("", "", "", [invalid_field("patch", text, why)])


def _no_map(value: Any) -> str:
    return f"json: cannot unmarshal {word(value)} into Go value of type map[string]interface {{}}"
