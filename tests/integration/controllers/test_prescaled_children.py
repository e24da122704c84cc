"""The CronJobs of a PreScaledCronJob: made, changed, removed, and those of others left alone."""

from typing import Any

import pytest

from kedge.controllers.prescaled.controller import PrescaledSettings
from kedge.kube.errors import Invalid
from kedge.testing.clock import START
from tests.integration.controllers.slipway import (
    CRON_JOBS,
    IMAGE,
    OBJECTS,
    WORK,
    manifest,
    slipway,
)

pytestmark = pytest.mark.asyncio

OWNER = {"apiVersion": "psc.cronprimer.local/v1alpha1", "kind": "PreScaledCronJob"}


def template_of(child: dict[str, Any]) -> Any:
    return child["spec"]["jobTemplate"]["spec"]["template"]


async def test_a_static_one_takes_one_create_and_one_status() -> None:
    async with slipway() as port, port.running():
        before = len(port.proxy.calls)
        made = await port.make("report", "0 0 * * *")
        await port.quiet()
        assert port.writes(before) == ["POST cronjobs", "PATCH prescaledcronjobs/report/status"]
        child = await port.child("autogen-report")
        assert child["spec"]["schedule"] == "50 23 * * *"
        [owner] = child["metadata"]["ownerReferences"]
        uid = made["metadata"]["uid"]
        whole = {"name": "report", "uid": uid, "controller": True, "blockOwnerDeletion": True}
        assert owner == OWNER | whole
        assert child["metadata"]["annotations"]["pscObjectHash"]
        status = await port.status("report")
        [condition] = status.pop("conditions")
        assert (condition["status"], condition["observedGeneration"]) == ("True", 1)
        assert status == {
            "mode": "Static",
            "primerSchedules": ["50 23 * * *"],
            "nextWarmUpTime": "2030-01-01T23:50:00Z",
            "nextRunTime": "2030-01-02T00:00:00Z",
        }


async def test_a_rolling_one_takes_one_create_and_one_status() -> None:
    async with slipway() as port, port.running():
        before = len(port.proxy.calls)
        await port.make("monthly", "0 0 1 * *")
        await port.quiet()
        assert port.writes(before) == ["POST cronjobs", "PATCH prescaledcronjobs/monthly/status"]
        child = await port.child("autogen-monthly")
        assert child["spec"]["schedule"] == "50 23 31 1 *"
        assert (await port.status("monthly"))["mode"] == "Rolling"


async def test_the_template_is_that_of_the_user_with_a_label_and_a_container() -> None:
    odd = {"name": "work", "image": "w", "resizePolicy": [], "fancyNewField": {"a": [1]}}
    pod = {
        "containers": [odd],
        "initContainers": [{"name": "mine", "image": "i"}],
        "restartPolicy": "OnFailure",
        "nodeSelector": {"agentpool": "big"},
    }
    meta = {"labels": {"app": "a"}, "annotations": {"note": "b"}}
    work = {
        "metadata": meta,
        "spec": {"backoffLimit": 2, "template": {"metadata": meta, "spec": pod}},
    }
    async with slipway() as port, port.running():
        obj = manifest("rich", "0 8 * * *", jobTemplate=work, successfulJobsHistoryLimit=7)
        obj["spec"]["cronJob"]["metadata"] = {
            "name": "ignored",
            "labels": {"team": "t"},
            "annotations": {"why": "w", "kubectl.kubernetes.io/last-applied-configuration": "{}"},
        }
        await port.kube.client.create(OBJECTS, obj)
        kept = (await port.get("rich"))["spec"]["cronJob"]["spec"]["jobTemplate"]
        assert kept == work, "fields that nobody declared are kept"
        await port.quiet()
        child = await port.child("autogen-rich")
        assert child["metadata"]["labels"] == {"team": "t"}
        annotations = child["metadata"]["annotations"]
        assert annotations.pop("pscObjectHash")
        assert annotations == {"why": "w"}
        assert child["spec"]["successfulJobsHistoryLimit"] == 7
        template = template_of(child)
        assert template["metadata"]["labels"] == {"app": "a", "primedcron": "rich"}
        first, second = template["spec"]["initContainers"]
        assert (first["name"], first["image"], second["name"]) == ("kedge-warm-up", IMAGE, "mine")
        lead = ["--lead", "10m", "--schedule", "0 8 * * *", "--zone", "UTC"]
        assert first["args"] == ["warmup", *lead]
        [env] = first["env"]
        path = env["valueFrom"]["fieldRef"]["fieldPath"]
        assert (env["name"], path) == (
            "KEDGE_JOB_NAME",
            "metadata.labels['batch.kubernetes.io/job-name']",
        )
        assert template["spec"]["nodeSelector"] == {"agentpool": "big"}


async def test_an_old_object_with_a_v1beta1_cron_job_is_read() -> None:
    async with slipway() as port, port.running():
        obj = manifest("old", "30 * * * *")
        within = obj["spec"]["cronJob"]
        within |= {"apiVersion": "batch/v1beta1", "status": {}}
        within["metadata"] = {"name": "old", "creationTimestamp": None}
        await port.kube.client.create(OBJECTS, obj)
        await port.quiet()
        child = await port.child("autogen-old")
        assert (child["apiVersion"], child["spec"]["schedule"]) == ("batch/v1", "20 * * * *")


async def test_a_plan_of_two_has_two_and_a_plan_of_one_has_one_again() -> None:
    async with slipway() as port, port.running():
        await port.make("twice", "0-15 0 * * *")
        await port.quiet()
        found = {name: one["spec"]["schedule"] for name, one in (await port.children()).items()}
        assert found == {"autogen-twice": "50-59 23 * * *", "autogen-twice-2": "0-5 0 * * *"}
        assert (await port.status("twice"))["primerSchedules"] == ["50-59 23 * * *", "0-5 0 * * *"]
        await port.reschedule("twice", schedule="30 0 * * *")
        await port.quiet()
        assert list(await port.children()) == ["autogen-twice"]


async def test_one_that_is_of_no_use_goes_when_its_jobs_have_ended() -> None:
    async with slipway() as port, port.running():
        await port.make("twice", "0-15 0 * * *")
        await port.quiet()
        await port.fired("autogen-twice-2", START, ("autogen-twice-2-31556160",))
        await port.reschedule("twice", schedule="30 0 * * *")
        await port.quiet()
        assert (await port.child("autogen-twice-2"))["spec"]["suspend"] is True
        await port.fired("autogen-twice-2", START)
        await port.quiet()
        assert list(await port.children()) == ["autogen-twice"]


async def test_every_change_reaches_the_cron_job_in_one_reconcile() -> None:
    async with slipway() as port, port.running():
        await port.make("moving", "0 8 * * *")

        async def after(change: dict[str, Any], writes: int = 2) -> dict[str, Any]:
            await port.quiet()
            before = len(port.proxy.calls)
            await port.change("moving", {"spec": change})
            await port.quiet()
            assert len(port.writes(before)) == writes
            [condition] = (await port.status("moving"))["conditions"]
            generation = (await port.get("moving"))["metadata"]["generation"]
            assert condition["observedGeneration"] == generation
            child = await port.child("autogen-moving")
            spec: dict[str, Any] = child["spec"]
            return spec

        spec = await after({"warmUpTimeMins": 30})
        assert spec["schedule"] == "30 7 * * *"
        spec = await after({"cronJob": {"spec": {"schedule": "0 9 * * *"}}})
        assert spec["schedule"] == "30 8 * * *"
        spec = await after({"cronJob": {"spec": {"timeZone": "Asia/Tokyo"}}})
        assert (spec["timeZone"], spec["schedule"]) == ("Asia/Tokyo", "30 8 * * *")
        spec = await after({"cronJob": {"spec": {"suspend": True}}})
        assert spec["suspend"] is True
        assert "nextWarmUpTime" not in await port.status("moving")
        assert (await port.ready("moving")).startswith("True/Suspended")
        spec = await after({"cronJob": {"spec": {"suspend": None}}})
        assert spec["suspend"] is False
        work = {"spec": {"template": {"spec": {"priority": 0, "restartPolicy": "OnFailure"}}}}
        spec = await after({"cronJob": {"spec": {"jobTemplate": work}}})
        assert spec["jobTemplate"]["spec"]["template"]["spec"]["restartPolicy"] == "OnFailure"
        spec = await after({"primerSchedule": "15 6 * * *"})
        assert spec["schedule"] == "15 6 * * *"
        args = spec["jobTemplate"]["spec"]["template"]["spec"]["initContainers"][0]["args"]
        assert "--lead" not in args


async def test_a_field_that_is_taken_away_goes_from_the_cron_job() -> None:
    async with slipway() as port, port.running():
        await port.make("lean", "0 8 * * *", startingDeadlineSeconds=50)
        await port.quiet()
        assert (await port.child("autogen-lean"))["spec"]["startingDeadlineSeconds"] == 50
        await port.reschedule("lean", startingDeadlineSeconds=None)
        await port.quiet()
        assert "startingDeadlineSeconds" not in (await port.child("autogen-lean"))["spec"]


async def test_another_image_reaches_the_cron_jobs_at_the_next_start() -> None:
    async with slipway() as port:
        async with port.running():
            await port.make("image", "0 8 * * *")
        async with port.running(PrescaledSettings("example.com/kedge:2")):
            await port.quiet()
            containers = template_of(await port.child("autogen-image"))["spec"]["initContainers"]
            assert [one["image"] for one in containers] == ["example.com/kedge:2"]


async def test_a_restart_writes_nothing() -> None:
    async with slipway() as port:
        async with port.running():
            for number, schedule in enumerate(("0 8 * * *", "0 0 1 * *", "0-15 0 * * *", "9 9")):
                await port.make(f"quiet-{number}", schedule)
        before = len(port.proxy.calls)
        async with port.running():
            await port.quiet()
        assert port.writes(before) == []


async def test_a_cron_job_of_somebody_else_is_left_alone() -> None:
    theirs = {
        "metadata": {"name": "autogen-taken"},
        "spec": {"schedule": "1 1 * * *", "jobTemplate": WORK},
    }
    async with slipway() as port, port.running():
        before = await port.kube.client.create(CRON_JOBS, theirs)
        await port.make("taken", "0 8 * * *")
        await port.quiet()
        assert await port.child("autogen-taken") == before
        assert (await port.ready("taken")).startswith("False/CronJobAlreadyExists: CronJob autogen")
        assert port.events.reasons == ["Cronjob already exists"]
        assert "nextRunTime" not in await port.status("taken"), "nothing will be started"
        await port.pass_time(hours=30)
        assert port.events.reasons == ["Cronjob already exists"], "it is told once"
        await port.kube.client.delete(f"{CRON_JOBS}/autogen-taken")
        await port.quiet()
        assert (await port.child("autogen-taken"))["spec"]["schedule"] == "50 7 * * *"
        assert (await port.ready("taken")).startswith("True/Scheduled")
        assert "nextRunTime" in await port.status("taken")


async def test_a_child_of_an_older_operator_is_ours_by_its_owner() -> None:
    async with slipway() as port:
        made = await port.make("older", "0 8 * * *")
        reference = OWNER | {"name": "older", "uid": made["metadata"]["uid"]}
        old = {
            "metadata": {
                "name": "autogen-older",
                "annotations": {"pscObjectHash": "1234"},
                "ownerReferences": [reference],
            },
            "spec": {"schedule": "1 1 * * *", "jobTemplate": WORK},
        }
        await port.kube.client.create(CRON_JOBS, old)
        async with port.running():
            await port.quiet()
            child = await port.child("autogen-older")
            assert child["spec"]["schedule"] == "50 7 * * *"
            [owner] = child["metadata"]["ownerReferences"]
            assert owner["controller"] is True


async def test_one_that_was_deleted_by_hand_is_made_again() -> None:
    async with slipway() as port, port.running():
        await port.make("again", "0 8 * * *")
        await port.quiet()
        await port.kube.client.delete(f"{CRON_JOBS}/autogen-again")
        await port.quiet()
        assert list(await port.children()) == ["autogen-again"]


@pytest.mark.parametrize("drift", [{"schedule": "1 1 1 1 *"}, {"timeZone": "Asia/Tokyo"}])
async def test_one_that_was_made_to_start_at_other_times_by_hand_is_mended(
    drift: dict[str, str],
) -> None:
    async with slipway() as port, port.running():
        await port.make("again", "0 8 * * *")
        await port.quiet()
        made = (await port.child("autogen-again"))["spec"]
        before = len(port.proxy.calls)
        await port.kube.client.patch(f"{CRON_JOBS}/autogen-again", {"spec": drift})
        await port.quiet()
        assert (await port.child("autogen-again"))["spec"] == made
        assert port.writes(before) == ["PATCH cronjobs/autogen-again"]


@pytest.mark.parametrize("policy", ["Foreground", "Background"])
async def test_deleting_it_removes_its_cron_jobs(policy: str) -> None:
    async with slipway() as port, port.running():
        await port.make("gone", "0-15 0 * * *")
        await port.quiet()
        assert len(await port.children()) == 2
        await port.kube.client.delete(f"{OBJECTS}/gone", propagationPolicy=policy)
        await port.quiet()
        assert await port.children() == {}
        assert (await port.kube.client.get(OBJECTS))["items"] == []


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "a minute that is none": ({"schedule": "61 * * * *"}, "spec.cronJob.spec.schedule: minute"),
    "a zone that is none": (
        {"schedule": "0 8 * * *", "timeZone": "Mars/Base"},
        "spec.cronJob.spec.timeZone: zone 'Mars/Base'",
    ),
    "a day that is none": ({"schedule": "0 0 30 2 *"}, "it never runs"),
    "never cold": ({"schedule": "* * * * *"}, "spec.warmUpTimeMins: lead '10m'"),
    "seconds": ({"schedule": "@every 90s"}, "whole minutes"),
    "a bad schedule by hand": (
        {"schedule": "0 8 * * *", "primerSchedule": "7 8 9"},
        "spec.primerSchedule: expression",
    ),
    "by hand before @every": (
        {"schedule": "@every 2h", "primerSchedule": "0 8 * * *"},
        "spec.primerSchedule: it can not lead up to @every",
    ),
}


@pytest.mark.parametrize("case", BAD)
async def test_bad_input_is_said_in_words_once(case: str) -> None:
    spec, words = BAD[case]
    async with slipway() as port, port.running():
        before = len(port.proxy.calls)
        await port.make("bad", **spec)
        await port.quiet()
        told = await port.ready("bad")
        assert told.startswith("False/InvalidSchedule: ")
        assert words in told
        assert port.events.reasons == ["InvalidSchedule"]
        await port.pass_time(days=3)
        assert port.writes(before) == ["PATCH prescaledcronjobs/bad/status"], "no retry"
        await port.change("bad", {"spec": {"primerSchedule": None}})
        await port.reschedule("bad", schedule="0 8 * * *", timeZone=None)
        await port.quiet()
        assert (await port.ready("bad")).startswith("True/Scheduled")


async def test_what_the_server_does_not_take_is_said_in_words_and_not_tried_again() -> None:
    nothing = {"spec": {"template": {"spec": {"containers": [], "restartPolicy": "Never"}}}}
    async with slipway() as port, port.running():
        await port.make("empty", "0 8 * * *", jobTemplate=nothing)
        await port.quiet()
        assert "spec.template.spec.containers: Required" in await port.ready("empty")
        assert (await port.ready("empty")).startswith("False/InvalidCronJob: spec.cronJob: ")
        before = len(port.proxy.calls)
        await port.pass_time(days=3)
        assert port.writes(before) == []
        await port.reschedule("empty", jobTemplate=WORK)
        await port.quiet()
        assert (await port.ready("empty")).startswith("True/Scheduled")


async def test_what_was_made_of_a_good_spec_stays_under_a_bad_one() -> None:
    async with slipway() as port, port.running():
        await port.make("was", "0 8 * * *")
        await port.quiet()
        await port.reschedule("was", schedule="0 25 * * *")
        await port.quiet()
        assert (await port.child("autogen-was"))["spec"]["schedule"] == "50 7 * * *"
        assert (await port.ready("was")).startswith("False/InvalidSchedule")


REFUSED = {
    "no lead below zero": ({"warmUpTimeMins": -1}, {}, "warmUpTimeMins"),
    "no lead beyond a week": ({"warmUpTimeMins": 10081}, {}, "warmUpTimeMins"),
    "no schedule": ({}, {"schedule": ""}, "schedule"),
    "a blank schedule": ({}, {"schedule": "  "}, "write a cron expression"),
    "two zones": ({}, {"schedule": "TZ=UTC 0 8 * * *", "timeZone": "UTC"}, "not both"),
    "a blank schedule by hand": ({"primerSchedule": " "}, {}, "write a cron expression"),
    "a policy that is none": ({}, {"concurrencyPolicy": "Perhaps"}, "concurrencyPolicy"),
    "no jobs": ({}, {"jobTemplate": None}, "jobTemplate"),
}


@pytest.mark.parametrize("case", REFUSED)
async def test_the_server_refuses_what_it_can_see(case: str) -> None:
    own, spec, words = REFUSED[case]
    obj = manifest("refused", "0 8 * * *")
    obj["spec"] |= own
    obj["spec"]["cronJob"]["spec"] |= spec
    async with slipway() as port:
        with pytest.raises(Invalid, match=words):
            await port.kube.client.create(OBJECTS, obj)


async def test_the_server_refuses_a_name_that_is_too_long() -> None:
    async with slipway() as port:
        await port.make("a" * 44, "0 8 * * *")
        with pytest.raises(Invalid, match="at most 44 characters"):
            await port.make("a" * 45, "0 8 * * *")
