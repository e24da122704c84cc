"""Table rows of custom resources: the name, and a cell for each printer column of the CRD."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from kedge.apiserver.crd.jsonpath import JsonPathError, Values, compile_path
from kedge.apiserver.resource import Column, Object, Printer
from kedge.kube.ages import INVALID, UNKNOWN, human_duration
from kedge.kube.gotext import to_json, to_text
from kedge.kube.times import TimeError, parse_time

Cell = Callable[[Object, datetime], Any]

NAME = Column(
    "Name",
    "string",
    "name",
    "Name must be unique within a namespace. Is required when creating resources, although some "
    "resources may allow a client to request the generation of an appropriate name automatically. "
    "Name is primarily intended for creation idempotence and configuration definition. Cannot be "
    "updated. More info: "
    "https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names",
)
AGE = {
    "name": "Age",
    "type": "date",
    "description": (
        "CreationTimestamp is a timestamp representing the server time when this object was "
        "created. It is not guaranteed to be set in happens-before order across separate "
        "operations. Clients may not set this value. It is represented in RFC3339 form and is in "
        "UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: "
        "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"
    ),
    "jsonPath": ".metadata.creationTimestamp",
}
_PLAIN = "Custom resource definition column (in JSONPath format): "


def printer_of(columns: list[Object] | None) -> Printer:
    """Make the printer of a version; a column that makes no sense ends the row."""
    shown = [NAME]
    cells: list[Cell] = []
    for column in columns or [AGE]:
        try:
            find = compile_path(column.get("jsonPath") or "")
        except JsonPathError:
            break
        shown.append(_described(column))
        cells.append(_cell(column.get("type") or "", find))

    def row(obj: Object, now: datetime) -> list[Any]:
        return [obj["metadata"].get("name", ""), *(cell(obj, now) for cell in cells)]

    return Printer(tuple(shown), row)


def _described(column: Object) -> Column:
    return Column(
        column.get("name") or "",
        column.get("type") or "",
        column.get("format") or "",
        column.get("description") or _PLAIN + (column.get("jsonPath") or ""),
        column.get("priority") or 0,
    )


def _cell(kind: str, find: Callable[[Object], Values]) -> Cell:
    write = _WRITERS[kind]

    def cell(obj: Object, now: datetime) -> Any:
        try:
            values = find(obj)
        except JsonPathError:
            return None
        return write(values[0], now) if values else None

    return cell


def _string(value: Any, now: datetime) -> str:
    if value is None:
        return "<no value>"
    return to_json(value) if isinstance(value, dict | list) else to_text(value)


def _integer(value: Any, now: datetime) -> int | None:
    return int(value) if value.__class__ in (int, float) else None


def _number(value: Any, now: datetime) -> float | None:
    if value.__class__ is float and value.is_integer():
        return int(value)
    return value if value.__class__ in (int, float) else None


def _boolean(value: Any, now: datetime) -> bool | None:
    return value if value.__class__ is bool else None


def _date(value: Any, now: datetime) -> str | None:
    if not isinstance(value, str):
        return None
    if value in ("", "null"):
        return UNKNOWN
    try:
        return human_duration(now - parse_time(value))
    except TimeError:
        return INVALID


_WRITERS: dict[str, Callable[[Any, datetime], Any]] = {
    "string": _string,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
    "date": _date,
}
