"""Objects of the API on stdout: a table like kubectl's, JSON, YAML, or names."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import click

from kedge.api.velero.group import GROUP as VELERO
from kedge.cli.flags import list_option, switch
from kedge.cli.instants import now
from kedge.cli.output import encoded, write
from kedge.cli.screen import visible
from kedge.cli.tabs import aligned

if TYPE_CHECKING:
    from kedge.kube.kind import Kind, Object

T = TypeVar("T")

FORMATS = ("table", "json", "yaml", "name")
NONE = "<none>"
PADDING, MINIMUM = 3, 6
"""Between columns, and of one column: as kubectl has it."""


class Column(NamedTuple):
    """One column of a table."""

    header: str
    cell: Callable[[Object, datetime], str]


@dataclass(frozen=True, slots=True)
class Form:
    """How objects are to be printed."""

    output: str
    """Empty: they are not to be printed, but sent."""
    label_columns: Sequence[str] = ()
    show_labels: bool = False


def output_options(text: str, default: str = "table") -> Callable[[Any], Any]:
    """Add -o, -L and --show-labels, and hand them over as one `Form`."""

    def add(callback: Any) -> Any:
        @click.option(
            "-o",
            "--output",
            type=click.Choice(FORMATS),
            default=default or None,
            show_default=bool(default),
            help=text,
        )
        @list_option("-L", "--label-columns", help="Labels to show as columns of the table.")
        @switch("--show-labels", help="Show all labels in the last column of the table.")
        @wraps(callback)
        def parsed(output: str | None, label_columns: Any, show_labels: bool, **rest: Any) -> None:
            callback(form=Form(output or "", label_columns, bool(show_labels)), **rest)

        return parsed

    return add


def print_objects(
    kind: Kind[Any],
    columns: Sequence[Column],
    objects: Sequence[Object],
    form: Form,
    *,
    namespaces: bool = False,
) -> None:
    """Print objects; one alone is printed as itself, several as a list."""
    if form.output == "name":
        write("".join(f"{kind.name.lower()}.{kind.group}/{name_of(one)}\n" for one in objects))
    elif form.output in ("json", "yaml"):
        write(encoded(_document(kind, objects), form.output))
    elif objects:
        write(table(columns, objects, form, namespaces=namespaces))


def table(
    columns: Sequence[Column], objects: Sequence[Object], form: Form, *, namespaces: bool = False
) -> str:
    """Draw the table, with the namespace first where that is asked for. Ends with a newline."""
    present = now()
    shown = list(columns)
    if namespaces:
        shown.insert(0, Column("Namespace", lambda one, _: _meta(one, "namespace")))
    for label in form.label_columns:
        shown.append(Column(label.rpartition("/")[2], _label(label)))
    if form.show_labels:
        shown.append(Column("Labels", lambda one, _: labels_text(one)))
    lines = [[column.header.upper() for column in shown]]
    lines += [[_cell(column.cell(one, present)) for column in shown] for one in objects]
    text = "".join("\t".join(line) + "\n" for line in lines)
    return aligned(text, padding=PADDING, minimum=MINIMUM)


def part(obj: Object, *path: str) -> Any:
    """Look deep into an object, of which any part may be missing."""
    found: Any = obj
    for name in path:
        found = found.get(name) if isinstance(found, Mapping) else None
    return found


def name_of(obj: Object) -> str:
    """Give the name of an object."""
    return str(part(obj, "metadata", "name") or "")


def labels_text(obj: Object) -> str:
    """Write all labels of an object, sorted."""
    labels = part(obj, "metadata", "labels") or {}
    return ",".join(f"{key}={labels[key]}" for key in sorted(labels)) or NONE


def time_text(text: str | None, absent: str) -> str:
    """Write a time of the API as Go prints one: `2026-03-27 12:00:00 +0000 UTC`."""
    instant = instant_in(text)
    if instant is None:
        return text or absent
    return instant.astimezone(UTC).isoformat(" ", "seconds")[:19] + " +0000 UTC"


def instant_in(text: str | None) -> datetime | None:
    """Read a time of the API; None where there is none, or none that can be read."""
    from kedge.kube.times import TimeError, parse_time

    try:
        return parse_time(text) if text else None
    except TimeError:
        return None


def distance_text(text: str | None, present: datetime) -> str:
    """Write how far away a time of the API is: `3h ago`, `29d`, or `n/a`."""
    from kedge.kube.ages import short_duration

    instant = instant_in(text)
    if instant is None:
        return "n/a"
    elapsed = present - instant
    if elapsed < timedelta(0):
        return short_duration(-elapsed)
    return f"{short_duration(elapsed)} ago"


def duration_text(text: str) -> str:
    """Write a duration of the API as Go prints one; none is `0s`."""
    from kedge.kube.durations import DurationError, format_duration, parse_duration

    try:
        return format_duration(parse_duration(text or "0s"))
    except DurationError:
        return text


def selector_text(selector: Mapping[str, Any] | None) -> str:
    """Write a LabelSelector as text, as kubectl does."""
    from kedge.kube.requirements import SelectorError
    from kedge.kube.selectors import from_object

    try:
        return str(from_object(selector or {})) or NONE
    except SelectorError:
        return "<error>"


def read_typed(kind: Kind[T], obj: Object) -> T:
    """Read an object into its type, or fail with what does not fit."""
    import msgspec

    from kedge.api.plain import from_plain
    from kedge.cli.errors import Failure

    try:
        return from_plain(kind, obj)
    except msgspec.ValidationError as exc:
        name = name_of(obj)
        mend = f"mend it with `kubectl edit {kind} {name}`"
        raise Failure(f'{kind.name} "{name}" is not one that can be read: {exc}; {mend}') from exc


def _document(kind: Kind[Any], objects: Sequence[Object]) -> Object:
    # An item of a list says what it is, as one that stands alone must.
    head = {"apiVersion": kind.api_version, "kind": kind.name}
    items = [head | without_book(one) for one in objects]
    if len(items) == 1:
        return items[0]
    if kind.group == VELERO:  # as its own command calls them
        return head | {"kind": f"{kind.name}List", "metadata": {}, "items": items}
    # As kubectl prints it. To take a list of one kind back, kubectl has to read CRDs, which people
    # without rights on the cluster may not.
    return {"apiVersion": "v1", "kind": "List", "metadata": {}, "items": items}


def without_book(obj: Object) -> Object:
    """Leave out the server's book of who set which field: longer than all the rest."""
    meta = obj.get("metadata")
    if not isinstance(meta, Mapping):
        return obj
    kept = {name: value for name, value in meta.items() if name != "managedFields"}
    return {**obj, "metadata": kept}


def _label(key: str) -> Callable[[Object, datetime], str]:
    return lambda one, _: part(one, "metadata", "labels", key) or NONE


def _meta(obj: Object, field: str) -> str:
    return str(part(obj, "metadata", field) or "")


def _cell(text: str) -> str:
    return visible(text, sys.stdout)
