"""The restore controller asks for what its rights say, and for nothing else."""

from pathlib import Path

import pytest

from kedge.controllers.restore.rights import RIGHTS
from tests.integration.controllers.wharf import (
    CONFIG_MAPS,
    HOME,
    NAMESPACE,
    Server,
    make_backup,
    phase,
    wharf,
)
from tests.unit.api.stock import stock_crds

pytestmark = pytest.mark.asyncio

GRANTED = {(one.group, one.resource, verb) for one in RIGHTS for verb in one.verbs}
RULES = (
    "version: v1\nresourceModifierRules:\n- conditions: {groupResource: configmaps}\n"
    '  mergePatches: [{patchData: "{}"}]\n'
)


async def test_all_rights_are_used_and_no_others_are_needed(tmp_path: Path) -> None:
    asked: set[tuple[str, str, str]] = set()
    for kinds in (None, stock_crds()):
        async with wharf(Server(tmp_path), kinds) as port:
            modifiers = f"/api/v1/namespaces/{NAMESPACE}/configmaps"
            await port.admin.create(modifiers, {"metadata": {"name": "m"}, "data": {"x": RULES}})
            label = {"labels": {"velero.io/schedule-name": "s"}}
            await port.admin.patch(f"{HOME}/backups/b", {"metadata": label})
            await make_backup(port.admin, "other", {"phase": "Failed"}, **label)
            async with port.running():
                wanted = {"kind": "configmap", "name": "m"}
                await port.restore("r", scheduleName="s", resourceModifier=wanted)
                assert phase(await port.ended("r")) == "Completed"
                await port.delete("r")
        for call in port.proxy.calls:
            aim = call.request.aim
            if aim.plural and not call.path.startswith(CONFIG_MAPS):
                assert aim.namespace == NAMESPACE
                resource = f"{aim.plural}/{aim.subresource}" if aim.subresource else aim.plural
                asked.add((aim.group, resource, aim.verb))
    assert asked == GRANTED
