"""YAML as a Kubernetes server reads it: YAML 1.1, keys as text and sorted, one document."""

import binascii
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import yaml

from kedge.kube import base64text
from kedge.kube.goerror import GoError
from kedge.kube.gonumbers import as_json_number
from kedge.kube.gotext import float_text, quote
from kedge.kube.yamlscalars import Dialect, resolve

MAX_DEPTH: Final = 10_000  # go-yaml's limit on nesting
_TAGS: Final = "tag:yaml.org,2002:"
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
# go-yaml's guard against a small text that grows huge through its aliases.
_ALIASES_SEEN, _NODES_SEEN = 100, 1000
_RATIO_FROM, _RATIO_TO = 400_000, 4_000_000


@dataclass(slots=True)
class YamlDocument:
    """The first document of a text, as the JSON that Go makes of it."""

    value: Any = None
    doubled: list[str] = field(default_factory=list)
    """`line 3: key "a" already set in map`, for every key that is there twice."""

    @property
    def strict_error(self) -> str:
        """What a strict reader says of the doubled keys; empty if there are none."""
        if not self.doubled:
            return ""
        return "yaml: unmarshal errors:\n  " + "\n  ".join(self.doubled)


def read_yaml(data: bytes | str, dialect: Dialect = Dialect.V2) -> YamlDocument:
    """Read the first document; raises GoError with go-yaml's words."""
    try:
        return _Reader(dialect).read(yaml.parse(data, Loader=_LOADER))
    except yaml.MarkedYAMLError as exc:
        raise GoError(f"yaml: {_where(exc)}{exc.problem}") from None
    except yaml.reader.ReaderError as exc:
        raise GoError(f"yaml: {exc.reason}") from None


def _where(exc: yaml.MarkedYAMLError) -> str:
    line = exc.problem_mark.line if exc.problem_mark else 0
    if line:
        # go-yaml counts from zero, and corrects it for errors of the scanner only.
        line += isinstance(exc, yaml.scanner.ScannerError)
    elif exc.context_mark:
        line = exc.context_mark.line
    return f"line {line}: " if line else ""


@dataclass(slots=True)
class _Open:
    """A collection that has begun."""

    line: int
    anchor: str | None
    nodes_before: int
    items: list[Any] | None = None
    """Elements of a sequence; None: this is a mapping."""
    entries: dict[tuple[type, Any], Any] = field(default_factory=dict)
    key: Any = None
    has_key: bool = False
    is_merge: bool = False
    merged: set[tuple[type, Any]] = field(default_factory=set)
    """Keys of entries that a key of its own may still replace."""


@dataclass(slots=True)
class _Typed:
    """A mapping before its keys become text; Go tells 1 from "1" among keys."""

    entries: dict[tuple[type, Any], Any]


class _Reader:
    """Turns events into values, without recursion: texts may nest deeper than Python does."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        self.document = YamlDocument()
        self.stack: list[_Open] = []
        self.anchors: dict[str, tuple[Any, int]] = {}
        self.open_anchors: set[str] = set()
        self.nodes = 0
        self.aliased = 0

    def read(self, events: Iterator[Any]) -> YamlDocument:
        for event in events:
            if isinstance(event, yaml.DocumentEndEvent):
                break
            self._take(event)
        self.document.value = _jsonable(self.document.value)
        return self.document

    def _take(self, event: Any) -> None:
        if isinstance(event, yaml.ScalarEvent):
            self.nodes += 1
            self._add(self._scalar(event), event, 1, event.anchor)
        elif isinstance(event, yaml.SequenceStartEvent | yaml.MappingStartEvent):
            self._begin(event)
        elif isinstance(event, yaml.SequenceEndEvent | yaml.MappingEndEvent):
            self._end(event)
        elif isinstance(event, yaml.AliasEvent):
            self._alias(event)

    def _scalar(self, event: Any) -> Any:
        tag, plain = event.tag or "", event.implicit[0]
        if not tag and not plain:
            return event.value
        value = resolve(tag.replace(_TAGS, "!!"), event.value, self.dialect)
        if tag == _TAGS + "binary":
            return _binary(value)
        return value

    def _begin(self, event: Any) -> None:
        if len(self.stack) >= MAX_DEPTH:
            line = event.start_mark.line
            where = f"line {line + 1}: " if line else ""
            raise GoError(f"yaml: {where}exceeded max depth of {MAX_DEPTH}")
        opened = _Open(event.start_mark.line, event.anchor, self.nodes)
        if isinstance(event, yaml.SequenceStartEvent):
            opened.items = []
        self.nodes += 1
        self.stack.append(opened)
        if event.anchor:
            self.open_anchors.add(event.anchor)

    def _end(self, event: Any) -> None:
        closed = self.stack.pop()
        value = closed.items if closed.items is not None else _Typed(closed.entries)
        if closed.anchor:
            self.open_anchors.discard(closed.anchor)
        self._add(value, closed, self.nodes - closed.nodes_before, closed.anchor)

    def _alias(self, event: Any) -> None:
        if event.anchor in self.open_anchors:
            raise GoError(f"yaml: anchor '{event.anchor}' value contains itself")
        if event.anchor not in self.anchors:
            raise GoError(f"yaml: unknown anchor '{event.anchor}' referenced")
        value, size = self.anchors[event.anchor]
        self.nodes += size + 1
        self.aliased += size
        if self.aliased > _ALIASES_SEEN and self.nodes > _NODES_SEEN and self._is_excessive():
            raise GoError("yaml: document contains excessive aliasing")
        self._add(value, event, 0, None)

    def _is_excessive(self) -> bool:
        past = min(max(self.nodes - _RATIO_FROM, 0), _RATIO_TO - _RATIO_FROM)
        return self.aliased / self.nodes > 0.99 - 0.89 * past / (_RATIO_TO - _RATIO_FROM)

    def _add(self, value: Any, place: Any, size: int, anchor: str | None) -> None:
        if anchor:
            self.anchors[anchor] = (value, size)
        line = place.line if isinstance(place, _Open) else place.start_mark.line
        if not self.stack:
            self.document.value = value
            return
        top = self.stack[-1]
        if top.items is not None:
            top.items.append(value)
        elif not top.has_key:
            top.key, top.has_key = value, True
            top.is_merge = value == "<<" and _is_plain(place)
        else:
            top.has_key = False
            self._set(top, value, line)

    def _set(self, top: _Open, value: Any, line: int) -> None:
        if top.is_merge:
            self._merge(top, _mergeable(value), line)
            return
        if isinstance(top.key, list | _Typed):
            raise GoError(f"yaml: invalid map key: {_go_syntax(top.key)}")
        self._put(top, (type(top.key), top.key), value, line)

    def _merge(self, top: _Open, mappings: list[_Typed], line: int) -> None:
        given = set(top.entries)
        for mapping in mappings:
            for key, item in mapping.entries.items():
                if self.dialect is Dialect.V2:
                    self._put(top, key, item, line)
                elif key not in given:
                    top.entries[key] = item
                    top.merged.add(key)

    def _put(self, top: _Open, key: tuple[type, Any], value: Any, line: int) -> None:
        if key in top.merged:
            top.merged.remove(key)
        elif key in top.entries:
            self.document.doubled.append(
                f"line {line + 1}: key {_go_syntax(key[1])} already set in map"
            )
        top.entries[key] = value


def _binary(text: str) -> str:
    try:
        return binascii.a2b_base64(base64text.canonical(text)).decode(errors="replace")
    except GoError:
        raise GoError("yaml: !!binary value contains invalid base64 data") from None


def _is_plain(place: Any) -> bool:
    return isinstance(place, yaml.ScalarEvent) and (
        place.implicit[0] or place.tag == _TAGS + "merge"
    )


def _mergeable(value: Any) -> list[_Typed]:
    mappings = value[::-1] if isinstance(value, list) else [value]
    if not all(isinstance(mapping, _Typed) for mapping in mappings):
        raise GoError("yaml: map merge requires map or sequence of maps as the value")
    return mappings


def _jsonable(root: Any) -> Any:
    """Copy a value into plain JSON: keys as text and sorted, each alias a copy of its own."""
    holder: list[Any] = [None]
    work: list[tuple[Any, Any, Any]] = [(holder, 0, root)]
    while work:
        target, place, value = work.pop()
        if isinstance(value, list):
            copy: Any = [None] * len(value)
            work.extend((copy, index, item) for index, item in enumerate(value))
        elif isinstance(value, _Typed):
            named = {_key_text(key, item): item for (_, key), item in value.entries.items()}
            copy = dict.fromkeys(sorted(named))
            work.extend((copy, key, item) for key, item in named.items())
        else:
            copy = _number(value) if isinstance(value, float) else value
        target[place] = copy
    return holder[0]


def _number(value: float) -> float | int:
    if math.isinf(value) or math.isnan(value):
        text = "NaN" if math.isnan(value) else "+Inf" if value > 0 else "-Inf"
        raise GoError(f"json: unsupported value: {text}")
    return as_json_number(value)


def _key_text(key: Any, value: Any) -> str:
    if isinstance(key, str):
        return key
    if isinstance(key, bool):
        return "true" if key else "false"
    if isinstance(key, int):
        return str(key)
    if isinstance(key, float):
        return _float_key(key)
    raise GoError(
        f"unsupported map key of type: %!s(<nil>), key: <nil>, value: {_go_syntax(value)}"
    )


def _float_key(key: float) -> str:
    if math.isnan(key):
        return ".nan"
    if math.isinf(key):
        return ".inf" if key > 0 else "-.inf"
    return re.sub(r"e([+-])0?(\d)$", r"e\g<1>0\2", float_text(key))


def _go_syntax(value: Any) -> str:
    """Write a value as `%#v` does."""
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "interface {}(nil)"
    if isinstance(value, list):
        return f"[]interface {{}}{{{', '.join(map(_go_syntax, value))}}}"
    if isinstance(value, _Typed):
        pairs = (
            f"{_go_syntax(key)}:{_go_syntax(item)}" for (_, key), item in value.entries.items()
        )
        return f"map[interface {{}}]interface {{}}{{{', '.join(pairs)}}}"
    return float_text(value) if isinstance(value, float) else str(value)
