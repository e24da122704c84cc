"""Decode an object into the type of its kind: fast, and to the letter where something is wrong."""

from dataclasses import dataclass, field
from typing import Any, Final

from kedge.apiserver.typed.exact import Decoder
from kedge.apiserver.typed.jsontext import parse
from kedge.apiserver.typed.plan import Count, Irregular, plan_of
from kedge.kube.schema import Schema

Empty = tuple[dict[str, Any], str, Any]
"""An empty list or map that was left out: the object it was in, its key, and itself."""

IGNORE: Final = "Ignore"
WARN: Final = "Warn"
STRICT: Final = "Strict"


@dataclass(slots=True)
class Decoded:
    """An object as Go would write it."""

    obj: dict[str, Any]
    strict: list[str] = field(default_factory=list)
    """What strict decoding says: `unknown field "spec.foo"`, `duplicate field "data.a"`."""
    empties: list[Empty] = field(default_factory=list, compare=False)


def decode(schema: Schema, obj: Any, data: bytes | None = None, mode: str = WARN) -> Decoded:
    """Decode a parsed object, which is changed in place; raises GoError.

    `data` is the JSON it was parsed from, if any: it tells doubled keys and the text of numbers.
    """
    count: Count = [0]
    try:
        result = plan_of(schema)(obj, count)
    except Irregular:
        return decode_exactly(schema, obj if data is None else parse(data), mode)
    if data is not None and mode != IGNORE and may_have_doubles(data, count[0]):
        return decode_exactly(schema, parse(data), mode)
    return Decoded(result, [], count[1:]) if len(count) > 1 else Decoded(result)


def decode_exactly(schema: Schema, value: Any, mode: str = WARN) -> Decoded:
    """Decode by the reference."""
    decoder = Decoder()
    result = decoder.decode(schema, value)
    strict = [] if mode == IGNORE else list(decoder.strict.found)
    return Decoded(result, strict, decoder.empties)


def may_have_doubles(data: bytes, keys: int) -> bool:
    r"""Tell whether the text may have a key twice, given how many keys the parsed value has.

    A key ends in `":`. Within a string that can only be `\":`, but for a backslash at its end.
    """
    written = data.count(b'":')
    if written == keys:
        return b'\\":' in data
    return written - data.count(b'\\":') != keys or b'\\\\"' in data
