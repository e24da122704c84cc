"""The options in the body of a DELETE, whose errors a real server takes for its own failures."""

from typing import Any

from kedge.apiserver.kinds.registered import SHARED, is_registered, no_conversion, not_registered
from kedge.apiserver.kinds.schemas import schema_of_kind
from kedge.apiserver.typed.body import PROTOBUF
from kedge.apiserver.typed.decode import IGNORE, decode, decode_exactly
from kedge.apiserver.typed.interpret import Kind, with_defaults
from kedge.apiserver.typed.reading import open_body, read_message_of
from kedge.kube.errors import UnknownError
from kedge.kube.goerror import GoError

_WANTED = Kind("meta.k8s.io", "v1", "DeleteOptions")


def read_delete_options(data: bytes, media: str) -> dict[str, Any]:
    """Read DeleteOptions; raises UnknownError with code 500."""
    try:
        return _read(data, media)
    except GoError as exc:
        raise UnknownError(exc.text, code=500) from None


def _read(data: bytes, media: str) -> dict[str, Any]:
    body, said = open_body(data, media)
    told = with_defaults(said, _WANTED)
    if told.kind != _WANTED.kind:
        if not is_registered(told.api_version, told.kind, SHARED):
            raise GoError(not_registered(told.api_version, told.kind))
        raise GoError(no_conversion(told.version, told.kind, "v1.DeleteOptions"))
    schema = schema_of_kind("v1", "DeleteOptions")
    assert schema is not None
    if media == PROTOBUF:
        body.value = read_message_of(body.value, told, _WANTED)
    if body.is_plain:
        return decode(schema, body.value, body.json, IGNORE).obj
    return decode_exactly(schema, body.value if body.value is not None else {}, IGNORE).obj
