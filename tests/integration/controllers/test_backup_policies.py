"""A Backup follows the policy that it names, or is refused in Velero's words."""

from pathlib import Path

import pytest

from kedge.engine.backup.run import back_up
from kedge.engine.backup.validate import MIXED_FILTER_POLICY, MIXED_POLICY
from kedge.kube.kind import Object
from tests.integration.controllers.quay import NAMESPACE, Quay, Server, problems, quay, saved

pytestmark = pytest.mark.asyncio

RULES: Object = {"kind": "configmap", "name": "rules"}
ONE = """
version: v1
namespacedFilterPolicies:
- namespaces: [def*]
  resourceFilters: [{kinds: [ConfigMap], names: [app-*]}]
"""


async def config(port: Quay, name: str, namespace: str = "default", **data: str) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps"
    await port.admin.create(path, {"metadata": {"name": name}, "data": data})


async def test_a_backup_takes_what_its_policy_names(tmp_path: Path) -> None:
    async with quay(Server(tmp_path, collect=back_up)) as port, port.running():
        await config(port, "app-a")
        await config(port, "other")
        await config(port, "rules", NAMESPACE, policy=ONE)
        await port.backup("b", resourcePolicy=RULES)
        status = await port.ended("b")
        assert (status["phase"], status.get("warnings", 0)) == ("Completed", 0)
        assert saved(tmp_path, "b") == ["default/app-a"]
        assert not problems(tmp_path, "b")


async def test_a_policy_that_can_not_be_followed_is_refused(tmp_path: Path) -> None:
    async with quay(Server(tmp_path)) as port, port.running():
        await config(port, "rules", NAMESPACE, policy=ONE.replace("def*", "def**"))
        await port.backup("b", resourcePolicy=RULES)
        status = await port.ended("b")
        assert status["phase"] == "FailedValidation"
        (wrong,) = status["validationErrors"]
        assert "namespacedFilterPolicies[0].namespaces[0]: wildcard pattern contains" in wrong


async def test_a_policy_does_not_go_together_with_old_filters(tmp_path: Path) -> None:
    both = "includeExcludePolicy: {includedNamespaceScopedResources: [cm]}\n"
    async with quay(Server(tmp_path)) as port, port.running():
        await config(port, "rules", NAMESPACE, policy=ONE + both)
        await port.backup("b", resourcePolicy=RULES, includedResources=["configmaps"])
        status = await port.ended("b")
        assert status["validationErrors"] == [MIXED_POLICY, MIXED_FILTER_POLICY]
