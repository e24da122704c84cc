"""Objects that a JSON patch or a merge patch made: decoded again, and quoted in errors.

A real server patches JSON text. What the patch went into comes out with its keys sorted, what it
left alone stays as Go wrote it; errors quote that text, and the first error is the first in it.
"""

from collections.abc import Iterable
from typing import Any

from kedge.apiserver.kinds.registered import (
    go_package,
    is_registered,
    no_conversion,
    not_registered,
    not_registered_internally,
)
from kedge.apiserver.kinds.schemas import schema_of_kind
from kedge.apiserver.typed.decode import IGNORE, WARN, Decoded, decode
from kedge.apiserver.typed.exact import written
from kedge.apiserver.typed.interpret import Kind, interpret, with_defaults
from kedge.kube.goerror import GoError
from kedge.kube.gotext import Struct, quote, to_json
from kedge.kube.schema import Schema

Path = tuple[str, ...]


def decode_patched(schema: Schema, obj: dict[str, Any], wanted: Kind, mode: str = WARN) -> Decoded:
    """Decode a patched object, which is changed in place; raises GoError.

    The patch may have changed its kind.
    """
    said = interpret(obj)
    if not said.group and not said.version:
        return _decode_internal(obj, said.kind or wanted.kind, wanted, mode)
    told = with_defaults(said, wanted)
    if told == wanted:
        return decode(schema, obj, None, mode)
    if not is_registered(told.api_version, told.kind, wanted.group):
        raise GoError(not_registered(told.api_version, told.kind))
    decoded = decode(schema_of_kind(told.api_version, told.kind) or schema, obj, None, mode)
    if (told.group, told.kind) == (wanted.group, wanted.kind):
        return decoded  # another version of the same kind is converted without a word
    ours = f"{go_package(wanted.group)}.{wanted.kind}"
    raise GoError(no_conversion(told.version, told.kind, ours))


def _decode_internal(obj: dict[str, Any], kind: str, wanted: Kind, mode: str) -> Decoded:
    """Decode an object without a version: it goes into Go's internal type, which has no fields."""
    if kind != wanted.kind:
        if not is_registered(wanted.api_version, kind, wanted.group):
            raise GoError(not_registered_internally(wanted.group, kind))
        package = go_package(wanted.group)
        raise GoError(
            f"converting ({package}.{kind}) to ({package}.{wanted.kind}): unknown conversion"
        )
    unknown = [f"unknown field {quote(name)}" for name in obj if name not in {"kind", "apiVersion"}]
    return Decoded({}, [] if mode == IGNORE else unknown)


def in_go_order(schema: Schema, obj: dict[str, Any]) -> dict[str, Any]:
    """Copy a decoded object with its fields in the order in which Go writes them."""
    ordered: dict[str, Any] = written(schema, obj)
    return ordered


def patched_text(obj: dict[str, Any], touched: Iterable[Path]) -> str:
    """Write a patched object, which was made from one in Go's order."""
    return to_json(_arranged(obj, (), set(touched)))


def arranged(obj: dict[str, Any], touched: Iterable[Path]) -> dict[str, Any]:
    """Copy a patched object with its keys in the order of its text."""
    result: dict[str, Any] = _arranged(obj, (), set(touched))
    return result


def _arranged(value: Any, path: Path, touched: set[Path]) -> Any:
    if isinstance(value, dict):
        names = sorted(value) if path in touched else value
        return Struct({name: _arranged(value[name], (*path, name), touched) for name in names})
    if isinstance(value, list):
        return [_arranged(item, (*path, str(index)), touched) for index, item in enumerate(value)]
    return value


def touched_by_merge(patch: Any) -> set[Path]:
    """Tell where a merge patch goes: into every object that it has itself."""
    found: set[Path] = set()

    def walk(value: Any, path: Path) -> None:
        if isinstance(value, dict):
            found.add(path)
            for name, item in value.items():
                walk(item, (*path, name))
        elif isinstance(value, list):
            for index, item in enumerate(value):
                walk(item, (*path, str(index)))

    walk(patch, ())
    return found


def touched_by_operations(operations: Iterable[dict[str, Any]]) -> set[Path]:
    """Tell where a JSON patch goes: into all that its pointers lead through."""
    found: set[Path] = {()}
    for operation in operations:
        pointers = [operation.get("path")]
        if operation.get("op") in {"move", "copy"}:
            pointers.append(operation.get("from"))
        for pointer in pointers:
            if isinstance(pointer, str):
                steps = [
                    step.replace("~1", "/").replace("~0", "~") for step in pointer.split("/")[1:]
                ]
                found.update(tuple(steps[:length]) for length in range(len(steps)))
    return found
