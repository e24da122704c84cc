"""Objects come back into a cluster: in order, as they were, once."""

from typing import Any, cast

import msgspec
import pytest

from kedge.archive.item import Item, Place
from tests.integration.engine.slipway import LIVED, obj, slipway, widgets


@pytest.mark.asyncio
async def test_objects_come_back_with_their_namespace() -> None:
    objects = [
        obj("Namespace", "app", meta={"labels": {"team": "a"}}, status={"phase": "Active"}),
        obj(
            "ConfigMap",
            "settings",
            "app",
            data={"a": "1"},
            meta={
                "uid": "u-1",
                "resourceVersion": "77",
                "creationTimestamp": "2020-01-01T00:00:00Z",
                "generateName": "sett",
                "labels": {"x": "y"},
                "annotations": {"note": "kept"},
                "ownerReferences": [
                    {"apiVersion": "v1", "kind": "ConfigMap", "name": "gone", "uid": "u-2"}
                ],
            },
        ),
    ]
    async with slipway() as ship:
        report = await ship.restore(objects)
        assert report.errors == []
        assert report.outcome.resource_list == {
            "v1/ConfigMap": ["app/settings(created)"],
            "v1/Namespace": ["app(created)"],
        }
        found = await ship.get("/api/v1/namespaces/app/configmaps/settings")
        assert found["data"] == {"a": "1"}
        assert found["metadata"]["labels"] == {
            "x": "y",
            "velero.io/backup-name": "b1",
            "velero.io/restore-name": "r1",
        }
        assert found["metadata"]["annotations"] == {"note": "kept"}
        assert found["metadata"]["uid"] != "u-1"
        assert "ownerReferences" not in found["metadata"]
        space = await ship.get("/api/v1/namespaces/app")
        assert space["metadata"]["labels"]["team"] == "a"
        assert "velero.io/restore-name" not in space["metadata"]["labels"]
        assert (report.progress.total, report.progress.done) == (2, 2)


@pytest.mark.asyncio
async def test_custom_objects_come_back_after_their_kind() -> None:
    custom = obj("Widget", "w", "app", api="example.com/v1", spec={"a": 1}, status={"phase": "Old"})
    async with slipway() as ship:
        report = await ship.restore([custom, widgets()])
        assert report.errors == []
        assert report.outcome.resource_list["example.com/v1/Widget"] == ["app/w(created)"]
        found = await ship.get("/apis/example.com/v1/namespaces/app/widgets/w")
        assert found["spec"] == {"a": 1}
        assert "status" not in found


@pytest.mark.asyncio
async def test_object_goes_to_another_version_that_is_served() -> None:
    async with slipway() as ship:
        await ship.kube.define(widgets("v2"))
        custom = [
            obj("Widget", name, "app", api="example.com/v1", spec={"a": 1}) for name in ("w", "x")
        ]
        report = await ship.restore(custom)
        assert report.errors == []
        found = await ship.get("/apis/example.com/v2/namespaces/app/widgets/w")
        assert found["apiVersion"] == "example.com/v2"
        # Fields that the other version does not have are lost: that must not go unnoticed.
        assert report.results["warnings"]["velero"] == [
            "the cluster does not serve widgets.example.com as example.com/v1: they are restored "
            "as example.com/v2, without the fields that it does not have"
        ]


@pytest.mark.asyncio
async def test_object_that_no_version_is_served_for_is_told() -> None:
    async with slipway() as ship:
        report = await ship.restore([obj("Widget", "w", "app", api="example.com/v1")])
        assert report.outcome.resource_list["example.com/v1/Widget"] == ["app/w(failed)"]
        (error,) = report.errors
        assert "error preparing widgets.example.com/app/w: " in error
        assert "the cluster serves no widgets.example.com in any version" in error


@pytest.mark.parametrize("policy", [None, "none", "update"])
@pytest.mark.asyncio
async def test_restore_twice_changes_nothing_and_warns_of_nothing(policy: str | None) -> None:
    async with slipway() as ship:
        await ship.namespace("app")
        crd = await ship.kube.define(widgets())
        objects = [crd]
        for path, each in LIVED.items():
            objects.append(await ship.make(path, each))
        mapping = {"app": "copy"}
        first = await ship.restore(
            objects, namespace_mapping=mapping, existing_resource_policy=policy
        )
        assert (first.errors, first.warnings) == ([], [])
        assert first.outcome.resource_list["apps/v1/Deployment"] == ["copy/web(created)"]
        copies = [path.replace("/app/", "/copy/") for path in LIVED]
        before = [(await ship.get(path))["items"] for path in copies]
        second = await ship.restore(
            objects, namespace_mapping=mapping, existing_resource_policy=policy
        )
        assert (second.errors, second.warnings) == ([], [])
        listed = [each for entries in second.outcome.resource_list.values() for each in entries]
        assert len(listed) == len(LIVED) + 1
        assert all(each.endswith("(skipped)") for each in listed)
        assert [(await ship.get(path))["items"] for path in copies] == before
        assert second.requests["PATCH"] == second.requests["PUT"] == 0


@pytest.mark.asyncio
async def test_one_request_makes_an_object() -> None:
    objects = [obj("ConfigMap", f"c{each}", "app", data={"a": "1"}) for each in range(100)]
    async with slipway() as ship:
        report = await ship.restore(objects)
        assert report.outcome.items == 101
        assert report.requests.total() <= 110


@pytest.mark.asyncio
async def test_existing_objects_are_changed_as_the_policy_says() -> None:
    objects = [obj("ConfigMap", "c", "app", data={"a": "backup"}, meta={"labels": {"k": "v"}})]
    path = "/api/v1/namespaces/app/configmaps/c"
    async with slipway() as ship:
        await ship.namespace("app")
        live = obj("ConfigMap", "c", "app", data={"a": "live", "b": "live"})
        await ship.make("/api/v1/namespaces/app/configmaps", live)
        warning = "Warning: the in-cluster version is different than the backed-up version"

        report = await ship.restore(objects)
        assert report.results["warnings"]["namespaces"]["app"] == [
            f"could not restore, ConfigMap:c already exists. {warning}"
        ]
        assert report.outcome.resource_list == {"v1/ConfigMap": ["app/c(failed)"]}

        report = await ship.restore(objects, existing_resource_policy="none")
        assert report.warnings == [f'could not restore, ConfigMap "c" already exists. {warning}']
        assert (await ship.get(path))["data"] == {"a": "live", "b": "live"}

        report = await ship.restore(objects, existing_resource_policy="update")
        assert (report.errors, report.warnings) == ([], [])
        assert report.outcome.resource_list == {"v1/ConfigMap": ["app/c(updated)"]}
        found = await ship.get(path)
        assert found["data"] == {"a": "backup"}
        assert found["metadata"]["labels"]["velero.io/restore-name"] == "r1"

        report = await ship.restore(objects, "r2", existing_resource_policy="update")
        assert report.outcome.resource_list == {"v1/ConfigMap": ["app/c(skipped)"]}
        found = await ship.get(path)
        assert found["metadata"]["labels"]["velero.io/restore-name"] == "r2"


@pytest.mark.asyncio
async def test_object_that_can_not_be_changed_gets_the_labels_at_least() -> None:
    async with slipway() as ship:
        await ship.namespace("app")
        live = obj("ConfigMap", "c", "app", data={"a": "live"}, immutable=True)
        await ship.make("/api/v1/namespaces/app/configmaps", live)
        objects = [obj("ConfigMap", "c", "app", data={"a": "backup"}, immutable=True)]
        report = await ship.restore(objects, existing_resource_policy="update")
        assert len(report.warnings) == 1
        assert report.errors == []
        assert report.outcome.resource_list == {"v1/ConfigMap": ["app/c(failed)"]}
        found = await ship.get("/api/v1/namespaces/app/configmaps/c")
        assert found["data"] == {"a": "live"}
        assert found["metadata"]["labels"]["velero.io/restore-name"] == "r1"


@pytest.mark.asyncio
async def test_service_whose_port_is_its_own_counts_as_there() -> None:
    ports = [{"port": 80, "protocol": "TCP", "targetPort": 80, "nodePort": 30700}]
    spec = {"type": "NodePort", "ports": ports}
    async with slipway() as ship:
        await ship.namespace("app")
        await ship.make("/api/v1/namespaces/app/services", obj("Service", "s", "app", spec=spec))
        objects = [
            obj("Service", "s", "app", spec=spec),
            obj("Service", "other", "app", spec=spec),
        ]
        report = await ship.restore(objects, preserve_node_ports=True)
        assert report.outcome.resource_list["v1/Service"] == [
            "app/other(failed)",
            "app/s(skipped)",
        ] or report.outcome.resource_list["v1/Service"] == ["app/other(failed)", "app/s(failed)"]
        (error,) = report.errors
        assert "error restoring services/app/other: " in error
        assert "provided port is already allocated" in error


@pytest.mark.asyncio
async def test_objects_of_another_place_are_refused_and_reach_nothing() -> None:
    class Forged:
        """An archive that nobody checked."""

        def __init__(self, *items: Item) -> None:
            self._items = items
            self.resources = sorted({each.place.resource for each in items})
            self.warnings: list[str] = []
            self.refused: list[str] = []

        def places(self, resource: str) -> Any:
            return (each.place for each in self.items(resource))

        def items(self, resource: str) -> Any:
            return (each for each in self._items if each.place.resource == resource)

        def get(self, place: Place) -> bytes | None:
            return None

        def namespaces(self) -> set[str]:
            return {each.place.namespace for each in self._items} - {""}

    def item(place: Place, each: dict[str, Any]) -> Item:
        return Item(place, "v1", msgspec.json.encode(each))

    role = "rbac.authorization.k8s.io"
    items = [
        item(Place("configmaps", "app", "a"), obj("ConfigMap", "b", "app")),
        item(Place("configmaps", "app", "b"), obj("ConfigMap", "b", "kube-system")),
        item(Place("configmaps", "app", "c"), obj("Secret", "c", "app")),
        item(
            Place("configmaps", "app", "d"),
            obj("ClusterRoleBinding", "d", "app", api=f"{role}/v1"),
        ),
        item(Place("configmaps", "app", "../../x"), obj("ConfigMap", "../../x", "app")),
        item(Place("configmaps", "../x", "e"), obj("ConfigMap", "e", "../x")),
        item(Place("configmaps", "app", "good"), obj("ConfigMap", "good", "app")),
        item(
            Place(f"clusterroles.{role}", "app", "f"),
            obj("ClusterRole", "f", "app", api=f"{role}/v1"),
        ),
        Item(Place("configmaps", "app", "g"), "v1", b"[]"),
    ]
    async with slipway() as ship:
        report = await ship.restore(cast("Any", Forged(*items)))
        assert report.requests["POST"] <= 5
        maps = await ship.get("/api/v1/namespaces/app/configmaps")
        assert [each["metadata"]["name"] for each in maps["items"]] == ["good"]
        assert len(report.errors) >= 8
        assert all("/" in each for each in report.errors)
        failed = [
            each
            for entries in report.outcome.resource_list.values()
            for each in entries
            if each.endswith("(failed)")
        ]
        assert len(failed) == 9
