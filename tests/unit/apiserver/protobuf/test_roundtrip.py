"""Objects of any built-in kind come back from protobuf as they went in."""

import base64
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kedge.apiserver.kinds.schemas import schema_of
from kedge.apiserver.kinds.table import Node, builtin
from kedge.apiserver.protobuf.decode import read_message
from kedge.apiserver.protobuf.envelope import open_envelope, seal
from kedge.apiserver.protobuf.message import form_of, is_message
from kedge.apiserver.typed.decode import decode
from kedge.kube.times import format_micro_time, format_time

DEPTH = 7
"""Deep enough for the probe of a container of a template of a job of a CronJob."""
KINDS = [
    (resource.group_version, resource.kind, resource.type)
    for resource in builtin().resources
    if is_message(resource.type)
]

TEXTS = st.text(max_size=140)
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TIMES = st.timedeltas(timedelta(days=-700_000), timedelta(days=2_900_000)).map(EPOCH.__add__)
SCALARS = TEXTS | st.booleans() | st.integers(-(2**53), 2**53)
JSON = st.dictionaries(TEXTS, SCALARS | st.lists(SCALARS, max_size=2), min_size=1, max_size=2)
FORMS: dict[str, st.SearchStrategy[Any]] = {
    "time": TIMES.map(format_time),
    "microtime": TIMES.map(format_micro_time),
    "quantity": st.sampled_from(["0", "1", "500m", "-3", "2Gi", "1500", "100n", "12e6"]),
    "int-or-string": TEXTS | st.integers(-(2**31), 2**31 - 1),
    "raw": JSON,
    "fields": JSON,
    "json": JSON | SCALARS,
}
PLAIN: dict[tuple[str, str], st.SearchStrategy[Any]] = {
    ("string", ""): TEXTS,
    ("string", "byte"): st.binary(max_size=140).map(base64.b64encode).map(bytes.decode),
    ("boolean", ""): st.booleans(),
    ("integer", "int32"): st.integers(-(2**31), 2**31 - 1),
    ("integer", "int64"): st.integers(-(2**63), 2**63 - 1),
    ("number", "double"): st.floats(allow_nan=False, allow_infinity=False, width=32),
}


def value(draw: Callable[[Any], Any], node: Node, depth: int) -> Any:
    """Make a value for one place."""
    if node.type == "array":
        assert node.items is not None
        return [value(draw, node.items, depth) for _ in range(draw(st.integers(1, 2)))]
    if node.type == "map":
        assert node.items is not None
        keys = draw(st.lists(TEXTS, min_size=1, max_size=2, unique=True))
        return {key: value(draw, node.items, depth) for key in keys}
    if node.type != "ref":
        return draw(PLAIN[node.type, node.format])
    form = form_of(node.ref)
    if form in FORMS:
        return draw(FORMS[form])
    schema = struct(draw, SCHEMA, depth - 1)
    if form == "schema-or-bool":
        return draw(st.sampled_from([True, False, schema]))
    if form == "schema-or-array":
        return draw(st.sampled_from([schema, [schema]]))
    if form == "schema-or-strings":
        return draw(st.sampled_from([schema, ["a", ""]]))
    return struct(draw, node.ref, depth - 1)


SCHEMA = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps"


def struct(draw: Callable[[Any], Any], component: str, depth: int) -> dict[str, Any]:
    """Make an object of a type; a few of its fields are set."""
    fields = builtin().type(component).fields
    names = [name for name in fields if name not in {"kind", "apiVersion"}]
    if depth <= 0 or not names:
        return {}
    chosen = draw(st.lists(st.sampled_from(names), max_size=3, unique=True))
    return {name: value(draw, fields[name], depth) for name in chosen}


@st.composite
def objects(draw: Callable[[Any], Any]) -> tuple[str, dict[str, Any]]:
    """Make an object as the server keeps it, with the name of its type."""
    api_version, kind, component = draw(st.sampled_from(KINDS))
    obj = {"kind": kind, "apiVersion": api_version, **struct(draw, component, DEPTH)}
    return component, decode(schema_of(component), obj).obj


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(objects())
def test_an_object_comes_back_as_it_went_in(made: tuple[str, dict[str, Any]]) -> None:
    component, obj = made
    envelope = open_envelope(seal(obj))
    names = {"kind": envelope.kind, "apiVersion": envelope.api_version}
    read = read_message(component, envelope.message, names)
    assert decode(schema_of(component), read).obj == obj
