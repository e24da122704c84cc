"""The Backups that a Schedule makes: their names, what they inherit, and those made by hand."""

from datetime import timedelta
from typing import Any

import pytest

from kedge.api.crd import crds
from kedge.api.velero.labels import valid_name
from kedge.kube.kind import Object
from tests.integration.controllers.harbour import (
    NEEDED,
    SCHEDULES,
    Harbour,
    condition,
    harbour,
    is_waiting_for,
    manifest,
    status,
)

pytestmark = pytest.mark.asyncio

STAMP = "-20300101010000"


async def first_backup(port: Harbour, metadata: Object | None = None, **spec: Any) -> Object:
    """Make an hourly schedule; give its first Backup."""
    await port.schedule("s", "@hourly", metadata, **spec)
    await port.until("s", is_waiting_for("01:00:00"))
    await port.pass_time(hours=1, milliseconds=1)
    await port.until("s", is_waiting_for("02:00:00"))
    return await port.backup(f"s{STAMP}")


@pytest.mark.parametrize("length", [1, 62, 63, 64, 100, 238, 239, 252, 253])
async def test_schedules_with_names_of_any_length_make_backups(length: int) -> None:
    name = ("a" * 50 + "." + "b" * 60 + "-")[: length - 1]
    name = (name * 4)[: length - 1] + "c"
    async with harbour() as port, port.running():
        await port.schedule(name, "@hourly")
        await port.until(name, is_waiting_for("01:00:00"))
        await port.pass_time(hours=1, milliseconds=1)
        await port.until(name, is_waiting_for("02:00:00"))
        [made] = await port.backups()
        assert made.endswith(STAMP)
        assert len(made) <= 253
        if length <= 238:
            assert made == name + STAMP
        labels = (await port.backup(made))["metadata"]["labels"]
        assert labels == {"velero.io/schedule-name": valid_name(name)}
        # It knows its own Backups again: the next run waits.
        await port.pass_time(hours=1)
        held = await port.until(name, lambda one: condition(one, "Blocked") == "True/Overlap")
        assert made in held["status"]["conditions"][0]["message"]


async def test_two_long_names_that_begin_alike_do_not_meet() -> None:
    names = ["x" * 250 + end for end in "ab"]
    async with harbour() as port, port.running():
        for name in names:
            await port.schedule(name, "@hourly")
            await port.until(name, is_waiting_for("01:00:00"))
        await port.pass_time(hours=1, milliseconds=1)
        for name in names:
            await port.until(name, is_waiting_for("02:00:00"))
        assert len(set(await port.backups())) == 2


async def test_the_spec_is_the_template_and_labels_and_annotations_are_those_of_the_schedule() -> (
    None
):
    template = {"ttl": "720h0m0s", "includedNamespaces": ["a"], "snapshotVolumes": False}
    metadata = {
        "labels": {"team": "blue"},
        "annotations": {"note": "hello", "kedge.dev/missed-runs": "once"},
    }
    async with harbour() as port, port.running():
        backup = await first_backup(port, metadata, template=template)
        assert backup["spec"] == template
        assert backup["metadata"]["labels"] == {"team": "blue", "velero.io/schedule-name": "s"}
        assert backup["metadata"]["annotations"] == {
            "note": "hello",
            "kedge.dev/due": "2030-01-01T01:00:00Z",
        }
        assert "ownerReferences" not in backup["metadata"]


@pytest.mark.parametrize("labels", [{"from": "template"}, {}])
async def test_labels_of_the_template_replace_those_of_the_schedule(labels: Object) -> None:
    template = {"metadata": {"labels": labels}}
    async with harbour() as port, port.running():
        backup = await first_backup(port, {"labels": {"team": "blue"}}, template=template)
        assert backup["metadata"]["labels"] == {**labels, "velero.io/schedule-name": "s"}
        assert backup["spec"] == template


async def test_the_label_with_the_name_can_not_be_overridden() -> None:
    template = {"metadata": {"labels": {"velero.io/schedule-name": "other"}}}
    async with harbour() as port, port.running():
        backup = await first_backup(port, template=template)
        assert backup["metadata"]["labels"] == {"velero.io/schedule-name": "s"}


async def test_a_resource_policy_becomes_that_of_a_configmap() -> None:
    policy = {"apiGroup": "v1", "kind": "ConfigMap", "name": "skip-volumes"}
    async with harbour() as port, port.running():
        backup = await first_backup(port, template={"resourcePolicy": policy})
        assert backup["spec"]["resourcePolicy"] == {"kind": "configmap", "name": "skip-volumes"}


async def test_backups_belong_to_the_schedule_where_it_wants_that() -> None:
    async with harbour() as port, port.running():
        backup = await first_backup(port, useOwnerReferencesInBackup=True)
        uid = (await port.get("s"))["metadata"]["uid"]
        assert backup["metadata"]["ownerReferences"] == [
            {
                "apiVersion": "velero.io/v1",
                "kind": "Schedule",
                "name": "s",
                "uid": uid,
                "controller": True,
            }
        ]


async def test_fields_of_a_template_that_are_newer_than_ours_are_passed_on() -> None:
    newer = [crd for crd in crds() if crd["spec"]["names"]["plural"] in NEEDED]
    for crd in newer:
        properties = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"]
        spec = properties["spec"]["properties"]
        spec = spec.get("template", {}).get("properties", spec)
        spec["encryption"] = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
        if "ttl" in spec:
            spec["ttl"] = {"x-kubernetes-int-or-string": True}
    template = {"encryption": {"key": "k", "rounds": 5}, "ttl": 30}
    async with harbour(newer) as port, port.running():
        backup = await first_backup(port, template=template)
        assert backup["spec"] == template


async def test_a_manual_run_does_not_count_as_a_run() -> None:
    async with harbour() as port, port.running():
        await port.schedule("s", "@hourly")
        await port.until("s", is_waiting_for("01:00:00"))
        await port.pass_time(minutes=59)
        await port.manual("s-20300101005900", "s")
        await port.finish("s-20300101005900")
        await port.quiet()
        assert "lastBackup" not in status(await port.get("s"))
        await port.pass_time(minutes=1, milliseconds=1)
        await port.until("s", is_waiting_for("02:00:00"))
        assert await port.backups() == ["s-20300101005900", f"s{STAMP}"]


async def test_a_manual_run_in_the_very_second_of_a_run_does_not_count_either() -> None:
    async with harbour() as port, port.running():
        await port.schedule("s", "@hourly")
        await port.until("s", is_waiting_for("01:00:00"))
        await port.manual(f"s{STAMP}", "s")
        await port.finish(f"s{STAMP}")
        await port.pass_time(hours=1, milliseconds=1)
        done = await port.until("s", is_waiting_for("02:00:00"))
        assert await port.backups() == [f"s{STAMP}", f"s{STAMP}-1"]
        assert status(done)["lastBackup"] == "2030-01-01T01:00:00Z"


async def test_a_backup_of_somebody_else_with_the_name_of_a_run_does_not_count() -> None:
    marks = {"kedge.dev/due": "2030-01-01T01:00:00Z"}
    async with harbour() as port, port.running():
        await port.schedule("s", "@hourly")
        await port.until("s", is_waiting_for("01:00:00"))
        for name in (f"s{STAMP}", f"s{STAMP}-1"):
            await port.manual(name, "other", annotations=marks)
        await port.pass_time(hours=1, milliseconds=1)
        await port.until("s", is_waiting_for("02:00:00"))
        assert (await port.backups())[2:] == [f"s{STAMP}-2"]


async def test_where_all_names_are_taken_it_is_tried_again_and_the_next_run_takes_place() -> None:
    async with harbour() as port, port.running():
        await port.schedule("s", "@hourly")
        await port.until("s", is_waiting_for("01:00:00"))
        for number in range(10):
            name = f"s{STAMP}-{number}" if number else f"s{STAMP}"
            await port.manual(name, "s")
            await port.finish(name)
        await port.quiet()
        port.clock.advance(timedelta(hours=1, milliseconds=1))
        await port.proxy.signal.until(lambda: len(port.writes()) >= 11)
        await port.pass_time(hours=1)
        await port.until("s", is_waiting_for("03:00:00"))
        assert (await port.backups())[-1] == "s-20300101020000"


async def test_a_manual_run_takes_place_while_the_schedule_is_paused_and_blocks_the_next_run() -> (
    None
):
    async with harbour() as port, port.running():
        await port.schedule("s", "@hourly", paused=True)
        await port.until("s", lambda one: condition(one, "Paused") == "True/Paused")
        await port.manual("by-hand", "s")
        await port.patch("s", {"spec": {"paused": False}})
        await port.until("s", is_waiting_for("01:00:00"))
        await port.pass_time(hours=1, milliseconds=1)
        await port.until("s", lambda one: condition(one, "Blocked") == "True/Overlap")
        await port.finish("by-hand")
        await port.until("s", is_waiting_for("02:00:00"))
        assert await port.backups() == ["by-hand", f"s{STAMP}"]


async def test_schedules_of_two_namespaces_do_not_meet() -> None:
    other = SCHEDULES.replace("/velero/", "/other/")
    async with harbour() as port, port.running():
        await port.kube.client.create("/api/v1/namespaces", {"metadata": {"name": "other"}})
        there = manifest("s", "@hourly", {"namespace": "other"})
        await port.kube.client.create(other, there)
        await first_backup(port)
        await port.kube.client.until(f"{other}/s", is_waiting_for("02:00:00"))
        await port.finish(f"s{STAMP}")
        await port.pass_time(hours=1)
        await port.until("s", is_waiting_for("03:00:00"))
        held = await port.kube.client.get(f"{other}/s")
        assert condition(held, "Blocked") == "True/Overlap"
