import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.unit.cli.conftest import Run

LIVE = """\
apiVersion: batch/v1
kind: CronJob
metadata:
  name: report
  namespace: shop
  uid: 0f6e
  resourceVersion: "12"
  generation: 3
  creationTimestamp: "2026-01-01T00:00:00Z"
  ownerReferences: [{apiVersion: v1, kind: ConfigMap, name: x, uid: y}]
  labels: {team: red}
  annotations:
    kubectl.kubernetes.io/last-applied-configuration: "{}"
    note: daily numbers
spec:
  schedule: 0 8 * * 1-5
  timeZone: Europe/Amsterdam
  concurrencyPolicy: Forbid
  suspend: false
  startingDeadlineSeconds: 0
  jobTemplate:
    metadata: {creationTimestamp: null}
    spec:
      template:
        metadata: {creationTimestamp: null, labels: {app: report}}
        spec:
          containers: [{name: main, image: "shop/report:1", env: [{name: EMPTY, value: ""}]}]
          restartPolicy: OnFailure
status: {lastScheduleTime: "2026-03-27T07:00:00Z"}
"""
CONVERTED = """\
apiVersion: psc.cronprimer.local/v1alpha1
kind: PreScaledCronJob
metadata:
  name: report
  namespace: shop
  labels:
    team: red
spec:
  warmUpTimeMins: 10
  cronJob:
    apiVersion: batch/v1
    kind: CronJob
    metadata:
      labels:
        team: red
      annotations:
        note: daily numbers
    spec:
      schedule: 0 8 * * 1-5
      timeZone: Europe/Amsterdam
      concurrencyPolicy: Forbid
      suspend: false
      startingDeadlineSeconds: 0
      jobTemplate:
        metadata: {}
        spec:
          template:
            metadata:
              labels:
                app: report
            spec:
              containers:
              - name: main
                image: shop/report:1
                env:
                - name: EMPTY
                  value: ''
              restartPolicy: OnFailure
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "live.yaml"
    path.write_text(LIVE)
    return path


def test_a_cronjob_becomes_what_its_author_would_write(kedge: Run, file: Path) -> None:
    done = kedge("prescaled", "convert", "-f", str(file), "--lead", "10m")
    assert (done.exit_code, done.stdout, done.stderr) == (0, CONVERTED, "")


def test_what_is_printed_can_be_previewed_and_created(
    kedge: Run, file: Path, tmp_path: Path
) -> None:
    made = tmp_path / "made.json"
    done = kedge("prescaled", "convert", "-f", str(file), "--lead", "10", "-o", "json")
    made.write_text(done.stdout)
    direct = kedge("prescaled", "preview", "-f", str(file), "--lead", "10m").stdout
    assert kedge("prescaled", "preview", "-f", str(made)).stdout == direct
    created = kedge("prescaled", "create", "-f", str(made), "-o", "json")
    assert json.loads(created.stdout) == json.loads(done.stdout) == yaml.safe_load(CONVERTED)


def test_an_old_cronjob_becomes_one_of_today(kedge: Run, tmp_path: Path) -> None:
    path = tmp_path / "old.yaml"
    path.write_text(LIVE.replace("batch/v1", "batch/v1beta1"))
    done = kedge("prescaled", "convert", "-f", str(path), "--lead", "10m")
    assert done.stdout == CONVERTED


def test_several_are_a_list(kedge: Run, tmp_path: Path) -> None:
    path = tmp_path / "two.yaml"
    path.write_text(f"{LIVE}---\n{LIVE.replace('report', 'other')}")
    done = kedge("prescaled", "convert", "-f", str(path), "--lead", "10m", "-o", "json")
    document: dict[str, Any] = json.loads(done.stdout)
    assert (document["apiVersion"], document["kind"]) == ("v1", "List")
    assert [one["metadata"]["name"] for one in document["items"]] == ["report", "other"]


@pytest.mark.parametrize(
    ("args", "code", "line"),
    [
        ([], 2, "name CronJobs, or give a file with --filename, one of the two"),
        (["a", "-f", "b"], 2, "name CronJobs, or give a file with --filename, one of the two"),
        (["pscj/a"], 2, "'pscj/a' is a PreScaledCronJob; name a CronJob"),
        (["job/a"], 2, "'job/a' is neither cronjob/NAME nor prescaledcronjob/NAME"),
    ],
)
def test_wrong_usage_is_told(kedge: Run, args: list[str], code: int, line: str) -> None:
    done = kedge("prescaled", "convert", *args, "--lead", "10m")
    assert (done.exit_code, done.stdout) == (code, "")
    assert done.stderr == f"An error occurred: {line}\n"


def test_what_could_never_work_is_not_printed(kedge: Run, tmp_path: Path) -> None:
    path = tmp_path / "bad.yaml"
    path.write_text(LIVE.replace("0 8 * * 1-5", "'* * * * *'"))
    done = kedge("prescaled", "convert", "-f", str(path), "--lead", "10m")
    assert (done.exit_code, done.stdout) == (1, "")
    assert done.stderr.startswith(
        "An error occurred: PreScaledCronJob \"report\": spec.warmUpTimeMins: lead '10m': "
    )


def test_a_lead_is_needed(kedge: Run) -> None:
    done = kedge("prescaled", "convert", "cronjob/a")
    assert done.exit_code == 2
    assert done.stderr == (
        "kedge: missing option '--lead' (see 'kedge prescaled convert --help')\n"
    )
