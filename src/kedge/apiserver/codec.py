"""Bodies: from bytes to decoded, defaulted objects, for built-in and custom kinds alike."""

from dataclasses import dataclass
from typing import Any

from kedge.apiserver.aside import Aside
from kedge.apiserver.call import Call
from kedge.apiserver.filling import fill_in
from kedge.apiserver.kinds.schemas import schema_of_kind
from kedge.apiserver.resource import Object
from kedge.apiserver.typed.body import JSON, PROTOBUF, YAML, media_of
from kedge.apiserver.typed.convert import convert
from kedge.apiserver.typed.decode import IGNORE, STRICT, WARN
from kedge.apiserver.typed.interpret import Kind
from kedge.apiserver.typed.options import read_delete_options
from kedge.apiserver.typed.reading import read_typed, warnings_of
from kedge.apiserver.typed.unstructured import coerce_meta, read_custom
from kedge.apiserver.typed.words import word
from kedge.kube.apply import described
from kedge.kube.errors import BadRequest, UnknownError
from kedge.kube.goerror import GoError
from kedge.kube.refusals import unsupported_media_type
from kedge.kube.schema import Schema
from kedge.kube.yamltext import read_yaml


class Codec:
    """Reads the bodies of requests; whoever is in the event loop reads big ones `aside`."""

    def __init__(self, aside: Aside) -> None:
        """Do long work there."""
        self.aside = aside

    def read(self, call: Call, mode: str) -> Object:
        """Read an object of the call's resource."""
        resource = call.resource
        media = media_of(call.media)
        wanted = Kind(resource.group, resource.version, resource.kind)
        if resource.custom:
            if media == PROTOBUF:
                raise unsupported_media_type((JSON, YAML))
            decoded = read_custom(call.body, media, wanted, resource.schema.rules.settle, mode)
        else:
            decoded = read_typed(call.body, media, wanted, resource.schema, mode)
        for text in decoded.strict:
            call.warn(text)
        return fill_in(call, decoded.obj, decoded.empties)

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

    def merged(self, call: Call, obj: Object, applied: Object) -> Object:
        """Decode what server-side apply of `applied` made of an object, in place."""
        resource = call.resource
        if resource.custom:
            try:
                coerce_meta(obj)
            except GoError as exc:
                raise UnknownError(exc.text, code=500) from None
            # What was taken away can leave nulls: unlike those of a body they are not dropped.
            return fill_in(call, obj, None)
        try:
            decoded = convert(resource.schema, obj, IGNORE)
            return fill_in(call, decoded.obj, decoded.empties)
        except GoError as exc:
            kind = f"{resource.group}/{resource.version}, Kind={resource.kind}"
            text = f"unable to convert unstructured object to {kind}: {exc.text}"
            whole = f"failed to convert new object ({described(applied)}) to proper version: {text}"
            raise UnknownError(whole, code=500) from None

    def read_applied(self, call: Call) -> "Applied":
        """Read what server-side apply wants: JSON is YAML, too."""
        try:
            document = read_yaml(call.body)
        except GoError as exc:
            raise BadRequest(
                f"error decoding YAML: error converting YAML to JSON: {exc.text}"
            ) from None
        if document.value is None:
            return Applied({})
        if not isinstance(document.value, dict):
            text = _no_map(document.value)
            raise BadRequest(
                f"error decoding YAML: error unmarshaling JSON: while decoding JSON: {text}"
            )
        return Applied(document.value, document.strict_error)

    def delete_options(self, call: Call) -> Object:
        """Read the options in the body of a DELETE; empty where there is none."""
        return read_delete_options(call.body, media_of(call.media)) if call.body else {}


@dataclass(frozen=True, slots=True)
class Applied:
    """A configuration to apply."""

    value: Object
    strict: str = ""
    """What a strict reader says of it."""

    def settle(self, call: Call, mode: str) -> None:
        """Refuse what is wrong in strict mode, or warn of it: after the configuration applied."""
        if self.strict and mode == STRICT:
            told = f"error converting YAML to JSON: {self.strict}"
            raise BadRequest(f"error strict decoding YAML: {told}")
        if self.strict and mode == WARN:
            for text in warnings_of([self.strict]):
                call.warn(text)


def _no_map(value: Any) -> str:
    return f"json: cannot unmarshal {word(value)} into Go value of type map[string]interface {{}}"
