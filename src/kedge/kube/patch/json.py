"""JSON patch (RFC 6902), with the leniency of the library that Kubernetes uses.

`replace` adds what is not there, `copy` of what is not there gives null, an index may count from
the end, and what stands before the first slash of a path is not looked at.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from kedge.kube.errors import BadRequest
from kedge.kube.gotext import json_kind, quote, to_json
from kedge.kube.refusals import body_too_large, generic

OPERATIONS_LIMIT: Final = 10_000
COPIES_LIMIT: Final = 3 * 1024 * 1024  # what all copies of one patch may add, in bytes

_FIELDS: Final = ("op", "path", "from", "value")
_MISSING: Final[Any] = object()
_INDEX: Final = re.compile("[+-]?[0-9]{1,18}")


class JsonPatchError(Exception):
    """Why an operation does not apply. Kubernetes does not tell it: it is the cause of a 422."""


def check_json_patch(patch: Any, *, strict: bool = True) -> list[str]:
    """Insist on a list of operations, or raise the error; give what strict decoding minds.

    `strict` is field validation other than Ignore.
    """
    prefix, whole, item = "", "jsonpatch.Patch", "jsonpatch.Operation"
    if strict:
        prefix, item = "error decoding patch: ", "handlers.jsonPatchOp"
        whole = f"[]{item}"
    if patch is None:
        return []
    if not isinstance(patch, list):
        raise BadRequest(f"{prefix}{_wrong(patch, 'value', whole)}")
    problems: list[str] = []
    for index, operation in enumerate(patch):
        if not isinstance(operation, dict | None):
            raise BadRequest(f"{prefix}{_wrong(operation, 'value', item)}")
        if strict:
            problems += _field_problems(operation or {}, index)
    if len(patch) > OPERATIONS_LIMIT:
        allowed = f"The allowed maximum operations in a JSON patch is {OPERATIONS_LIMIT}"
        raise body_too_large(f"{allowed}, got {len(patch)}")
    return problems


def _wrong(value: Any, place: str, wanted: str) -> str:
    return f"json: cannot unmarshal {json_kind(value)} into Go {place} of type {wanted}"


def _field_problems(operation: Mapping[str, Any], index: int) -> list[str]:
    for name in _FIELDS[:3]:
        value = operation.get(name)
        if not isinstance(value, str | None):
            told = _wrong(value, f"struct field jsonPatchOp.{name}", "string")
            raise BadRequest(f"error decoding patch: {told}")
    return [
        f"json patch unknown field {quote(f'[{index}].{name}')}"
        for name in operation
        if name not in _FIELDS
    ]


def apply_json_patch(doc: Any, ops: Sequence[Mapping[str, Any] | None] | None) -> Any:
    """Apply the operations in order: all of them, or raise an error (422)."""
    try:
        return _Document(doc).apply(ops or ())
    except JsonPatchError as error:
        raise generic(422, str(error)) from error


class _Spot(NamedTuple):
    """Where a path leads: a container that belongs to the new document, and a key in it."""

    container: Any
    key: str


class _Document:
    """The document while it changes. Containers are copied before the first change in them."""

    def __init__(self, doc: Any) -> None:
        self.root = doc
        self._owned: dict[int, Any] = {}  # by identity, and kept alive by this
        self._copied = 0

    def apply(self, ops: Sequence[Mapping[str, Any] | None]) -> Any:
        """Carry out the operations."""
        verbs: dict[Any, Callable[[Mapping[str, Any]], None]] = {
            "add": self._add,
            "remove": self._remove,
            "replace": self._replace,
            "move": self._move,
            "copy": self._copy,
            "test": self._test,
        }
        for operation in ops:
            kind = operation.get("op") if operation else None
            verb = verbs.get(kind) if isinstance(kind, str) else None
            if operation is None or verb is None:
                raise JsonPatchError(f"Unexpected kind: {kind or 'unknown'}")
            verb(operation)
        return self.root

    def _own(self, value: Any) -> Any:
        """Give a container that may be changed: itself, or a copy."""
        if id(value) in self._owned:
            return value
        copy = value.copy()
        self._owned[id(copy)] = copy
        return copy

    def _find(self, path: str, missing: str, *, own: bool = True) -> _Spot:
        """Follow a path up to its last key; own every container on the way if it will change."""
        parts = [part.replace("~1", "/").replace("~0", "~") for part in path.split("/")[1:]]
        if not parts:
            raise JsonPatchError(f"{missing}: missing value")
        if own:
            self.root = self._own(self.root)
        container = self.root
        for part in parts[:-1]:
            value = _get(container, part, missing)
            if not isinstance(value, dict | list):
                raise JsonPatchError(f"{missing}: missing value")
            if own and (owned := self._own(value)) is not value:
                container[part if isinstance(container, dict) else _index(part)] = owned
                value = owned
            container = value
        return _Spot(container, parts[-1])

    def _add(self, operation: Mapping[str, Any]) -> None:
        path = _text(operation, "path", "add")
        spot = self._find(path, f'add operation does not apply: doc is missing path: "{path}"')
        _put(spot, operation.get("value"), f"error in add for path: '{path}'")

    def _remove(self, operation: Mapping[str, Any]) -> None:
        path = _text(operation, "path", "remove")
        told = f'remove operation does not apply: doc is missing path: "{path}"'
        _take(self._find(path, told), f"error in remove for path: '{path}'")

    def _replace(self, operation: Mapping[str, Any]) -> None:
        path = _text(operation, "path", "replace")
        value = operation.get("value", _MISSING)
        if path == "":
            if value is _MISSING:
                raise JsonPatchError("replace operation has no value")
            # What is no container is let pass, without effect.
            self.root = value if isinstance(value, dict | list) else self.root
            return
        told = "replace operation does not apply: doc is missing"
        container, key = self._find(path, f"{told} path: {path}")
        if isinstance(container, list):
            _get(container, key, f"{told} key: {path}")
        place = key if isinstance(container, dict) else _index(key)
        container[place] = None if value is _MISSING else value

    def _move(self, operation: Mapping[str, Any]) -> None:
        source = _text(operation, "from", "move")
        told = "move operation does not apply: doc is missing"
        value = _take(
            self._find(source, f"{told} from path: {source}"), f"error in move for path: '{source}'"
        )
        path = _text(operation, "path", "move")
        spot = self._find(path, f"{told} destination path: {path}")
        _put(spot, value, f"error in move for path: '{path}'")

    def _copy(self, operation: Mapping[str, Any]) -> None:
        source = _text(operation, "from", "copy")
        told = "copy operation does not apply: doc is missing"
        container, key = self._find(source, f"{told} from path: {source}", own=False)
        value = _get(container, key, f"error in copy for from: '{source}'", absent=None)
        self._disown(value)
        path = _text(operation, "path", "copy")
        spot = self._find(path, f"{told} destination path: {path}")
        self._copied += len(to_json(value).encode()) if value is not None else 0
        if self._copied > COPIES_LIMIT:
            told = f"the accumulated size increase of copy is {self._copied}"
            limit = f"exceeding the limit {COPIES_LIMIT}"
            raise JsonPatchError(f"Unable to complete the copy, {told}, {limit}")
        _put(spot, value, "error while adding value during copy")

    def _disown(self, value: Any) -> None:
        """Give up what is now in two places, so that a change in one copies it first."""
        if isinstance(value, dict | list):
            self._owned.pop(id(value), None)
            for item in value.values() if isinstance(value, dict) else value:
                self._disown(item)

    def _test(self, operation: Mapping[str, Any]) -> None:
        path = _text(operation, "path", "test")
        value = operation.get("value", _MISSING)
        found = self.root
        if path != "":
            told = f"test operation does not apply: is missing path: {path}"
            container, key = self._find(path, told, own=False)
            found = _get(container, key, f"error in test for path: '{path}'", absent=None)
        if value is _MISSING or not _same(found, value):
            raise JsonPatchError(f"testing value {path} failed: test failed")


def _text(operation: Mapping[str, Any], name: str, verb: str) -> str:
    value = operation.get(name)
    if not isinstance(value, str):
        raise JsonPatchError(f"{verb} operation failed to decode {name}: missing value")
    return value


def _index(key: str) -> int:
    if not _INDEX.fullmatch(key):
        raise JsonPatchError(f"strconv.Atoi: parsing {quote(key)}: invalid syntax")
    return int(key)


def _get(container: Any, key: str, told: str, absent: Any = _MISSING) -> Any:
    """Read one step; in a list the index must exist."""
    if isinstance(container, dict):
        return container.get(key, absent)
    return container[_existing(container, key, told)]


def _existing(container: list[Any], key: str, told: str) -> int:
    index = _index(key)
    if not -len(container) <= index < len(container):
        raise JsonPatchError(f"{told}: {_invalid(index)}")
    return index


def _invalid(index: int) -> str:
    return f"Unable to access invalid index: {index}: invalid index referenced"


def _put(spot: _Spot, value: Any, told: str) -> None:
    """Add a field, or insert an item; counted from the end, -1 is behind the last."""
    container, key = spot
    if isinstance(container, dict):
        container[key] = value
    elif key == "-":
        container.append(value)
    else:
        index, places = _index(key), len(container) + 1
        if not -places <= index < places:
            raise JsonPatchError(f"{told}: {_invalid(index)}")
        container.insert(index if index >= 0 else index + places, value)


def _take(spot: _Spot, told: str) -> Any:
    container, key = spot
    if isinstance(container, list):
        return container.pop(_existing(container, key, told))
    if key not in container:
        raise JsonPatchError(f"{told}: Unable to remove nonexistent key: {key}: missing value")
    return container.pop(key)


def _same(one: Any, other: Any) -> bool:
    """Compare as JSON text does: 1, 1.0 and true are three things."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(_same(one[key], other[key]) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(map(_same, one, other))
    return bool(one == other)
