"""Namespaces of a restore: made, mapped, filtered, waited for."""

import asyncio
from datetime import timedelta

import pytest

from kedge.api.velero.restore import StatusSelection
from kedge.api.velero.selector import LabelSelector
from kedge.engine.restore.modifiers import read
from tests.integration.engine.slipway import obj, slipway

ROLES = "rbac.authorization.k8s.io/v1"
PLUGIN = {"velero.io/plugin-config": ""}


@pytest.mark.asyncio
async def test_objects_go_where_their_namespace_is_mapped() -> None:
    subjects = [{"kind": "ServiceAccount", "name": "x", "namespace": "app"}]
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "view"}
    objects = [
        obj("Namespace", "app", meta={"annotations": {"n": "kept"}}),
        obj("ConfigMap", "c", "app"),
        obj("RoleBinding", "r", "app", api=ROLES, subjects=subjects, roleRef=role),
        obj("ClusterRoleBinding", "cr", api=ROLES, subjects=subjects, roleRef=role),
    ]
    async with slipway() as ship:
        report = await ship.restore(objects, namespace_mapping={"app": "copy"})
        assert report.errors == []
        space = await ship.get("/api/v1/namespaces/copy")
        assert space["metadata"]["annotations"] == {"n": "kept"}
        await ship.get("/api/v1/namespaces/copy/configmaps/c")
        path = "/apis/rbac.authorization.k8s.io/v1"
        inside = await ship.get(f"{path}/namespaces/copy/rolebindings/r")
        outside = await ship.get(f"{path}/clusterrolebindings/cr")
        assert inside["subjects"][0]["namespace"] == "copy"
        assert outside["subjects"][0]["namespace"] == "copy"
        spaces = await ship.get("/api/v1/namespaces")
        assert "app" not in [each["metadata"]["name"] for each in spaces["items"]]


@pytest.mark.asyncio
async def test_some_namespaces_come_without_objects_of_the_cluster() -> None:
    objects = [
        obj("Namespace", "dev-1", meta={"labels": {"a": "b"}}),
        obj("Namespace", "prod"),
        obj("ConfigMap", "c", "dev-1"),
        obj("ConfigMap", "c", "prod"),
        obj("ClusterRole", "r", api=ROLES, rules=[]),
    ]
    async with slipway() as ship:
        report = await ship.restore(objects, included_namespaces=["dev-*"])
        assert report.errors == []
        assert report.outcome.resource_list == {
            "v1/ConfigMap": ["dev-1/c(created)"],
            "v1/Namespace": ["dev-1(created)"],
        }
        space = await ship.get("/api/v1/namespaces/dev-1")
        assert space["metadata"]["labels"]["a"] == "b"
        nothing = await ship.restore(objects, "r2", included_namespaces=["qa-*"])
        assert nothing.outcome.resource_list == {}
        assert (nothing.progress.total, nothing.progress.done) == (0, 0)
        assert nothing.results["warnings"]["velero"] == [
            "spec.includedNamespaces names 'qa-*', which the backup does not have"
        ]
        bad = await ship.restore(objects, "r3", included_namespaces=["qa-**"])
        assert bad.outcome.items == 0
        assert (
            "wildcard pattern contains consecutive asterisks" in bad.results["errors"]["velero"][0]
        )


@pytest.mark.asyncio
async def test_objects_are_selected_by_label_and_kind() -> None:
    objects = [
        obj("ConfigMap", "yes", "app", meta={"labels": {"a": "b"}}),
        obj("ConfigMap", "no", "app"),
        obj("Secret", "yes", "app", meta={"labels": {"a": "b"}}),
    ]
    async with slipway() as ship:
        report = await ship.restore(
            objects,
            included_resources=["cm"],
            label_selector=LabelSelector(match_labels={"a": "b"}),
        )
        assert report.outcome.resource_list == {
            "v1/ConfigMap": ["app/yes(created)"],
            "v1/Namespace": ["app(created)"],
        }


@pytest.mark.asyncio
async def test_namespace_that_goes_away_is_waited_for() -> None:
    async with slipway() as ship:
        await ship.namespace("app")
        stuck = obj("ConfigMap", "stuck", "app", meta={"finalizers": ["example.com/wait"]})
        path = "/api/v1/namespaces/app/configmaps"
        await ship.make(path, stuck)
        await ship.kube.client.delete("/api/v1/namespaces/app")
        await ship.kube.client.until(
            "/api/v1/namespaces/app", lambda one: one["status"]["phase"] == "Terminating"
        )
        async with asyncio.TaskGroup() as group:
            restoring = group.create_task(ship.restore([obj("ConfigMap", "c", "app")]))
            async with asyncio.timeout(20):
                while not ship.requests["GET"] > 3:
                    await asyncio.wait([restoring], timeout=0.02)
            assert not restoring.done()
            await ship.kube.client.patch(f"{path}/stuck", {"metadata": {"finalizers": None}})
        report = restoring.result()
        assert report.errors == []
        await ship.get(f"{path}/c")


@pytest.mark.asyncio
async def test_namespace_that_stays_is_told_once() -> None:
    async with slipway() as ship:
        await ship.namespace("app")
        stuck = obj("ConfigMap", "stuck", "app", meta={"finalizers": ["example.com/wait"]})
        await ship.make("/api/v1/namespaces/app/configmaps", stuck)
        await ship.kube.client.delete("/api/v1/namespaces/app")
        objects = [obj("ConfigMap", f"c{each}", "app") for each in range(3)]
        report = await ship.restore(objects, terminating_timeout=timedelta(0))
        assert report.results["errors"]["velero"] == [
            "timed out waiting for terminating namespace app to disappear before restoring"
        ]
        assert len(report.outcome.resource_list["v1/ConfigMap"]) == 3
        assert all(
            each.endswith("(failed)") for each in report.outcome.resource_list["v1/ConfigMap"]
        )


def workload(**more: object) -> dict[str, object]:
    template = {
        "metadata": {"labels": {"a": "b"}},
        "spec": {"containers": [{"name": "c", "image": "old.io/app:1"}]},
    }
    spec = {"replicas": 2, "selector": {"matchLabels": {"a": "b"}}, "template": template}
    return obj("Deployment", "web", "app", api="apps/v1", spec=spec, **more)


@pytest.mark.asyncio
async def test_status_comes_back_where_it_is_asked_for() -> None:
    status = {"replicas": 2, "readyReplicas": 1}
    other = obj("ServiceAccount", "x", "app")
    async with slipway() as ship:
        plain = await ship.restore([workload(status=status)])
        assert plain.errors == []
        found = await ship.get("/apis/apps/v1/namespaces/app/deployments/web")
        assert "readyReplicas" not in found["status"]
        mapping = {"app": "copy"}
        asked = StatusSelection(included_resources=["deploy"])
        report = await ship.restore(
            [workload(status=status), other],
            namespace_mapping=mapping,
            restore_status=asked,
        )
        assert (report.errors, report.warnings) == ([], [])
        found = await ship.get("/apis/apps/v1/namespaces/copy/deployments/web")
        assert found["status"]["readyReplicas"] == 1
        assert found["spec"]["replicas"] == 2
        forbidden = workload(
            status=status, meta={"annotations": {"velero.io/restore-status": " False"}}
        )
        await ship.restore([forbidden], namespace_mapping={"app": "third"}, restore_status=asked)
        found = await ship.get("/apis/apps/v1/namespaces/third/deployments/web")
        assert "readyReplicas" not in found["status"]
        forced = workload(status=status, meta={"annotations": {"velero.io/restore-status": "true"}})
        await ship.restore([forced], namespace_mapping={"app": "fourth"})
        found = await ship.get("/apis/apps/v1/namespaces/fourth/deployments/web")
        assert found["status"]["readyReplicas"] == 1
        # The annotation is a word of whoever wrote the archive; to exclude all is the last word.
        never = StatusSelection(excluded_resources=["*"])
        await ship.restore([forced], namespace_mapping={"app": "fifth"}, restore_status=never)
        found = await ship.get("/apis/apps/v1/namespaces/fifth/deployments/web")
        assert "readyReplicas" not in found["status"]


def owners(operation: str) -> dict[str, object]:
    return {
        "managedFields": [
            {
                "manager": "argocd",
                "operation": operation,
                "apiVersion": "v1",
                "time": "2030-01-01T00:00:00Z",
                "fieldsType": "FieldsV1",
                "fieldsV1": {"f:data": {"f:a": {}}},
            }
        ]
    }


@pytest.mark.asyncio
async def test_owners_of_fields_come_back_where_somebody_applied() -> None:
    async with slipway() as ship:
        report = await ship.restore(
            [
                obj("ConfigMap", "one", "app", data={"a": "1"}, meta=owners("Apply")),
                obj("ConfigMap", "two", "app", data={"a": "1"}, meta=owners("Update")),
            ]
        )
        assert (report.errors, report.warnings) == ([], [])
        assert report.requests["PATCH"] == 1
        found = await ship.get("/api/v1/namespaces/app/configmaps/one")
        names = [each["manager"] for each in found["metadata"]["managedFields"]]
        assert "argocd" in names
        found = await ship.get("/api/v1/namespaces/app/configmaps/two")
        assert [each["manager"] for each in found["metadata"]["managedFields"]] == ["kedge"]


@pytest.mark.asyncio
async def test_rules_change_objects() -> None:
    text = """
version: v1
resourceModifierRules:
- conditions:
    groupResource: deployments.apps
    namespaces: [app]
  strategicPatches:
  - patchData: |
      spec:
        template:
          spec:
            containers:
            - name: side
              image: s
- conditions:
    groupResource: configmaps
    resourceNameRegex: "^c"
  patches:
  - operation: replace
    path: /data/a
    value: "changed"
  - operation: add
    path: /metadata/name
    value: renamed
- conditions:
    groupResource: configmaps
  patches:
  - operation: remove
    path: /none
"""
    rules = read({"r": text}, "velero/m")
    async with slipway() as ship:
        report = await ship.restore(
            [workload(), obj("ConfigMap", "c", "app", data={"a": "1"})],
            modifiers=rules,
            namespace_mapping={"app": "copy"},
        )
        assert len(report.errors) == 1
        assert "error in applying patch" in report.errors[0]
        assert report.outcome.resource_list["v1/ConfigMap"] == ["copy/renamed(created)"]
        found = await ship.get("/api/v1/namespaces/copy/configmaps/renamed")
        assert found["data"] == {"a": "changed"}
        found = await ship.get("/apis/apps/v1/namespaces/copy/deployments/web")
        names = {each["name"] for each in found["spec"]["template"]["spec"]["containers"]}
        assert names == {"c", "side"}


@pytest.mark.asyncio
async def test_config_maps_of_plugins_change_images_and_storage_classes() -> None:
    claim = obj(
        "PersistentVolumeClaim",
        "data",
        "app",
        spec={
            "storageClassName": "old",
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
        },
    )
    bad = {**claim, "metadata": {"name": "bad", "namespace": "app"}}
    bad["spec"] = {**claim["spec"], "storageClassName": "lost"}
    fresh = obj("StorageClass", "new", api="storage.k8s.io/v1", provisioner="x")
    async with slipway() as ship:
        await ship.namespace("velero")
        path = "/api/v1/namespaces/velero/configmaps"
        labels = {**PLUGIN, "velero.io/change-image-name": "RestoreItemAction"}
        images = obj("ConfigMap", "i", "velero", data={"1": "old.io,new.io"})
        images["metadata"]["labels"] = labels
        await ship.make(path, images)
        classes = obj("ConfigMap", "s", "velero", data={"old": "new", "lost": "nowhere"})
        classes["metadata"]["labels"] = {
            **PLUGIN,
            "velero.io/change-storage-class": "RestoreItemAction",
        }
        await ship.make(path, classes)
        report = await ship.restore([workload(), claim, bad, fresh])
        (error,) = report.errors
        assert "error preparing persistentvolumeclaims/app/bad" in error
        assert "error getting storage class nowhere from API" in error
        found = await ship.get("/apis/apps/v1/namespaces/app/deployments/web")
        assert found["spec"]["template"]["spec"]["containers"][0]["image"] == "new.io/app:1"
        found = await ship.get("/api/v1/namespaces/app/persistentvolumeclaims/data")
        assert found["spec"]["storageClassName"] == "new"

        images["metadata"] = {"name": "again", "namespace": "velero", "labels": labels}
        await ship.make(path, images)
        report = await ship.restore([workload()], namespace_mapping={"app": "copy"})
        assert "found more than one ConfigMap matching label selector" in report.errors[0]
        assert report.errors[0].endswith("[again i]")
