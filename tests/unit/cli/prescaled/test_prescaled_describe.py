from typing import Any

import click
import pytest

from kedge.cli.prescaled.describe import description
from kedge.cli.prescaled.kind import CRON_JOBS, PRESCALED
from kedge.cli.prescaled.reference import reference
from tests.unit.cli.conftest import NOW


def described(obj: dict[str, Any]) -> str:
    with click.Context(click.Command("x")):
        return description(obj, NOW)


WHOLE: dict[str, Any] = {
    "metadata": {
        "name": "report",
        "namespace": "shop",
        "labels": {"team": "red"},
        "creationTimestamp": "2026-03-01T00:00:00Z",
    },
    "spec": {
        "warmUpTimeMins": 90,
        "cronJob": {
            "spec": {
                "schedule": "0-15 0 * * *",
                "timeZone": "Europe/Amsterdam",
                "jobTemplate": {},
            }
        },
    },
    "status": {
        "mode": "Static",
        "primerSchedules": ["50-59 23 * * *", "0-5 0 * * *"],
        "nextWarmUpTime": "2026-03-27T22:50:00Z",
        "nextRunTime": "2026-03-27T23:00:00Z",
        "lastWarmUpTime": "2026-03-26T23:05:00Z",
        "conditions": [
            {
                "type": "Ready",
                "status": "True",
                "reason": "Scheduled",
                "message": "Warm-ups start as planned",
                "lastTransitionTime": "2026-03-01T00:00:01Z",
            }
        ],
    },
}


def test_all_that_is_known_is_told() -> None:
    assert described(WHOLE) == (
        "Name:         report\n"
        "Namespace:    shop\n"
        "Labels:       team=red\n"
        "Annotations:  <none>\n"
        "\n"
        "Ready:  True\n"
        "\n"
        "Schedule:            0-15 0 * * *\n"
        "Time Zone:           Europe/Amsterdam\n"
        "Lead:                1h 30m\n"
        "Suspended:           false\n"
        "Concurrency Policy:  Allow\n"
        "\n"
        "Mode:      Static\n"
        "CronJobs:  autogen-report    50-59 23 * * *\n"
        "           autogen-report-2  0-5 0 * * *\n"
        "\n"
        "Next Warm-Up:  2026-03-27 22:50:00 +0000 UTC (in 10h 50m)\n"
        "Next Run:      2026-03-27 23:00:00 +0000 UTC (in 11h)\n"
        "Last Warm-Up:  2026-03-26 23:05:00 +0000 UTC\n"
        "Last Run:      <never>\n"
        "\n"
        "Conditions:\n"
        "  Type   Status  Reason     Since                          Message\n"
        "  Ready  True    Scheduled  2026-03-01 00:00:01 +0000 UTC  Warm-ups start as planned\n"
    )


def test_what_is_wrong_is_told_first() -> None:
    condition = {"type": "Ready", "status": "False", "reason": "InvalidSchedule", "message": "bad"}
    spec = {"primerSchedule": "x", "cronJob": {"spec": {"schedule": "y", "suspend": True}}}
    obj = {"metadata": {"name": "a"}, "spec": spec, "status": {"conditions": [condition]}}
    assert described(obj) == (
        "Name:         a\n"
        "Namespace:    \n"
        "Labels:       <none>\n"
        "Annotations:  <none>\n"
        "\n"
        "Ready:  False\n"
        "\n"
        "Reason:  bad\n"
        "\n"
        "Schedule:            y\n"
        "Time Zone:           <none>\n"
        "Primer Schedule:     x\n"
        "Suspended:           true\n"
        "Concurrency Policy:  Allow\n"
        "\n"
        "Mode:      <none>\n"
        "CronJobs:  <none>\n"
        "\n"
        "Next Warm-Up:  <none>\n"
        "Next Run:      <none>\n"
        "Last Warm-Up:  <never>\n"
        "Last Run:      <never>\n"
        "\n"
        "Conditions:\n"
        "  Type   Status  Reason           Since      Message\n"
        "  Ready  False   InvalidSchedule  <unknown>  bad\n"
    )


@pytest.mark.parametrize("obj", [{}, {"metadata": None, "spec": None}, {"spec": {"cronJob": 1}}])
def test_an_object_of_which_parts_are_missing_is_described_all_the_same(
    obj: dict[str, Any],
) -> None:
    assert "Ready:  Unknown\n" in described(obj)


@pytest.mark.parametrize(
    ("text", "kind", "name"),
    [
        ("a", PRESCALED, "a"),
        ("pscj/a", PRESCALED, "a"),
        ("PreScaledCronJob/a", PRESCALED, "a"),
        ("prescaledcronjobs.psc.cronprimer.local/a", PRESCALED, "a"),
        ("cj/a", CRON_JOBS, "a"),
        ("cronjob/a", CRON_JOBS, "a"),
        ("cronjobs.batch/a", CRON_JOBS, "a"),
    ],
)
def test_a_name_may_have_its_kind_in_front(text: str, kind: Any, name: str) -> None:
    assert reference(text, PRESCALED) == (kind, name)
