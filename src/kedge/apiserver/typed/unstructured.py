"""Custom resources: objects without a Go type, but for their metadata."""

from collections.abc import Callable
from typing import Any

from kedge.apiserver.kinds.schemas import OBJECT_META, schema_of
from kedge.apiserver.typed.body import Body, read_body
from kedge.apiserver.typed.decode import IGNORE, Decoded, decode_exactly, may_have_doubles
from kedge.apiserver.typed.exact import Strict
from kedge.apiserver.typed.interpret import Kind, interpret, split_version, with_defaults
from kedge.apiserver.typed.jsontext import parse
from kedge.apiserver.typed.plan import Irregular, plan_of
from kedge.apiserver.typed.reading import check_version, settle_strict, unfit, unrecognized
from kedge.apiserver.typed.untyped import untyped
from kedge.kube.goerror import GoError

Prune = Callable[[dict[str, Any]], list[str]]
"""Drops what the schema does not know, in place, and names it by its path."""

_TOO_DEEP = "couldn't get version/kind; json parse error: invalid character '[' exceeded max depth"


def read_custom(data: bytes, media: str, wanted: Kind, prune: Prune, mode: str) -> Decoded:
    """Read an object of a custom kind; raises BadRequest. Its metadata is decoded, the rest pruned.

    In mode Warn, `strict` of the result are the texts for Warning headers.
    """
    try:
        body = read_body(data, media, typed=False)
        first = with_defaults(interpret(body.value), wanted)
    except GoError as exc:
        raise unrecognized(wanted.kind, exc.text, data) from None
    told = _kind(body, wanted, first if mode == IGNORE else None)
    try:
        decoded = _settled(body, mode)
        obj = decoded.obj
        paths = coerce_meta(obj)
        if (told.group, told.kind) == (wanted.group, wanted.kind):
            paths += prune(obj)
    except GoError as exc:
        raise unfit(told, wanted.kind, exc.text) from None
    except RecursionError:
        raise unrecognized(wanted.kind, _TOO_DEEP, data) from None
    if mode != IGNORE:
        decoded.strict += [f'unknown field "{path}"' for path in paths]
    settle_strict(decoded.strict, told, wanted.kind, mode)
    check_version(told, wanted)
    return decoded


def _kind(body: Body, wanted: Kind, first: Kind | None) -> Kind:
    # Unlike the first look, this one reads the names to the letter, and of a doubled one the last.
    value = body.value if isinstance(body.value, dict) else dict(body.value or ())
    kind = value.get("kind") or ""
    if not kind:
        text = f"Object 'Kind' is missing in '{body.data.decode(errors='replace')}'"
        # A real server's decoder fails at another point if it is not a strict one.
        raise (
            unfit(first, wanted.kind, text) if first else unrecognized(wanted.kind, text, body.data)
        )
    return Kind(*split_version(value.get("apiVersion") or ""), kind)


def _settled(body: Body, mode: str) -> Decoded:
    if body.is_plain:
        keys = settle(body.value)
        if body.json is None:
            return Decoded(body.value, body.strict if mode != IGNORE else [])
        if mode == IGNORE or not may_have_doubles(body.json, keys):
            return Decoded(body.value)
    strict = Strict()
    assert body.json is not None
    obj = untyped(parse(body.json), "", strict)
    return Decoded(obj, [] if mode == IGNORE else list(strict.found))


def settle(value: Any) -> int:
    """Make floats of integers beyond 64 bits, in place, as Go does; count the keys."""
    keys = 0
    if type(value) is dict:
        keys = len(value)
        for key, item in value.items():
            kind = type(item)
            if kind is dict or kind is list:
                keys += settle(item)
            elif kind is int and not -(2**63) <= item < 2**63:
                value[key] = float(item)
    elif type(value) is list:
        for index, item in enumerate(value):
            kind = type(item)
            if kind is dict or kind is list:
                keys += settle(item)
            elif kind is int and not -(2**63) <= item < 2**63:
                value[index] = float(item)
    return keys


def coerce_meta(obj: dict[str, Any], prefix: str = "") -> list[str]:
    """Decode the metadata of an object in place; give the paths of unknown fields; raises GoError.

    `prefix` is the path of an object within another, with a dot at its end.
    """
    if "metadata" not in obj:
        return []
    decoded = decode_meta(obj["metadata"])
    obj["metadata"] = decoded.obj
    return [f"{prefix}metadata.{_path(text)}" for text in decoded.strict]


def _path(complaint: str) -> str:
    return complaint.partition('"')[2][:-1]


def decode_meta(meta: Any) -> Decoded:
    """Decode the metadata of a custom resource; raises GoError. `strict` has its unknown fields."""
    schema = schema_of(OBJECT_META)
    if meta is None:
        return Decoded({})
    try:
        return Decoded(plan_of(schema)(meta, [0]))
    except Irregular:
        return decode_exactly(schema, _sorted(meta))


def _sorted(value: Any) -> Any:
    # The metadata comes from a map, which Go writes in the order of its keys.
    if isinstance(value, dict):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value
