"""Which objects a backup takes: namespaces, labels, resources, order."""

from typing import Any

import pytest

from tests.integration.engine.backing import (
    CONFIGS,
    NAMESPACES,
    VOLUME,
    VOLUMES,
    Harbour,
    Made,
    harbour,
)


async def fleet(port: Harbour) -> None:
    """Make namespaces with a ConfigMap each."""
    for name in ("app-1", "app-2", "db"):
        await port.namespace(name, of=name[:2])
        await port.make(CONFIGS, "c", name, labels={"in": name})
    await port.make(CONFIGS, "other", "db")
    await port.make(VOLUMES, "pv", spec=VOLUME)


def configs(made: Made) -> set[str]:
    return {
        name.removeprefix("configmaps/") for name in made.items if name.startswith("configmaps/")
    }


def namespaces(made: Made) -> set[str]:
    return {
        name.removeprefix("namespaces/") for name in made.items if name.startswith("namespaces/")
    }


@pytest.mark.asyncio
async def test_namespaces_by_name_and_by_wildcard() -> None:
    async with harbour() as port:
        await fleet(port)
        made = await port.back_up(includedNamespaces=["app-*"])
        assert configs(made) == {"app-1/c", "app-2/c"}
        assert namespaces(made) == {"app-1", "app-2"}
        assert "persistentvolumes" not in made.resources
        made = await port.back_up(includedNamespaces=["app-*", "db"], excludedNamespaces=["*-2"])
        assert configs(made) == {"app-1/c", "db/c", "db/other"}
        assert namespaces(made) == {"app-1", "db"}
        made = await port.back_up(excludedNamespaces=["app-?"])
        assert configs(made) == {"db/c", "db/other"}
        assert namespaces(made) == {
            "db",
            "default",
            "kube-node-lease",
            "kube-public",
            "kube-system",
        }
        assert made.journal.warnings == made.journal.errors == 0


@pytest.mark.asyncio
async def test_most_of_the_namespaces_are_read_at_once_and_the_rest_is_left_out() -> None:
    async with harbour() as port:
        await fleet(port)
        names = ["app-1", "app-2", "db", "default", "kube-public"]
        made = await port.back_up(includedNamespaces=names)
        assert configs(made) == {"app-1/c", "app-2/c", "db/c", "db/other"}
        assert namespaces(made) == set(names)
        assert "/api/v1/configmaps" in port.kube.asked
        roles = {name for name in made.items if name.startswith("roles.")}
        assert roles
        assert all(name.split("/")[1] in names for name in roles)


@pytest.mark.asyncio
async def test_a_wildcard_that_matches_nothing_takes_nothing_and_is_warned_of() -> None:
    async with harbour() as port:
        await fleet(port)
        made = await port.back_up(includedNamespaces=["none-*"])
        assert made.items == {}
        assert "no namespaces matched the resolution of wildcard patterns" in made.warnings
        assert made.journal.errors == 0


@pytest.mark.asyncio
async def test_a_namespace_that_is_not_there_is_an_error() -> None:
    async with harbour() as port:
        await fleet(port)
        made = await port.back_up(includedNamespaces=["db", "gone"])
        assert configs(made) == {"db/c", "db/other"}
        assert made.journal.results()["errors"] == {
            "velero": [
                " resource: /namespaces message: /fail to get the namespace gone specified in "
                "backup.Spec.IncludedNamespaces"
            ]
        }


@pytest.mark.asyncio
async def test_a_namespace_that_is_not_there_is_warned_of_where_namespaces_are_not_saved() -> None:
    async with harbour() as port:
        await fleet(port)
        made = await port.back_up(includedNamespaces=["db", "gone"], includedResources=["cm"])
        assert configs(made) == {"db/c", "db/other"}
        assert made.journal.errors == 0
        assert "fail to get the namespace gone specified" in made.warnings


@pytest.mark.asyncio
async def test_a_namespace_without_a_name_is_an_error_and_not_an_empty_backup() -> None:
    async with harbour() as port:
        await fleet(port)
        made = await port.back_up(includedNamespaces=[""])
        assert made.items == {}
        assert "fail to get the namespace  specified" in made.errors


@pytest.mark.asyncio
async def test_labels_choose_objects_and_namespaces() -> None:
    async with harbour() as port:
        await fleet(port)
        made = await port.back_up(labelSelector={"matchLabels": {"in": "db"}})
        assert configs(made) == {"db/c"}
        assert namespaces(made) == {"db"}
        made = await port.back_up(labelSelector={"matchLabels": {"of": "ap"}})
        assert configs(made) == set()
        assert namespaces(made) == {"app-1", "app-2"}
        made = await port.back_up(
            includedNamespaces=["app-1"], labelSelector={"matchLabels": {"of": "db"}}
        )
        assert namespaces(made) == {"app-1", "db"}


@pytest.mark.asyncio
async def test_one_of_several_selectors_is_enough_and_nothing_comes_twice() -> None:
    async with harbour() as port:
        await fleet(port)
        some = [
            {"matchLabels": {"in": "db"}},
            {"matchExpressions": [{"key": "in", "operator": "In", "values": ["db", "app-1"]}]},
        ]
        made = await port.back_up(orLabelSelectors=some)
        assert configs(made) == {"app-1/c", "db/c"}
        assert len(made.names) == len(set(made.names))


@pytest.mark.asyncio
async def test_a_backup_without_filters_is_one_of_the_whole_cluster() -> None:
    async with harbour() as port:
        await fleet(port)
        specs: list[dict[str, Any]] = [
            {},
            {"includedNamespaces": ["*"]},
            {
                "excludedNamespaceScopedResources": ["volumesnapshots.snapshot.storage.k8s.io"],
                "excludedClusterScopedResources": [
                    "volumesnapshotcontents.snapshot.storage.k8s.io"
                ],
            },
        ]
        for spec in specs:
            made = await port.back_up(**spec)
            assert "persistentvolumes/pv" in made.items
            assert "clusterroles.rbac.authorization.k8s.io" in made.resources


@pytest.mark.asyncio
async def test_old_filters() -> None:
    async with harbour() as port:
        await fleet(port)
        made = await port.back_up(includedResources=["cm", "pv"])
        assert made.resources == {"configmaps", "persistentvolumes"}
        made = await port.back_up(includeClusterResources=False)
        assert "namespaces" not in made.resources
        assert "persistentvolumes" not in made.resources
        made = await port.back_up(includedNamespaces=["db"], includeClusterResources=True)
        assert "persistentvolumes/pv" in made.items
        assert configs(made) == {"db/c", "db/other"}
        made = await port.back_up(includedResources=["boats"])
        assert made.items == {}
        assert "names 'boats', which this cluster does not have" in made.warnings


@pytest.mark.asyncio
async def test_what_is_named_first_is_saved_first() -> None:
    async with harbour() as port:
        await fleet(port)
        for name in ("a", "b", "x", "y"):
            await port.make(CONFIGS, name, "db")
        made = await port.back_up(
            includedNamespaces=["db"],
            includedNamespaceScopedResources=["configmaps"],
            orderedResources={"configmaps": "db/y, db/gone,db/b,app-1/c,x", "pods": "db/p"},
        )
        saved = [name.split("/")[-1] for name in made.items if name.startswith("configmaps")]
        assert saved == ["y", "b", "a", "c", "other", "x"]
        for missing in ("db/gone", "app-1/c", "x"):
            assert f"Cannot find resource '{missing}'." in made.warnings
        assert made.journal.warnings == 3


@pytest.mark.asyncio
async def test_a_namespace_on_its_way_out_is_left_out() -> None:
    async with harbour() as port:
        await fleet(port)
        await port.make(CONFIGS, "stuck", "db", finalizers=["example.org/wait"])
        await port.kube.delete(NAMESPACES, "db")
        made = await port.back_up()
        assert "db" not in namespaces(made)
