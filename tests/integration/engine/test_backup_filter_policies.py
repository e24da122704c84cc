"""Which objects a backup takes by a policy that chooses kind by kind."""

import pytest

from tests.integration.engine.backing import (
    ACCOUNTS,
    BINDINGS,
    CLAIM,
    CLAIMS,
    CONFIGS,
    PODS,
    ROLES,
    VOLUME,
    VOLUMES,
    Harbour,
    Made,
    harbour,
    pod,
)

MINE = ("configmaps", "pods", "persistentvolumeclaims", "persistentvolumes", "namespaces")
OWN = {"kube-root-ca.crt"}
SHOP = """
namespacedFilterPolicies:
- namespaces: [shop]
  resourceFilters:
  - {kinds: [ConfigMap], names: [app-*], excludedNames: ['*-tmp']}
  - {kinds: [po], labelSelector: {matchLabels: {app: till}}}
- namespaces: [s*]
  resourceFilters: [{kinds: [deploy]}]
"""


async def fleet(port: Harbour) -> None:
    """Make two namespaces with the same objects, and volumes."""
    for space in ("shop", "other"):
        await port.namespace(space)
        for name in ("app-a", "app-tmp", "more"):
            await port.make(CONFIGS, name, space, labels={"all": "yes"})
        await port.make(CLAIMS, "data", space, spec={**CLAIM, "volumeName": f"{space}-1"})
        await port.make(PODS, "till", space, labels={"app": "till"}, spec=pod("data"))
        await port.make(PODS, "spare", space, labels={"all": "yes"}, spec=pod())
    for name in ("shop-1", "other-1"):
        await port.make(VOLUMES, name, spec=VOLUME)


def of(made: Made, space: str) -> set[str]:
    """Give what is saved of a namespace, as `resource/name`."""
    parts = (name.split("/") for name in made.items)
    return {
        f"{each[0]}/{each[2]}"
        for each in parts
        if len(each) == 3 and each[0] in MINE and each[1] == space and each[2] not in OWN
    }


EVERYTHING = {
    "configmaps/app-a",
    "configmaps/app-tmp",
    "configmaps/more",
    "persistentvolumeclaims/data",
    "pods/till",
    "pods/spare",
}
CHOSEN = {"configmaps/app-a", "pods/till", "persistentvolumeclaims/data"}


@pytest.mark.asyncio
async def test_a_namespace_with_rules_gives_what_they_name_and_what_that_needs() -> None:
    async with harbour() as port:
        await fleet(port)
        for spaces in (["shop", "other"], ["*"], ["shop", "other", "default", "kube-*"]):
            made = await port.back_up(policy=SHOP, includedNamespaces=spaces)
            assert of(made, "shop") == CHOSEN, spaces
            assert of(made, "other") == EVERYTHING, spaces
            assert {"namespaces/shop", "namespaces/other"} <= made.items.keys()
            assert made.journal.errors == 0
        assert "Left out 2 items: its name is not one that the resource policy asks for" in made.log


@pytest.mark.asyncio
async def test_labels_of_a_rule_take_the_place_of_those_of_the_spec() -> None:
    async with harbour() as port:
        await fleet(port)
        labels = {"matchLabels": {"all": "yes"}}
        for spaces in (["shop", "other"], ["*"]):
            made = await port.back_up(policy=SHOP, includedNamespaces=spaces, labelSelector=labels)
            assert of(made, "shop") == CHOSEN, spaces
            assert of(made, "other") == {
                "configmaps/app-a",
                "configmaps/app-tmp",
                "configmaps/more",
                "pods/spare",
            }, spaces
        assert len(made.names) == len(set(made.names))


@pytest.mark.asyncio
async def test_what_no_rule_wants_is_not_asked_for() -> None:
    async with harbour() as port:
        await fleet(port)
        policy = "namespacedFilterPolicies: [{namespaces: ['*'], resourceFilters: [{kinds: [cm]}]}]"
        made = await port.back_up(policy=policy)
        assert of(made, "shop") == {"configmaps/app-a", "configmaps/app-tmp", "configmaps/more"}
        assert "/api/v1/pods" not in port.kube.asked
        assert {"persistentvolumes/shop-1", "persistentvolumes/other-1"} <= made.items.keys()


@pytest.mark.asyncio
async def test_what_comes_first_is_chosen_by_the_same_rules() -> None:
    async with harbour() as port:
        await fleet(port)
        made = await port.back_up(
            policy=SHOP,
            includedNamespaces=["shop"],
            orderedResources={"pods": "shop/spare,shop/till", "configmaps": "shop/app-tmp"},
        )
        assert of(made, "shop") == CHOSEN
        assert "Cannot find resource 'shop/spare'." in made.warnings


CLUSTER = """
clusterScopedFilterPolicy:
  resourceFilters:
  - {kinds: [PersistentVolume], excludedNames: [other-*]}
  - {kinds: [clusterroles, ClusterRoleBinding], labelSelector: {matchLabels: {app: shop}}}
  - {kinds: [ns], names: [shop]}
"""


@pytest.mark.asyncio
async def test_rules_for_what_is_outside_of_namespaces() -> None:
    async with harbour() as port:
        await fleet(port)
        await port.make(ACCOUNTS, "clerk", "shop")
        subject = {"kind": "ServiceAccount", "name": "clerk", "namespace": "shop"}
        for name, labels in (("labelled", {"app": "shop"}), ("bare", {}), ("needed", {})):
            await port.make(ROLES, name, labels=labels, rules=[])
            role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": name}
            subjects = [subject] if name == "needed" else []
            await port.make(BINDINGS, name, labels=labels, roleRef=role, subjects=subjects)
        made = await port.back_up(policy=CLUSTER)
        names = {name for name in made.items if name.count("/") == 1}
        assert {name for name in names if name.startswith("persistentvolumes/")} == {
            "persistentvolumes/shop-1"
        }
        assert {name for name in names if name.startswith("namespaces/")} == {"namespaces/shop"}
        group = "rbac.authorization.k8s.io"
        assert {name for name in names if group in name} == {
            f"{kind}.{group}/{name}"
            for kind in ("clusterroles", "clusterrolebindings")
            for name in ("labelled", "needed")
        }
        assert "priorityclasses.scheduling.k8s.io" in made.resources
        assert of(made, "other") == EVERYTHING


@pytest.mark.asyncio
async def test_a_volume_that_a_claim_needs_is_left_out_by_its_name() -> None:
    async with harbour() as port:
        await fleet(port)
        for space in ("shop", "other"):
            path = f"/api/v1/namespaces/{space}/persistentvolumeclaims/data/status"
            await port.cluster.client.patch(path, {"status": {"phase": "Bound"}})
        made = await port.back_up(policy=CLUSTER, includedNamespaces=["shop", "other"])
        assert "persistentvolumes/shop-1" in made.items
        assert "persistentvolumes/other-1" not in made.items
