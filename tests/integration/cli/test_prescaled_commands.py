"""`kedge prescaled` on the embedded API, with the controller behind it."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from click.testing import Result

from kedge.api.crd import crd_of
from kedge.api.prescaled import kind as prescaled
from kedge.api.velero import backup, schedule
from kedge.cli.prescaled.kind import CRON_JOBS, PRESCALED
from tests.integration.cli.session import Session, session

CREATE = ("prescaled", "create", "report", "--schedule", "0 8 * * 1-5", "--image", "shop/report:1")
LIVE: dict[str, Any] = {
    "metadata": {"name": "numbers", "labels": {"team": "red"}},
    "spec": {
        "schedule": "0 8 * * 1-5",
        "timeZone": "Europe/Amsterdam",
        "jobTemplate": {
            "spec": {
                "template": {
                    "spec": {
                        "restartPolicy": "OnFailure",
                        "containers": [{"name": "main", "image": "shop/report:1"}],
                    }
                }
            }
        },
    },
}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Session]:
    """Give a cluster with the controller, for all tests of a module."""
    kinds = [crd_of(each.DEFINITION) for each in (prescaled, schedule, backup)]
    with session(controlled=True, kinds=kinds) as running:
        running.namespace("shop")
        yield running


@pytest.fixture
def place(cluster: Session) -> Session:
    """Give that cluster without CronJobs of any kind."""
    for kind in (PRESCALED, CRON_JOBS):
        for space in ("default", "shop"):
            cluster.call(cluster.kube.client.delete(kind.collection(space)))
    return cluster


def outcome(result: Result) -> tuple[int, str, str]:
    return result.exit_code, result.stdout, result.stderr


def children(place: Session, namespace: str = "default") -> list[tuple[str, str]]:
    found = place.call(place.kube.client.get(CRON_JOBS.collection(namespace)))["items"]
    return [(one["metadata"]["name"], one["spec"]["schedule"]) for one in found]


def test_one_that_is_created_is_planned_and_listed(place: Session) -> None:
    done = place.kedge(*CREATE, "--lead", "10m", "--zone", "Europe/Amsterdam")
    assert outcome(done) == (0, 'PreScaledCronJob "report" created successfully.\n', "")
    assert children(place) == [("autogen-report", "50 7 * * 1-5")]
    assert outcome(place.kedge("prescaled", "get")) == (
        0,
        "NAME     SCHEDULE      PRIMER         MODE     NEXT WARM-UP           "
        "NEXT RUN               READY   AGE\n"
        "report   0 8 * * 1-5   50 7 * * 1-5   Static   2026-03-30T05:50:00Z   "
        "2026-03-30T06:00:00Z   True    0s\n",
        "",
    )


def test_what_it_does_is_described(place: Session) -> None:
    place.kedge(*CREATE, "--lead", "10m")
    place.kedge(*CREATE[:2], "odd", *CREATE[3:], "--primer-schedule", "30 7 * * *")
    text = place.kedge("describe", "pscj", "pscj/report", "odd").stdout
    first, second = text.split("\n\n\n")
    assert "Mode:      Static\nCronJobs:  autogen-report  50 7 * * 1-5\n" in first
    assert "Next Warm-Up:  2026-03-30 07:50:00 +0000 UTC (in 2d 19h)\n" in first
    assert "Lead:                10m\n" in first
    assert "Primer Schedule:     30 7 * * *\n" in second
    assert "CronJobs:  autogen-odd  30 7 * * *\n" in second


def test_what_the_controller_refuses_is_told(place: Session) -> None:
    spec = {"cronJob": {"spec": {"schedule": "0 25 * * *", "jobTemplate": {"spec": {}}}}}
    path = PRESCALED.collection("default")
    head = {"apiVersion": PRESCALED.api_version, "kind": PRESCALED.name}
    body = {**head, "metadata": {"name": "bad"}, "spec": spec}
    place.call(place.kube.client.create(path, body))
    place.kedge("version", "--client-only")  # which waits for the controller
    text = place.kedge("prescaled", "describe", "bad").stdout
    assert "Ready:  False\n\nReason:  spec.cronJob.spec.schedule: hour '25': 25 is outside" in text


def test_a_cronjob_of_the_cluster_is_previewed_converted_and_taken_over(place: Session) -> None:
    place.call(place.kube.client.create(CRON_JOBS.collection("default"), LIVE))
    shown = place.kedge("prescaled", "preview", "cronjob/numbers", "--lead", "10m", "-o", "json")
    assert json.loads(shown.stdout)["primerSchedules"] == ["50 7 * * 1-5"]
    assert len(json.loads(shown.stdout)["next"]) == 5
    converted = place.kedge("prescaled", "convert", "cronjob/numbers", "--lead", "10m")
    assert converted.exit_code == 0
    assert converted.stderr == (
        "kedge: CronJob numbers goes on by itself: delete it once this is applied\n"
    )
    done = place.kedge("prescaled", "create", "-f", "-", stdin=converted.stdout)
    assert outcome(done) == (0, 'PreScaledCronJob "numbers" created successfully.\n', "")
    assert children(place) == [("autogen-numbers", "50 7 * * 1-5"), ("numbers", "0 8 * * 1-5")]
    preview = place.kedge("prescaled", "preview", "numbers", "-o", "json")
    assert json.loads(preview.stdout) == json.loads(shown.stdout)


def test_the_namespace_is_that_of_the_context_or_of_the_option(place: Session) -> None:
    # Velero's namespace does not count: these objects are not Velero's.
    done = place.kedge(*CREATE, "--lead", "10m", KEDGE_NAMESPACE="nowhere")
    assert done.exit_code == 0
    place.kedge("-n", "shop", *CREATE, "--lead", "20m")
    assert children(place) == [("autogen-report", "50 7 * * 1-5")]
    assert children(place, "shop") == [("autogen-report", "40 7 * * 1-5")]
    everywhere = place.kedge("get", "prescaled", "-A", "-o", "name").stdout
    assert everywhere == 2 * "prescaledcronjob.psc.cronprimer.local/report\n"
    table = place.kedge("get", "prescaled", "-A").stdout.splitlines()
    assert [line.split()[0] for line in table] == ["NAMESPACE", "default", "shop"]


def test_several_are_previewed_at_once(place: Session) -> None:
    place.kedge(*CREATE, "--lead", "10m")
    place.kedge(*CREATE[:2], "other", *CREATE[3:], "--lead", "20m", "--labels", "team=red")
    place.call(place.kube.client.create(CRON_JOBS.collection("default"), LIVE))

    def names(*args: str) -> list[str]:
        document = json.loads(place.kedge("prescaled", "preview", *args, "-o", "json").stdout)
        return [one["name"] for one in document.get("items", [document])]

    assert names() == ["other", "report"]
    assert names("-l", "team=red") == ["other"]
    assert names("report", "cj/numbers", "report", "--lead", "1h") == ["report", "numbers"]


def test_what_is_not_there_is_a_failure_and_the_rest_is_shown(place: Session) -> None:
    place.kedge(*CREATE, "--lead", "10m")
    where = 'not found\nhint: looked for in namespace "default"; -n names another one\n'
    for verb in ("get", "describe", "preview", "delete"):
        flags = ["--confirm"] if verb == "delete" else []
        done = place.kedge("prescaled", verb, "none", "report", *flags)
        assert done.exit_code == 1
        assert "report" in done.stdout
        assert done.stderr == (
            f'An error occurred: prescaledcronjobs.psc.cronprimer.local "none" {where}'
        )
    done = place.kedge("prescaled", "convert", "none", "--lead", "10m")
    assert outcome(done) == (1, "", f'An error occurred: cronjobs.batch "none" {where}')
    done = place.kedge("prescaled", "get", "cronjob/a")
    assert outcome(done) == (2, "", "An error occurred: 'cronjob/a' is no PreScaledCronJob\n")


def test_an_empty_namespace_is_told(place: Session) -> None:
    for verb in ("get", "describe", "preview"):
        done = place.kedge("prescaled", verb)
        assert outcome(done) == (0, "", "No PreScaledCronJobs found\n")
    done = place.kedge("delete", "prescaled", "--all", "--confirm")
    assert outcome(done) == (0, "No PreScaledCronJobs found\n", "")


def test_deletion_asks_first(place: Session) -> None:
    place.kedge(*CREATE, "--lead", "10m")
    assert place.kedge("prescaled", "delete", "report", stdin="n\n").exit_code == 0
    assert place.kedge("prescaled", "get", "report", "-o", "name").exit_code == 0
    done = place.kedge("prescaled", "delete", "prescaledcronjob/report", "--confirm")
    assert outcome(done) == (0, "PreScaledCronJob deleted: report\n", "")


def test_one_that_is_there_already_and_a_namespace_that_is_not_are_told(place: Session) -> None:
    place.kedge(*CREATE, "--lead", "10m")
    again = place.kedge(*CREATE, "--lead", "10m")
    assert again.exit_code == 1
    assert again.stderr == (
        'An error occurred: prescaledcronjobs.psc.cronprimer.local "report" already exists\n'
    )
    nowhere = place.kedge(*CREATE, "--lead", "10m", "-n", "nowhere")
    assert outcome(nowhere) == (
        1,
        "",
        'An error occurred: namespaces "nowhere" not found; name one that is there with -n\n',
    )


def test_a_server_without_the_kind_says_so() -> None:
    with session(kinds=[]) as bare:
        for command in (("get",), ("delete", "a", "--confirm"), (*CREATE[1:], "--lead", "1")):
            done = bare.kedge("prescaled", *command)
            assert done.exit_code == 1
            assert done.stderr == (
                "An error occurred: the server does not have"
                " prescaledcronjobs.psc.cronprimer.local: install Kedge there with `kedge install`,"
                " or name another cluster with --kubecontext\n"
            )


def test_no_cluster_at_all_says_where_one_was_looked_for(place: Session, tmp_path: Any) -> None:
    done = place.kedge("prescaled", "get", KUBECONFIG=str(tmp_path / "none"), HOME=str(tmp_path))
    assert done.exit_code == 1
    assert done.stderr.startswith("An error occurred: ")
    assert "Traceback" not in done.stderr
