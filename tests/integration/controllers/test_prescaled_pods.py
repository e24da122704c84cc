"""Pods as they come and go: each station is measured once."""

import pytest

from kedge.kube.kind import Object
from tests.integration.controllers.slipway import PODS, SPACE, Slipway, slipway
from tests.unit.controllers.prescaled.pods import BORN, EVENTS, EXPECTED, STAGES, pod

pytestmark = pytest.mark.asyncio

PREFIX = "prescalecronjoboperator_cronjob_"


def told(port: Slipway) -> dict[str, tuple[float, float]]:
    """Give for each measure how often it was taken, and the sum."""
    found: dict[str, dict[str, float]] = {}
    for metric in port.metrics.collect():
        for sample in metric.samples:
            name, _, end = sample.name.removeprefix(PREFIX).rpartition("_")
            if sample.name.startswith(PREFIX) and end in ("count", "sum"):
                assert sample.labels["prescalecron"] == "report"
                assert sample.labels["nodepool"] == "big"
                found.setdefault(name, {})[end] = sample.value
    return {name: (each["count"], each["sum"]) for name, each in found.items()}


async def make_pod(port: Slipway) -> str:
    made = await port.kube.client.create(PODS, pod())
    return f"{PODS}/{made['metadata']['name']}"


async def become(port: Slipway, path: str, status: Object) -> None:
    await port.kube.client.patch(f"{path}/status", {"status": status})
    await port.quiet()


async def test_a_pod_that_comes_to_its_work_is_measured_once() -> None:
    async with slipway(BORN) as port, port.running():
        await port.make("report", "0 0 * * *")
        path = await make_pod(port)
        for status in STAGES:
            await become(port, path, status)
        assert told(port) == {name: (1.0, value) for name, value in EXPECTED.items()}
        await port.kube.client.patch(path, {"metadata": {"labels": {"more": "news"}}})
        await port.quiet()
        await port.kube.client.delete(path, gracePeriodSeconds="0")
        await port.quiet()
        assert told(port) == {name: (1.0, value) for name, value in EXPECTED.items()}
        lists = [call for call in port.proxy.calls if call.path.endswith("/events")]
        assert lists == [], "the status told all"


async def test_events_are_asked_where_the_status_does_not_tell() -> None:
    async with slipway(BORN) as port, port.running():
        await port.make("report", "0 0 * * *")
        path = await make_pod(port)
        one = await port.kube.client.get(path)
        for number, event in enumerate(EVENTS):
            about = {"kind": "Pod", "namespace": SPACE, "uid": one["metadata"]["uid"]}
            about |= {"name": one["metadata"]["name"], "apiVersion": "v1"}
            whole = {**event, "involvedObject": about | event["involvedObject"]}
            whole["metadata"] = {"name": f"event-{number}"}
            if event.get("eventTime"):
                whole["eventTime"] = event["eventTime"].replace("Z", ".000000Z")
                whole |= {"reportingComponent": "s", "reportingInstance": "s", "action": "Binding"}
                whole["type"] = "Normal"
            await port.kube.client.create(f"/api/v1/namespaces/{SPACE}/events", whole)
        late = {**STAGES[-2], "conditions": []}
        await become(port, path, late)
        assert told(port) == {name: (1.0, value) for name, value in EXPECTED.items()}
        await become(port, path, {**late, "phase": "Succeeded"})
        lists = [call for call in port.proxy.calls if call.path.endswith("/events")]
        assert len(lists) == 1


async def test_what_was_over_before_the_start_is_not_measured_again() -> None:
    async with slipway(BORN) as port:
        await port.make("report", "0 0 * * *")
        path = await make_pod(port)
        await port.kube.client.patch(f"{path}/status", {"status": STAGES[-1]})
        await port.pass_time(minutes=30)
        async with port.running():
            await port.quiet()
            assert told(port) == {}


async def test_numbers_go_with_the_object() -> None:
    async with slipway(BORN) as port, port.running():
        await port.make("report", "0 0 * * *")
        path = await make_pod(port)
        await become(port, path, STAGES[-1])
        assert len(told(port)) == 4
        name = "/apis/psc.cronprimer.local/v1alpha1/namespaces/harbour/prescaledcronjobs/report"
        await port.kube.client.delete(name)
        await port.quiet()
        assert told(port) == {}


async def test_writes_to_cron_jobs_are_counted() -> None:
    async with slipway() as port, port.running():
        await port.make("report", "0-15 0 * * *")
        await port.quiet()
        await port.reschedule("report", schedule="30 0 * * *")
        await port.quiet()
        counts = {
            (sample.labels["action"], sample.labels["outcome"]): sample.value
            for metric in port.metrics.collect()
            for sample in metric.samples
            if sample.name.endswith("_total")
        }
        assert counts == {
            ("create", "success"): 2.0,
            ("update", "success"): 1.0,
            ("delete", "success"): 1.0,
        }
