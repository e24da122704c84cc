"""Tables: what kubectl get shows, made by the server."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from kedge.aio.clock import Clock
from kedge.apiserver.call import Call
from kedge.apiserver.resource import Column, Object, Printer
from kedge.kube.errors import BadRequest
from kedge.kube.fielderror import invalid as invalid_field

Bare = Callable[[Object], Object]
INCLUDED = ("", "Metadata", "Object", "None")
NEVER = "0001-01-01T00:00:00Z"
"""The zero time of Go."""
NAME_TEXT = (
    "Name must be unique within a namespace. Is required when creating resources, although some "
    "resources may allow a client to request the generation of an appropriate name automatically. "
    "Name is primarily intended for creation idempotence and configuration definition. Cannot be "
    "updated. More info: "
    "https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names"
)
CREATED_TEXT = (
    "CreationTimestamp is a timestamp representing the server time when this object was created. "
    "It is not guaranteed to be set in happens-before order across separate operations. Clients "
    "may not set this value. It is represented in RFC3339 form and is in UTC.\n\nPopulated by the "
    "system. Read-only. Null for lists. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"
)


class Tables:
    """Draws Tables; ages are relative to the clock."""

    def __init__(self, clock: Clock) -> None:
        """Use this clock."""
        self.clock = clock

    def table(self, call: Call, objects: list[Object], meta: Object) -> Object:
        """Give a Table with a row for each object."""
        printer = call.resource.printer or PLAIN
        included = included_of(call)
        now = self.clock.now()
        if printer.order is not None:
            objects = sorted(objects, key=printer.order)
        bare = call.resource.strategy.bare
        version = f"meta.k8s.io/{call.accept.version}"
        rows = [self._row(printer, obj, (included, version), now, bare) for obj in objects]
        return {
            "kind": "Table",
            "apiVersion": version,
            "metadata": meta,
            "columnDefinitions": [_definition(column) for column in printer.columns],
            "rows": rows,
        }

    def _row(
        self, printer: Printer, obj: Object, form: tuple[str, str], now: datetime, bare: Bare
    ) -> Object:
        included, version = form
        row: Object = {"cells": printer.cells(obj, now)}
        if printer.conditions is not None and (conditions := printer.conditions(obj)):
            row["conditions"] = conditions
        if included == "None":
            row["object"] = None
        elif included == "Object":
            row["object"] = obj
        else:
            row["object"] = {
                "kind": "PartialObjectMetadata",
                "apiVersion": version,
                "metadata": bare(obj["metadata"]),
            }
        return row


def included_of(call: Call) -> str:
    """Tell what of the objects goes into the rows; raises BadRequest."""
    included = call.query.text("includeObject")
    if included not in INCLUDED:
        detail = "must be 'Metadata', 'Object', 'None', or empty"
        error = invalid_field("includeObject", included, detail)
        raise BadRequest(f"Unable to convert to Table as requested: {error}")
    return included


def _definition(column: Column) -> dict[str, Any]:
    return {
        "name": column.name,
        "type": column.type,
        "format": column.format,
        "description": column.description,
        "priority": column.priority,
    }


def _plain_cells(obj: Object, now: datetime) -> list[Any]:
    meta = obj["metadata"]
    return [meta.get("name", ""), meta.get("creationTimestamp", NEVER)]


PLAIN = Printer(
    (Column("Name", "string", "name", NAME_TEXT), Column("Created At", "date", "", CREATED_TEXT)),
    _plain_cells,
)
