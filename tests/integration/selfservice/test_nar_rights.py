"""The controller of NonAdminRestores asks for what its rights say, and for nothing else."""

import pytest

from kedge.controllers.nar.rights import AT_HOME, EVERYWHERE, RIGHTS
from tests.integration.selfservice.mooring import (
    FINALIZER,
    HOME,
    NARS,
    RESTORES,
    mooring,
    phase,
)

pytestmark = pytest.mark.asyncio

GRANTED = {(one.group, one.resource, verb) for one in RIGHTS for verb in one.verbs}
HERE = {(one.group, one.resource) for one in AT_HOME}


async def test_all_rights_are_used_and_no_others_are_needed() -> None:
    async with mooring() as port:
        said = {"type": "Accepted", "status": "True", "reason": "RestoreAccepted"}
        said |= {"message": "restore accepted", "lastTransitionTime": "2030-01-01T00:00:00Z"}
        half = {
            "phase": "New",
            "conditions": [{**said, "observedGeneration": 1}],
            "veleroRestore": {"nacuuid": "shop-half", "name": "shop-half", "namespace": HOME},
        }
        await port.nar("half", {"finalizers": [FINALIZER]})
        await port.admin.patch(f"{NARS}/half/status", {"status": half})
        async with port.running():
            await port.nar("r")
            await port.created("half")
            made = await port.created("r")
            await port.velero(made, phase="InProgress", restoreItemOperationsAttempted=1)
            await port.until("r", lambda one: "InProgress" in str(one["status"]))
            name = made["status"]["veleroRestore"]["name"]
            await port.admin.delete(f"{RESTORES}/{name}")
            await port.until("r", lambda one: "NotFound" in str(one["status"]))
            assert phase(await port.get("half")) == "Created"
            for name in ("r", "half"):
                await port.admin.delete(f"{NARS}/{name}")
                await port.gone(f"{NARS}/{name}")
        asked = set()
        for call in port.proxy.calls:
            aim = call.request.aim
            if not aim.plural:
                continue
            resource = f"{aim.plural}/{aim.subresource}" if aim.subresource else aim.plural
            asked.add((aim.group, resource, aim.verb))
            if (aim.group, resource) in HERE:
                assert aim.namespace == HOME
        assert asked == GRANTED
        assert set(RIGHTS) == {*AT_HOME, *EVERYWHERE}
