"""The controllers of PreScaledCronJobs ask for what their rights say, and for nothing else."""

import pytest

from kedge.controllers.prescaled.rights import RIGHTS
from kedge.kube.times import parse_time
from tests.integration.controllers.slipway import JOBS, PODS, slipway
from tests.unit.controllers.prescaled.pods import STAGES, pod

pytestmark = pytest.mark.asyncio

GRANTED = {(one.group, one.resource, verb) for one in RIGHTS for verb in one.verbs}


async def test_all_rights_are_used_and_no_others_are_needed() -> None:
    async with slipway() as port, port.running():
        await port.make("report", "0-15 0 * * *")
        await port.make("monthly", "0 0 1 * *", concurrencyPolicy="Replace")
        await port.make("bad", "61 * * * *")
        await port.quiet()
        await port.reschedule("report", schedule="30 0 * * *")
        made = await port.kube.client.create(PODS, pod())
        status = {**STAGES[-1], "conditions": []}
        path = f"{PODS}/{made['metadata']['name']}/status"
        await port.kube.client.patch(path, {"status": status})
        child = await port.child("autogen-monthly")
        job = {"metadata": {"name": "old"}, "spec": child["spec"]["jobTemplate"]["spec"]}
        await port.kube.client.create(JOBS, job)
        await port.fired("autogen-monthly", parse_time("2030-01-01T00:00:00Z"), ("old",))
        await port.reach("2030-01-31T23:50:00Z")
        await port.pass_time(seconds=10)
        assert len(await port.jobs()) == 1
    asked = set()
    for call in port.proxy.calls:
        aim = call.request.aim
        if aim.plural:
            resource = f"{aim.plural}/{aim.subresource}" if aim.subresource else aim.plural
            asked.add((aim.group, resource, aim.verb))
    assert asked == GRANTED
