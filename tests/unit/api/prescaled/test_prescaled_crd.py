"""The CRD of PreScaledCronJobs: what it keeps, refuses, shows, and says."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from kedge.api.crd import crd_of
from kedge.api.plain import from_plain, to_plain
from kedge.api.prescaled.kind import DEFINITION, PRE_SCALED_CRON_JOB

Schema = dict[str, Any]
CRD = crd_of(DEFINITION)
[VERSION] = CRD["spec"]["versions"]
KEPT = "x-kubernetes-preserve-unknown-fields"
EXAMPLE: dict[str, Any] = {
    "apiVersion": "psc.cronprimer.local/v1alpha1",
    "kind": "PreScaledCronJob",
    "metadata": {"name": "report", "namespace": "default"},
    "spec": {
        "warmUpTimeMins": 10,
        "primerSchedule": "50 23 * * *",
        "cronJob": {
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "metadata": {"labels": {"a": "b"}},
            "spec": {
                "schedule": "0 0 * * *",
                "timeZone": "UTC",
                "concurrencyPolicy": "Forbid",
                "suspend": True,
                "jobTemplate": {"spec": {"template": {"spec": {"brandNew": [1, {"a": None}]}}}},
            },
        },
    },
    "status": {
        "conditions": [{"type": "Ready", "status": "True"}],
        "mode": "Static",
        "primerSchedules": ["50 23 * * *"],
        "nextWarmUpTime": "2030-01-01T23:50:00Z",
        "nextRunTime": "2030-01-02T00:00:00Z",
        "lastWarmUpTime": "2029-12-31T23:50:00Z",
        "lastRunTime": "2030-01-01T00:00:00Z",
    },
}


def nodes(schema: Schema, path: str) -> Iterator[tuple[str, Schema]]:
    yield path, schema
    for name, child in schema.get("properties", {}).items():
        yield from nodes(child, f"{path}.{name}")
    if isinstance(schema.get("items"), dict):
        yield from nodes(schema["items"], f"{path}[]")


NODES = dict(nodes(VERSION["schema"]["openAPIV3Schema"], ""))


def test_its_names_are_those_of_the_archived_operator() -> None:
    assert CRD["metadata"] == {"name": "prescaledcronjobs.psc.cronprimer.local"}
    assert CRD["spec"]["group"] == "psc.cronprimer.local"
    assert CRD["spec"]["scope"] == "Namespaced"
    assert VERSION["name"] == "v1alpha1"
    assert VERSION["subresources"] == {"status": {}}
    names = CRD["spec"]["names"]
    assert names["kind"] == "PreScaledCronJob"
    assert (names["plural"], names["shortNames"]) == ("prescaledcronjobs", ["pscj"])


def test_the_columns_are_those_that_were_asked_for() -> None:
    shown = [one["name"] for one in VERSION["additionalPrinterColumns"] if not one.get("priority")]
    assert shown == ["Schedule", "Primer", "Mode", "Next warm-up", "Next run", "Ready", "Age"]
    for column in VERSION["additionalPrinterColumns"]:
        path = re.sub(r"\[[^]]*\]", "[]", column["jsonPath"])
        assert path in NODES or path == ".metadata.creationTimestamp", path
        assert column["type"] == ("date" if column["name"] == "Age" else "string")


@pytest.mark.parametrize(
    "path",
    [".metadata", ".spec", ".spec.jobTemplate", ".spec.jobTemplate.spec", ""],
)
def test_the_cron_job_within_keeps_what_nobody_declared(path: str) -> None:
    assert NODES[f".spec.cronJob{path}"][KEPT] is True


def test_every_field_has_a_sentence() -> None:
    for path, node in NODES.items():
        if path and not path.endswith("[]") and path != ".metadata":
            assert re.fullmatch(r"[A-Z][^\n]*\.", node["description"]), path


def test_what_can_be_seen_is_refused_when_it_is_applied() -> None:
    lead = NODES[".spec.warmUpTimeMins"]
    assert (lead["minimum"], lead["maximum"]) == (0, 10080)
    assert NODES[".spec.cronJob.spec.schedule"]["minLength"] == 1
    assert NODES[".spec.cronJob.spec"]["required"] == ["schedule", "jobTemplate"]
    assert NODES[".spec.cronJob.apiVersion"]["enum"] == ["batch/v1", "batch/v1beta1"]
    ruled = {path for path, node in NODES.items() if "x-kubernetes-validations" in node}
    assert ruled == {
        "",
        ".spec.primerSchedule",
        ".spec.cronJob.spec",
        ".spec.cronJob.spec.schedule",
    }


def test_an_object_is_read_and_written_whole() -> None:
    read = msgspec.json.decode(msgspec.json.encode(EXAMPLE), type=PRE_SCALED_CRON_JOB.model)
    assert to_plain(PRE_SCALED_CRON_JOB, read) == EXAMPLE


def test_a_bare_object_is_read() -> None:
    read = from_plain(PRE_SCALED_CRON_JOB, {"metadata": {"name": "bare"}})
    assert read.spec.cron_job == {}
    assert read.spec.warm_up_time_mins == 0
    assert read.status.conditions is None
