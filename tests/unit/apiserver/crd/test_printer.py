from datetime import UTC, datetime
from typing import Any

import pytest

from kedge.apiserver.crd.jsonpath import JsonPathError, compile_path
from kedge.apiserver.crd.printer import printer_of

NOW = datetime(2026, 1, 2, tzinfo=UTC)
OBJECT: dict[str, Any] = {
    "metadata": {"name": "a", "creationTimestamp": "2026-01-01T00:00:00Z"},
    "spec": {
        "n": 3,
        "f": 1.5,
        "b": True,
        "s": "text",
        "none": None,
        "l": ["x", "y", "z"],
        "m": {"b": 2, "a": 1},
        "a.b": "dotted",
    },
    "status": {
        "conditions": [
            {"type": "Ready", "status": "True", "n": 1},
            {"type": "Other", "status": "False", "n": 2},
        ]
    },
}


def column(path: str, kind: str = "string", **more: Any) -> dict[str, Any]:
    return {"name": "C", "type": kind, "jsonPath": path, **more}


def cell(path: str, kind: str = "string") -> Any:
    return printer_of([column(path, kind)]).cells(OBJECT, NOW)[1]


@pytest.mark.parametrize(
    ("path", "kind", "expected"),
    [
        (".spec.n", "integer", 3),
        (".spec.f", "integer", 1),
        (".spec.f", "number", 1.5),
        (".spec.n", "number", 3),
        (".spec.b", "boolean", True),
        (".spec.s", "boolean", None),
        (".spec.n", "string", "3"),
        (".spec.b", "string", "true"),
        (".spec.l", "string", '["x","y","z"]'),
        (".spec.m", "string", '{"a":1,"b":2}'),
        (".spec.none", "string", "<no value>"),
        (".spec.none", "integer", None),
        (".spec.missing", "string", None),
        (".metadata.creationTimestamp", "date", "24h"),
        (".spec.s", "date", "<invalid>"),
        (".spec.n", "date", None),
    ],
)
def test_a_cell_has_the_type_of_its_column(path: str, kind: str, expected: Any) -> None:
    assert cell(path, kind) == expected


def test_a_row_begins_with_the_name_and_ends_with_the_age_by_default() -> None:
    printer = printer_of(None)
    assert [(one.name, one.type, one.format) for one in printer.columns] == [
        ("Name", "string", "name"),
        ("Age", "date", ""),
    ]
    assert printer.cells(OBJECT, NOW) == ["a", "24h"]


def test_a_column_without_a_description_tells_its_path() -> None:
    printer = printer_of([column(".a"), column(".b", description="B", priority=1, format="int32")])
    assert printer.columns[1].description == (
        "Custom resource definition column (in JSONPath format): .a"
    )
    assert (printer.columns[2].description, printer.columns[2].priority) == ("B", 1)


def test_a_path_that_makes_no_sense_ends_the_row() -> None:
    printer = printer_of([column(".spec.s"), column(".a[x]"), column(".spec.n")])
    assert printer.cells(OBJECT, NOW) == ["a", "text"]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ('.status.conditions[?(@.type=="Ready")].status', ["True"]),
        (".status.conditions[?(@.n>1)].type", ["Other"]),
        (".status.conditions[?(@.missing)]", []),
        (".status.conditions[?(@.n)].n", [1, 2]),
        (".spec.l[0]", ["x"]),
        (".spec.l[-1]", ["z"]),
        (".spec.l[0:2]", ["x", "y"]),
        (".spec.l[*]", ["x", "y", "z"]),
        (".spec.l[0,2]", ["x", "z"]),
        (".spec.m.*", [1, 2]),
        (".spec['n']", [3]),
        (".spec.a\\.b", ["dotted"]),
        ("..n", [3, 1, 2]),
        ("$.spec.n", [3]),
        (".", []),
    ],
)
def test_json_paths_find_what_kubectl_finds(path: str, expected: list[Any]) -> None:
    found = compile_path(path)(OBJECT)
    assert (sorted(map(str, found)) if ".." in path else found) == (
        sorted(map(str, expected)) if ".." in path else expected
    )


@pytest.mark.parametrize("path", [".a[", ".a[b]", ".a[?(@.x", "....a", ".a[?(@.x=1)]", "#", ".a{"])
def test_malformed_paths_are_refused(path: str) -> None:
    with pytest.raises(JsonPathError):
        compile_path(path)


@pytest.mark.parametrize("path", [".spec.l[9]", ".spec.s[0]", '.spec.s[?(@.x=="y")]'])
def test_paths_that_do_not_fit_the_object_fail(path: str) -> None:
    with pytest.raises(JsonPathError):
        compile_path(path)(OBJECT)
    assert cell(path) is None
