"""Schemas, objects and people that the tests of apply share."""

from typing import Any

from hypothesis import strategies as st

from kedge.kube.apply import Manager, track
from kedge.kube.apply.sets import FieldSet
from kedge.kube.schema import Schema

NOW = "2026-01-02T03:04:05Z"
LATER = "2026-01-02T03:04:06Z"
VERSION = "example.com/v1"

Object = dict[str, Any]


def text(**more: Any) -> Schema:
    return Schema(type="string", **more)


def number(**more: Any) -> Schema:
    return Schema(type="integer", **more)


def struct(go_name: str = "", /, **fields: Schema) -> Schema:
    return Schema(type="object", name=go_name, declared=fields)


def free_map(**more: Any) -> Schema:
    return Schema(type="object", additional=text(), **more)


def list_of(item: Schema, *keys: str, kind: str = "") -> Schema:
    kind = kind or ("map" if keys else "atomic")
    return Schema(type="array", items=item, list_type=kind, list_keys=keys)


def port() -> Schema:
    return struct(port=number(), protocol=text(default="TCP"), name=text())


def widget() -> Schema:
    """A custom resource with a field of every kind."""
    spec = struct(
        size=number(),
        color=text(),
        labels=free_map(),
        whole=free_map(map_type="atomic"),
        args=list_of(text()),
        tags=list_of(text(), kind="set"),
        ports=list_of(port(), "port", "protocol"),
        parts=list_of(struct(name=text(), size=number(), labels=free_map()), "name"),
        nested=struct(a=text(), b=text()),
        anything=Schema(type="object", preserve=True),
    )
    return struct(spec=spec, status=Schema(type="object", preserve=True))


def settings_kind() -> Schema:
    """A built-in kind: a struct that always has a status and its limits."""
    limits = struct("Limits", low=number(), high=number(pointer=True))
    spec = struct("SettingsSpec", limits=limits, mode=text(), items=list_of(text(), kind="set"))
    spec.fields["items"].omit_empty = False
    spec.fields["count"] = number(omit_empty=False)
    meta = struct("ObjectMeta", name=text(), labels=free_map())
    return struct(
        "Settings",
        apiVersion=text(),
        kind=text(),
        metadata=meta,
        spec=spec,
        status=struct("SettingsStatus", phase=text()),
    )


WIDGET = widget()
SETTINGS = settings_kind()


def manager(name: str, **more: Any) -> Manager:
    return Manager(name, VERSION, **more)


def thing(spec: Object | None = None, **more: Any) -> Object:
    obj: Object = {"apiVersion": VERSION, "kind": "Widget", "metadata": {"name": "w"}, **more}
    if spec is not None:
        obj["spec"] = spec
    return obj


def with_entries(obj: Object, entries: list[Any]) -> Object:
    metadata = {name: obj["metadata"][name] for name in obj["metadata"] if name != "managedFields"}
    if entries:
        metadata["managedFields"] = entries
    return {**obj, "metadata": metadata}


def created(obj: Object, who: str = "maker", schema: Schema = WIDGET) -> Object:
    return with_entries(obj, track(None, None, obj, schema, manager(who), NOW))


def updated(old: Object, new: Object, who: str, now: str = LATER) -> Object:
    return with_entries(new, track(None, old, new, WIDGET, manager(who), now))


def owned(obj: Object, who: str, operation: str = "Update") -> FieldSet | None:
    """What a manager owns of an object."""
    for entry in obj["metadata"].get("managedFields", []):
        if entry["manager"] == who and entry["operation"] == operation:
            fields: FieldSet = entry["fieldsV1"]
            return fields
    return None


LETTERS = st.sampled_from(["a", "b", "c"])
MAPS = st.dictionaries(LETTERS, LETTERS, max_size=3)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | LETTERS,
    lambda below: st.lists(below, max_size=2) | st.dictionaries(LETTERS, below, max_size=3),
    max_leaves=5,
)
PORTS = st.lists(
    st.fixed_dictionaries(
        {"port": st.integers(1, 3)},
        optional={"protocol": st.sampled_from(["TCP", "UDP"]), "name": LETTERS},
    ),
    max_size=3,
    unique_by=lambda port: (port["port"], port.get("protocol", "TCP")),
)
PARTS = st.lists(
    st.fixed_dictionaries({"name": LETTERS}, optional={"size": st.integers(0, 2), "labels": MAPS}),
    max_size=3,
    unique_by=lambda part: str(part["name"]),
)
SPECS = st.fixed_dictionaries(
    {},
    optional={
        "size": st.integers(0, 2),
        "color": LETTERS,
        "labels": MAPS,
        "whole": MAPS,
        "args": st.lists(LETTERS, max_size=2),
        "tags": st.lists(LETTERS, max_size=3, unique=True),
        "ports": PORTS,
        "parts": PARTS,
        "nested": st.fixed_dictionaries({}, optional={"a": LETTERS, "b": LETTERS}),
        "anything": st.dictionaries(LETTERS, ANYTHING, max_size=3),
    },
)
WIDGETS = st.builds(thing, SPECS)
