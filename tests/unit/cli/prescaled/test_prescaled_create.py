import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.unit.cli.conftest import Run

BASE = ("prescaled", "create", "report", "--schedule", "0 8 * * 1-5", "--image", "shop/report:1")
CRON_JOB = {
    "apiVersion": "batch/v1",
    "kind": "CronJob",
    "metadata": {"name": "report", "labels": {"team": "red"}},
    "spec": {
        "schedule": "0 8 * * 1-5",
        "jobTemplate": {"spec": {"template": {"spec": {"containers": []}}}},
    },
}


def made(kedge: Run, *args: str) -> dict[str, Any]:
    result = kedge(*args, "-o", "json")
    assert (result.exit_code, result.stderr) == (0, "")
    document: dict[str, Any] = json.loads(result.stdout)
    return document


def test_the_least_that_is_needed(kedge: Run) -> None:
    assert made(kedge, *BASE, "--lead", "10m") == {
        "apiVersion": "psc.cronprimer.local/v1alpha1",
        "kind": "PreScaledCronJob",
        "metadata": {"name": "report"},
        "spec": {
            "warmUpTimeMins": 10,
            "cronJob": {
                "apiVersion": "batch/v1",
                "kind": "CronJob",
                "spec": {
                    "schedule": "0 8 * * 1-5",
                    "jobTemplate": {
                        "spec": {
                            "template": {
                                "spec": {
                                    "containers": [{"name": "report", "image": "shop/report:1"}],
                                    "restartPolicy": "OnFailure",
                                }
                            }
                        }
                    },
                },
            },
        },
    }


def test_all_that_can_be_said(kedge: Run) -> None:
    args = (
        *BASE,
        *("--primer-schedule", "30 7 * * 1-5", "--zone", "Europe/Amsterdam"),
        *("--restart", "Never", "--concurrency-policy", "Forbid", "--suspend"),
        *("--labels", "team=red", "--annotations", "note=x", "-n", "shop"),
    )
    # Options in front of "--": what follows is the command.
    result = kedge(*args, "-o", "json", "--", "sh", "-c", "echo hi; --lead")
    assert (result.exit_code, result.stderr) == (0, "")
    found = json.loads(result.stdout)
    assert found["metadata"] == {
        "name": "report",
        "namespace": "shop",
        "labels": {"team": "red"},
        "annotations": {"note": "x"},
    }
    within = found["spec"].pop("cronJob")["spec"]
    assert found["spec"] == {"primerSchedule": "30 7 * * 1-5"}
    pod = within.pop("jobTemplate")["spec"]["template"]["spec"]
    assert within == {
        "schedule": "0 8 * * 1-5",
        "timeZone": "Europe/Amsterdam",
        "concurrencyPolicy": "Forbid",
        "suspend": True,
    }
    assert pod == {
        "containers": [
            {
                "name": "report",
                "image": "shop/report:1",
                "command": ["sh", "-c", "echo hi; --lead"],
            }
        ],
        "restartPolicy": "Never",
    }


def test_a_file_with_a_cronjob_and_a_lead(kedge: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(yaml.safe_dump(CRON_JOB))
    args = ("prescaled", "create", "-f", str(file), "--lead", "1h30m")
    assert made(kedge, *args) == {
        "apiVersion": "psc.cronprimer.local/v1alpha1",
        "kind": "PreScaledCronJob",
        "metadata": {"name": "report", "labels": {"team": "red"}},
        "spec": {
            "warmUpTimeMins": 90,
            "cronJob": {
                "apiVersion": "batch/v1",
                "kind": "CronJob",
                "metadata": {"labels": {"team": "red"}},
                "spec": CRON_JOB["spec"],
            },
        },
    }
    renamed = made(kedge, *args, "early", "--labels", "tier=db", "-n", "shop")["metadata"]
    labels = {"team": "red", "tier": "db"}
    assert renamed == {"name": "early", "namespace": "shop", "labels": labels}


def test_it_may_be_printed_as_a_table(kedge: Run) -> None:
    done = kedge(*BASE, "--lead", "10m", "-o", "table")
    assert done.stdout == (
        "NAME     SCHEDULE      PRIMER   MODE     NEXT WARM-UP   NEXT RUN   READY     AGE\n"
        "report   0 8 * * 1-5   <none>   <none>   <none>         <none>     Unknown   <unknown>\n"
    )
    assert kedge(*BASE, "--lead", "10m", "-o", "name").stdout == (
        "prescaledcronjob.psc.cronprimer.local/report\n"
    )


@pytest.mark.parametrize(
    ("args", "code", "line"),
    [
        (BASE, 2, "exactly one of --lead and --primer-schedule is required"),
        (
            (*BASE, "--lead=10", "--primer-schedule=@daily"),
            2,
            "exactly one of --lead and --primer-schedule is required",
        ),
        (BASE[:3], 2, "--schedule is required, or a file with --filename"),
        (BASE[:2], 2, "NAME is required, or a file with --filename"),
        (BASE[:5], 2, "--image is required, or a file with --filename"),
        (
            (*BASE[:5], "--image=Report", "--lead=10"),
            2,
            "--image 'Report' is no image; write it as REGISTRY/NAME:TAG or"
            " REGISTRY/NAME@sha256:DIGEST, the name in lower case",
        ),
        ((*BASE, "--lead=90s"), 1, "--lead has seconds; a lead is whole minutes"),
        (
            (*BASE, "--lead=8d"),
            1,
            "PreScaledCronJob \"report\": spec.warmUpTimeMins: lead '192h': a lead is whole"
            " minutes, from 1m to 7d",
        ),
        (
            (*BASE, "--lead=10", "--zone=Mars"),
            1,
            "PreScaledCronJob \"report\": spec.cronJob.spec.timeZone: zone 'Mars': no such time"
            " zone; use a name such as Europe/Amsterdam or UTC",
        ),
        (
            (*BASE[:2], "x" * 45, *BASE[3:], "--lead=10"),
            1,
            f'PreScaledCronJob "{"x" * 45}": metadata.name: that of its CronJob would be too long;'
            " use at most 44 characters",
        ),
        (
            (*BASE, "--lead=10", "-f", "x.yaml"),
            2,
            "with --filename only NAME, --lead, --labels and --annotations are taken",
        ),
        (
            ("prescaled", "create", "-f", "none.yaml", "--lead=10"),
            1,
            "can not read none.yaml: No such file or directory",
        ),
    ],
)
def test_what_can_not_be_is_refused_before_it_is_sent(
    kedge: Run, args: tuple[str, ...], code: int, line: str
) -> None:
    done = kedge(*args)
    assert (done.exit_code, done.stdout) == (code, "")
    assert done.stderr == f"An error occurred: {line}\n"


def test_one_name_is_not_enough_for_two(kedge: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(yaml.safe_dump_all([CRON_JOB, CRON_JOB]))
    done = kedge("prescaled", "create", "early", "-f", str(file), "--lead=10", "-o", "name")
    assert done.exit_code == 2
    assert done.stderr == f"An error occurred: there are 2 objects in {file}, and one NAME\n"


@pytest.mark.parametrize("lead", ["0", "soon", "-5m", ""])
def test_a_lead_that_is_none_is_wrong_usage(kedge: Run, lead: str) -> None:
    done = kedge(*BASE, f"--lead={lead}")
    assert done.exit_code == 2
    assert done.stderr.startswith("kedge: invalid value for '--lead': ")
