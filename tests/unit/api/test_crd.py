"""Our CRDs: whole, described, and never stricter than a stock Velero's where it matters."""

import json
import re
from collections.abc import Iterator
from importlib.resources import files as resources
from typing import Any

import pytest

from kedge.api.crd import DEFINITIONS, crd_of, crds
from kedge.api.part import DURATION_PATTERN
from kedge.kube.durations import DurationError, parse_duration
from tests.unit.api.examples import FULL
from tests.unit.api.stock import schemas
from tools.gen_crds import FOLDER, files

Schema = dict[str, Any]
VELERO = [each for each in DEFINITIONS if each.kind.group == "velero.io"]
CRDS = {crd["spec"]["names"]["plural"]: crd for crd in map(crd_of, VELERO)}


def version_of(plural: str) -> Any:
    [version] = CRDS[plural]["spec"]["versions"]
    return version


def schema_of(plural: str) -> Schema:
    schema: Schema = version_of(plural)["schema"]["openAPIV3Schema"]
    return schema


def nodes(schema: Schema, path: str) -> Iterator[tuple[str, Schema]]:
    yield path, schema
    for name, child in schema.get("properties", {}).items():
        yield from nodes(child, f"{path}.{name}")
    for key, mark in (("items", "[]"), ("additionalProperties", "{}")):
        if isinstance(schema.get(key), dict):
            yield from nodes(schema[key], path + mark)


def test_the_files_are_those_that_the_types_give() -> None:
    found = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()}
    assert found == files(), "run tools/gen_crds.py"


def test_they_are_the_same_at_every_call() -> None:
    assert json.dumps(crds()) == json.dumps(crds())
    names = [crd["metadata"]["name"] for crd in crds()]
    assert names == sorted(names)


def test_a_caller_that_changes_what_it_got_changes_nothing_for_others() -> None:
    crds()[0]["spec"]["versions"][0]["schema"].clear()
    assert crds()[0]["spec"]["versions"][0]["schema"]


@pytest.mark.parametrize("plural", CRDS)
def test_every_kind_has_a_status_subresource_and_the_label_of_velero(plural: str) -> None:
    assert version_of(plural)["subresources"] == {"status": {}}
    assert CRDS[plural]["metadata"]["labels"] == {"component": "velero"}
    assert CRDS[plural]["metadata"]["name"] == f"{plural}.velero.io"


@pytest.mark.parametrize("plural", CRDS)
def test_every_field_has_a_sentence(plural: str) -> None:
    for path, node in nodes(schema_of(plural), plural):
        if path.endswith(("[]", "{}", ".metadata")) and path != f"{plural}.spec.metadata":
            continue
        text = node["description"]
        assert re.fullmatch(r"[A-Z][^\n]*\.", text), path


@pytest.mark.parametrize("plural", CRDS)
def test_every_field_of_a_stock_velero_is_there_and_no_narrower(plural: str) -> None:
    ours = dict(nodes(schema_of(plural), plural))
    for path, theirs in nodes(schemas()[plural], plural):
        mine = ours[path]
        assert mine["type"] == theirs["type"], path
        assert mine.get("format") == theirs.get("format"), path
        assert set(theirs.get("enum", ())) == set(mine.get("enum", ())), path
        assert set(mine.get("required", ())) == set(theirs.get("required", ())), path
        assert mine.get("nullable") or not theirs.get("nullable"), path
        assert mine.get("minItems") == theirs.get("minItems"), path


@pytest.mark.parametrize("plural", CRDS)
def test_beyond_a_stock_velero_there_is_only_what_is_known_of(plural: str) -> None:
    theirs = dict(nodes(schemas()[plural], plural))
    extra = [path for path, _ in nodes(schema_of(plural), plural) if path not in theirs]
    known = {f"{plural}.{name}" for name in ("apiVersion", "kind", "metadata")}
    known.add("podvolumebackups.status.node")  # its column is in a stock CRD, the field is not
    known |= {f"schedules.status.{name}" for name in ("nextRun", "observedGeneration")}
    assert {path for path in extra if not path.startswith("schedules.status.conditions")} <= known


@pytest.mark.parametrize("plural", CRDS)
def test_every_field_is_in_an_example_so_that_servers_are_asked_about_it(plural: str) -> None:
    def told(value: Any, path: str) -> Iterator[str]:
        yield path
        if isinstance(value, dict):
            for name, each in value.items():
                yield from told(each, f"{path}.{name}")
        elif isinstance(value, list):
            for each in value:
                yield from told(each, f"{path}[]")

    seen = set(told(FULL[plural], plural))
    alike = ("resourceModifier.apiGroup", "caCertRef.optional", "spec.pod", "credential.optional")
    for path, _ in nodes(schema_of(plural), plural):
        if not path.endswith("{}") and not any(part in path for part in alike):
            assert path in seen or path == "podvolumebackups.status.node"


def test_conditions_are_told_apart_by_type() -> None:
    conditions = dict(nodes(schema_of("schedules"), ""))[".status.conditions"]
    assert conditions["x-kubernetes-list-type"] == "map"
    assert conditions["x-kubernetes-list-map-keys"] == ["type"]


def test_init_containers_keep_fields_that_nobody_declared() -> None:
    path = ".spec.hooks.resources[].postHooks[].init.initContainers[]"
    assert dict(nodes(schema_of("restores"), ""))[path]["x-kubernetes-preserve-unknown-fields"]


@pytest.mark.parametrize(
    "text", ["0", "0s", "720h0m0s", "1.5h", ".5s", "-1m", "+2m", "3us", "3µs", "1", "1d", "", "1h "]
)
def test_the_pattern_of_durations_takes_what_is_a_duration(text: str) -> None:
    try:
        parse_duration(text)
    except DurationError:
        assert not re.search(DURATION_PATTERN, text)
    else:
        assert re.search(DURATION_PATTERN, text)


@pytest.mark.parametrize("plural", CRDS)
def test_columns_show_fields_that_there_are(plural: str) -> None:
    known = dict(nodes(schema_of(plural), ""))
    columns = version_of(plural)["additionalPrinterColumns"]
    assert len({column["name"] for column in columns}) == len(columns)
    for column in columns:
        path = re.sub(r"\[[^]]*\]", "[]", column["jsonPath"])
        if path.startswith(".metadata."):
            continue
        node = known[path]
        assert column["type"] in (node["type"], "date"), path
        if column["type"] == "date":
            assert node["format"] == "date-time"


def test_times_that_are_yet_to_come_are_shown_as_they_are() -> None:
    """An age is shown for a date, and kubectl shows a negative one as <invalid>."""
    to_come = ("nextRun", "expiration")
    shown = [
        column
        for plural in CRDS
        for column in version_of(plural)["additionalPrinterColumns"]
        if column["jsonPath"].endswith(to_come)
    ]
    assert len(shown) == 3
    assert {column["type"] for column in shown} == {"string"}


def test_short_names_are_those_of_velero_and_no_one_elses() -> None:
    short = [name for each in DEFINITIONS for name in each.short_names]
    assert {"bsl", "ssr", "vsl"} <= set(short)
    assert len(short) == len(set(short))
    table = (resources("kedge.apiserver") / "kinds" / "builtin.json").read_text()
    taken = set(re.findall(r'"([a-z]+)"', " ".join(re.findall(r'"shortNames":\[[^]]*\]', table))))
    assert len(taken) > 20
    plurals = {plural for each in CRDS.values() for plural in (each["spec"]["names"]["singular"],)}
    snapshots = {"vs", "vsc", "vsclass", "vgs", "vgsc"}
    assert not set(short) & (taken | plurals | snapshots | set(CRDS))
