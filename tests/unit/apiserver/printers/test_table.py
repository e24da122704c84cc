"""Tables of the built-in kinds, compared with what a real server printed (see record.py)."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from kedge.apiserver.kinds.table import builtin
from kedge.apiserver.printers import printer_for
from kedge.apiserver.resource import Object, Printer

DATA = Path(__file__).parent / "data"
ENTRIES: list[dict[str, Any]] = [
    json.loads(line)
    for file in sorted(DATA.glob("*.jsonl"))
    for line in file.read_text().splitlines()
]
WITHOUT_COLUMNS = {
    "ClusterRole",
    "CSIStorageCapacity",
    "CustomResourceDefinition",
    "LimitRange",
    "Role",
}
NOW = datetime(2024, 5, 1, 12, tzinfo=UTC)


def printer_of(obj: Object) -> Printer | None:
    group, _, version = obj["apiVersion"].rpartition("/")
    return printer_for(group, version, obj["kind"])


def row(kind: str, obj: Object) -> list[Any]:
    printer = printer_for(*kind.split("/"))
    assert printer is not None
    return printer.cells({"metadata": {"name": "n"}, **obj}, NOW)


@pytest.mark.parametrize(
    "entry",
    [
        pytest.param(entry, id=f"{entry['kind']}: {entry['case']}")
        for entry in ENTRIES
        if entry["object"]["kind"] not in WITHOUT_COLUMNS
    ],
)
def test_cells_are_those_of_a_real_server(entry: dict[str, Any]) -> None:
    printer = printer_of(entry["object"])
    assert printer is not None
    cells = printer.cells(entry["object"], datetime.fromisoformat(entry["now"]))
    assert cells == entry["cells"]
    assert [type(cell) for cell in cells] == [type(cell) for cell in entry["cells"]]


def test_every_kind_that_can_be_listed_was_recorded() -> None:
    listed = {
        (one.group, one.version, one.kind) for one in builtin().resources if "list" in one.verbs
    }
    assert listed <= {tuple(entry["kind"].split("/")) for entry in ENTRIES}


def test_only_kinds_without_columns_of_their_own_have_no_printer() -> None:
    found = {
        one.kind
        for one in builtin().resources
        if "list" in one.verbs and printer_for(one.group, one.version, one.kind) is None
    }
    assert found == WITHOUT_COLUMNS


def test_a_kind_that_is_not_built_in_has_no_printer() -> None:
    assert printer_for("example.com", "v1", "Pod") is None


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: f"{entry['kind']}: {entry['case']}")
def test_there_is_a_cell_for_each_column(entry: dict[str, Any]) -> None:
    printer = printer_of(entry["object"])
    extra = 1 if entry["object"]["kind"] == "IPAddress" else 0  # its age has no column
    assert printer is None or len(entry["cells"]) == len(printer.columns) + extra


def test_columns_have_their_descriptions_and_priorities() -> None:
    printer = printer_for("", "v1", "Pod")
    assert printer is not None
    assert [(column.name, column.priority) for column in printer.columns] == [
        ("Name", 0),
        ("Ready", 0),
        ("Status", 0),
        ("Restarts", 0),
        ("Age", 0),
        ("IP", 1),
        ("Node", 1),
        ("Nominated Node", 1),
        ("Readiness Gates", 1),
    ]
    name, ready = printer.columns[:2]
    assert (name.type, name.format) == ("string", "name")
    assert name.description.startswith("Name must be unique within a namespace. ")
    assert ready.description == ("The aggregate readiness state of this pod for accepting traffic.")


@pytest.mark.parametrize(
    ("conditions", "told"),
    [
        pytest.param([], "Unknown", id="not asked yet"),
        pytest.param(
            [{"type": "Available", "status": "True", "reason": "Passed"}], "True", id="yes"
        ),
        pytest.param([{"type": "Available", "status": "False"}], "False", id="no"),
        pytest.param(
            [{"type": "Available", "status": "False", "reason": "MissingEndpoints"}],
            "False (MissingEndpoints)",
            id="no, for a reason",
        ),
        pytest.param([{"type": "Other", "status": "True"}], "Unknown", id="another condition"),
    ],
)
def test_an_api_service_tells_whether_it_is_available(conditions: list[Object], told: str) -> None:
    obj = {"spec": {}, "status": {"conditions": conditions}}
    assert row("apiregistration.k8s.io/v1/APIService", obj)[2] == told


BAD_SELECTOR = {"matchExpressions": [{"key": "a", "operator": "Near"}]}


@pytest.mark.parametrize(
    ("kind", "told"), [("apps/v1/Deployment", "<invalid>"), ("apps/v1/ReplicaSet", "<error>")]
)
def test_a_selector_that_makes_no_sense_is_not_an_error(kind: str, told: str) -> None:
    assert row(kind, {"spec": {"selector": BAD_SELECTOR}})[-1] == told


def test_a_metric_of_an_unknown_type_is_told_as_such() -> None:
    obj = {"spec": {"metrics": [{"type": "Weather"}]}}
    assert row("autoscaling/v2/HorizontalPodAutoscaler", obj)[2] == "<unknown type>"


def test_a_component_that_says_nothing_is_unknown() -> None:
    assert row("/v1/ComponentStatus", {}) == ["n", "Unknown", "", ""]
