"""What a backup for people holds: nothing of others, by whatever words they ask for it."""

from typing import Any

import pytest

from kedge.kube.kind import Object
from kedge.selfservice.policy import Policy
from kedge.selfservice.velero import Request, velero_backup
from tests.integration.engine.backing import CONFIGS, harbour

pytestmark = pytest.mark.asyncio

EVERY_SPACE = {"matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "Exists"}]}
OF_RIVAL = {"matchLabels": {"kubernetes.io/metadata.name": "rival"}}


def spec_of(asked: Object, **enforced: Any) -> Object:
    """Give the spec of the Velero Backup that is made for people of the shop."""
    request = Request("shop", "nightly", "uid", "shop-nightly-u", asked)
    spec: Object = velero_backup(request, "velero", Policy(backup=enforced))["spec"]
    return spec


@pytest.mark.parametrize(
    ("asked", "enforced"),
    [
        ({}, {}),
        ({"labelSelector": {}}, {}),
        ({"labelSelector": EVERY_SPACE}, {}),
        ({"labelSelector": OF_RIVAL}, {}),
        ({"orLabelSelectors": [OF_RIVAL, {"matchLabels": {"app": "web"}}]}, {}),
        ({"orLabelSelectors": [{}]}, {}),
        ({"labelSelector": EVERY_SPACE, "includedResources": ["*"]}, {}),
        (
            {"labelSelector": EVERY_SPACE, "includedResources": ["ns", "Namespace", "configmaps"]},
            {},
        ),
        ({"labelSelector": EVERY_SPACE, "includedNamespaceScopedResources": ["*"]}, {}),
        ({"labelSelector": EVERY_SPACE, "excludedClusterScopedResources": ["nodes"]}, {}),
        ({"labelSelector": EVERY_SPACE, "excludedClusterScopedResources": ["*"]}, {}),
        ({"orderedResources": {"namespaces": "rival", "configmaps": "rival/prices"}}, {}),
        ({}, {"labelSelector": EVERY_SPACE}),
    ],
)
async def test_nothing_of_another_namespace_is_saved(asked: Object, enforced: Object) -> None:
    """Not even that it is there: a Velero saves each Namespace whose labels are selected."""
    async with harbour() as port:
        for name in ("shop", "rival"):
            await port.namespace(name, app="web")
            await port.make(CONFIGS, "prices", name, labels={"app": "web"})
        made = await port.back_up(**spec_of(asked, **enforced))
        assert made.journal.errors == 0
        theirs = [name for name in made.items if "/shop" not in name]
        assert theirs == []
