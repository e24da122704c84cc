"""From the body of a request to its object, with kube-apiserver's answer to what is wrong."""

from collections.abc import Iterable
from typing import Any

from kedge.apiserver.kinds.registered import (
    go_package,
    is_registered,
    no_conversion,
    not_registered,
)
from kedge.apiserver.kinds.schemas import schema_of_kind
from kedge.apiserver.protobuf.decode import read_message
from kedge.apiserver.protobuf.envelope import open_envelope
from kedge.apiserver.protobuf.message import component_of
from kedge.apiserver.typed.body import PROTOBUF, Body, read_body, summary
from kedge.apiserver.typed.decode import IGNORE, STRICT, Decoded, decode, decode_exactly
from kedge.apiserver.typed.interpret import Kind, interpret, split_version, with_defaults
from kedge.kube.errors import BadRequest
from kedge.kube.goerror import GoError
from kedge.kube.gotext import quote
from kedge.kube.schema import Schema

_YAML_PREFIXES = (
    "yaml: unmarshal errors:\n",
    "error converting YAML to JSON: yaml: unmarshal errors:\n",
)
_SAME_THING = {frozenset({"", "events.k8s.io"})}
"""Groups that share a kind, so that an object of one can be converted to the other."""
_OLD_HOME = "extensions"
"""The group from which many kinds moved to others."""


def read_typed(data: bytes, media: str, wanted: Kind, schema: Schema, mode: str) -> Decoded:
    """Read an object of a built-in kind; raises BadRequest.

    `wanted` and `schema` are those of the endpoint: of the resource, or of what its subresource
    takes. In mode Warn, `strict` of the result are the texts for Warning headers.
    """
    try:
        body, said = open_body(data, media)
        told = with_defaults(said, wanted)
    except GoError as exc:
        raise unrecognized(wanted.kind, exc.text, data) from None
    if told != wanted:
        schema = _other_schema(told, wanted, data) or schema
    try:
        if media == PROTOBUF:
            body.value = read_message_of(body.value, told, wanted)
        decoded = _decode(body, schema, mode)
    except GoError as exc:
        raise unfit(told, wanted.kind, exc.text) from None
    if told != wanted:
        _check_convertible(told, wanted)
    settle_strict(decoded.strict, told, wanted.kind, mode)
    check_version(told, wanted)
    decoded.obj["kind"], decoded.obj["apiVersion"] = wanted.kind, wanted.api_version
    return decoded


def open_body(data: bytes, media: str) -> tuple[Body, Kind]:
    """Give a body and what it says it is; of protobuf, the value is the message. Raises GoError."""
    if media != PROTOBUF:
        body = read_body(data, media)
        return body, interpret(body.value)
    envelope = open_envelope(data)
    try:
        group, version = split_version(envelope.api_version)
    except GoError:
        group = version = ""
    return Body(envelope.message, data), Kind(group, version, envelope.kind)


def read_message_of(message: bytes, told: Kind, wanted: Kind) -> dict[str, Any]:
    """Read a message as what it says it is, or else as what it should be; raises GoError."""
    # Kinds like DeleteOptions are in all groups, and in the table under v1.
    component = (
        component_of(told.api_version, told.kind)
        or component_of(wanted.api_version, wanted.kind)
        or component_of("v1", wanted.kind)
    )
    assert component is not None
    # Go writes these first; they are no part of the message.
    into = {"kind": told.kind, "apiVersion": told.api_version}
    return read_message(component, message, into)


def _decode(body: Body, schema: Schema, mode: str) -> Decoded:
    if body.value is None:
        body.value = {}
    if body.is_plain:
        decoded = decode(schema, body.value, body.json, mode)
    else:
        decoded = decode_exactly(schema, body.value, mode)
    if body.strict and mode != IGNORE:
        decoded.strict[:0] = body.strict
    return decoded


def _other_schema(told: Kind, wanted: Kind, data: bytes) -> Schema | None:
    """Find the schema of another kind than the endpoint's: its own errors come first."""
    if not told.version:
        text = f"Object 'apiVersion' is missing in '{data.decode(errors='replace')}'"
        raise unfit(told, wanted.kind, text)
    if not is_registered(told.api_version, told.kind, wanted.group):
        raise unfit(told, wanted.kind, not_registered(told.api_version, told.kind))
    return schema_of_kind(told.api_version, told.kind)


def _check_convertible(told: Kind, wanted: Kind) -> None:
    groups = frozenset({told.group, wanted.group})
    is_same = len(groups) == 1 or groups in _SAME_THING or told.group == _OLD_HOME
    if told.kind == wanted.kind and is_same:
        return
    ours = f"{go_package(wanted.group)}.{wanted.kind}"
    raise unfit(told, wanted.kind, no_conversion(told.version, told.kind, ours))


def check_version(told: Kind, wanted: Kind) -> None:
    """Refuse a body of another version; raises BadRequest."""
    if told.api_version != wanted.api_version:
        raise BadRequest(
            f"the API version in the data ({told.api_version}) does not match "
            f"the expected API version ({wanted.api_version})"
        )


def settle_strict(strict: list[str], told: Kind, wanted: str, mode: str) -> None:
    """Refuse what strict decoding complains about, or make warnings of it, in place."""
    if not strict:
        return
    if mode == STRICT:
        raise unfit(told, wanted, strict_error(strict))
    strict[:] = warnings_of(strict)


def strict_error(strict: Iterable[str]) -> str:
    """All complaints of strict decoding as one error."""
    return f"strict decoding error: {', '.join(strict)}"


def warnings_of(strict: Iterable[str]) -> list[str]:
    """Texts for Warning headers: what YAML says comes as one text of several lines."""
    found: dict[str, None] = {}
    for text in strict:
        for prefix in _YAML_PREFIXES:
            if text.startswith(prefix):
                found.update(dict.fromkeys(map(str.strip, text[len(prefix) :].split("\n"))))
                break
        else:
            found[text] = None
    return list(found)


def unfit(told: Kind, wanted: str, why: str) -> BadRequest:
    """Refuse a body whose kind is known."""
    return BadRequest(
        f"{told.kind} in version {quote(told.version)} cannot be handled as a {wanted}: {why}"
    )


def unrecognized(wanted: str, why: str, data: bytes) -> BadRequest:
    """Refuse a body that does not even tell its kind."""
    return BadRequest(
        f"the object provided is unrecognized (must be of type {wanted}): {why} ({summary(data)})"
    )
