"""Pods, claims and volumes: what comes back with what, and what is made anew."""

from typing import Any

import pytest

from kedge.engine.restore.order import parse
from tests.integration.engine.slipway import obj, slipway

Object = dict[str, Any]
CLAIMS = "/api/v1/namespaces/app/persistentvolumeclaims"


def volume(name: str, policy: str, namespace: str = "app") -> Object:
    return obj(
        "PersistentVolume",
        name,
        meta={"annotations": {"pv.kubernetes.io/bound-by-controller": "yes"}},
        spec={
            "capacity": {"storage": "1Gi"},
            "accessModes": ["ReadWriteOnce"],
            "persistentVolumeReclaimPolicy": policy,
            "storageClassName": "",
            "hostPath": {"path": "/data"},
            "claimRef": {
                "apiVersion": "v1",
                "kind": "PersistentVolumeClaim",
                "namespace": namespace,
                "name": f"claim-{name}",
                "uid": "6f3a9b0e-0000-0000-0000-000000000000",
                "resourceVersion": "5",
            },
        },
        status={"phase": "Bound"},
    )


def claim(name: str) -> Object:
    return obj(
        "PersistentVolumeClaim",
        f"claim-{name}",
        "app",
        meta={
            "annotations": {"pv.kubernetes.io/bind-completed": "yes", "mine": "1"},
            "finalizers": ["kubernetes.io/pvc-protection"],
        },
        spec={
            "volumeMode": "Filesystem",
            "volumeName": name,
            "storageClassName": "",
            "accessModes": ["ReadWriteOnce"],
            "resources": {"requests": {"storage": "1Gi"}},
        },
        status={"phase": "Bound"},
    )


def pod(name: str, *claims: str, **more: Any) -> Object:
    volumes = [
        {"name": each, "persistentVolumeClaim": {"claimName": f"claim-{each}"}} for each in claims
    ]
    spec = {
        "containers": [{"name": "c", "image": "i"}],
        "volumes": volumes,
        "nodeName": "gone",
        "serviceAccountName": "default",
    }
    return obj("Pod", name, "app", spec={**spec, **more.pop("spec", {})}, **more)


ACCOUNT = obj("ServiceAccount", "default", "app")


@pytest.mark.asyncio
async def test_volume_that_is_kept_comes_back_bound_to_its_claim() -> None:
    async with slipway() as ship:
        report = await ship.restore([volume("v", "Retain"), claim("v")])
        assert (report.errors, report.warnings) == ([], [])
        found = await ship.get("/api/v1/persistentvolumes/v")
        reference = found["spec"]["claimRef"]
        assert (reference["namespace"], reference["name"]) == ("app", "claim-v")
        assert "uid" not in reference
        assert "resourceVersion" not in reference
        assert "pv.kubernetes.io/bound-by-controller" not in found["metadata"].get(
            "annotations", {}
        )
        found = await ship.get(f"{CLAIMS}/claim-v")
        assert found["spec"]["volumeName"] == "v"
        assert found["metadata"]["annotations"] == {"mine": "1"}


@pytest.mark.asyncio
async def test_volume_that_went_with_its_claim_is_made_anew() -> None:
    async with slipway() as ship:
        report = await ship.restore([volume("v", "Delete"), claim("v")])
        assert (report.errors, report.warnings) == ([], [])
        assert report.outcome.resource_list["v1/PersistentVolume"] == ["v(skipped)"]
        found = await ship.get(f"{CLAIMS}/claim-v")
        assert "volumeName" not in found["spec"]
        again = await ship.restore([volume("v", "Delete"), claim("v")])
        assert again.warnings == []


@pytest.mark.asyncio
async def test_volume_names_the_namespace_that_its_claim_goes_to() -> None:
    async with slipway() as ship:
        report = await ship.restore(
            [volume("v", "Retain"), claim("v")], namespace_mapping={"app": "copy"}
        )
        assert report.errors == []
        found = await ship.get("/api/v1/persistentvolumes/v")
        assert found["spec"]["claimRef"]["namespace"] == "copy"


@pytest.mark.asyncio
async def test_disk_of_a_volume_that_is_there_is_not_given_to_a_copy() -> None:
    async with slipway() as ship:
        await ship.restore([volume("v", "Retain"), claim("v")])
        report = await ship.restore(
            [volume("v", "Retain"), claim("v")], namespace_mapping={"app": "copy"}
        )
        assert len(report.warnings) == 1
        assert "could not restore, PersistentVolume:v already exists" in report.warnings[0]
        volumes = await ship.get("/api/v1/persistentvolumes")
        assert len(volumes["items"]) == 1


@pytest.mark.asyncio
async def test_pod_brings_its_claims_and_their_volumes() -> None:
    priority = obj("PriorityClass", "high", api="scheduling.k8s.io/v1", value=7)
    objects = [
        ACCOUNT,
        pod("p", "v", "w", spec={"priorityClassName": "high"}),
        claim("v"),
        claim("w"),
        volume("v", "Retain"),
        volume("w", "Delete"),
        volume("x", "Retain"),
        priority,
    ]
    async with slipway() as ship:
        report = await ship.restore(
            objects, included_namespaces=["app"], priorities=parse("serviceaccounts,pods")
        )
        assert (report.errors, report.warnings) == ([], [])
        assert report.outcome.resource_list == {
            "v1/Namespace": ["app(created)"],
            "v1/PersistentVolume": ["v(created)", "w(skipped)"],
            "v1/PersistentVolumeClaim": ["app/claim-v(created)", "app/claim-w(created)"],
            "v1/Pod": ["app/p(created)"],
            "v1/ServiceAccount": ["app/default(created)"],
            "scheduling.k8s.io/v1/PriorityClass": ["high(created)"],
        }
        found = await ship.get("/api/v1/namespaces/app/pods/p")
        assert "nodeName" not in found["spec"]


@pytest.mark.asyncio
async def test_what_a_pod_needs_and_the_backup_lacks_is_warned_of() -> None:
    async with slipway() as ship:
        report = await ship.restore([ACCOUNT, pod("p", "lost")])
        assert report.errors == []
        assert report.warnings == [
            "unable to restore additional item persistentvolumeclaims/app/claim-lost: "
            "it is not in the backup"
        ]
        assert report.outcome.resource_list["v1/Pod"] == ["app/p(created)"]


@pytest.mark.asyncio
async def test_what_is_over_does_not_come_back() -> None:
    job = obj(
        "Job",
        "j",
        "app",
        api="batch/v1",
        spec={"template": {"spec": {"containers": [{"name": "c", "image": "i"}]}}},
        status={"completionTime": "2030-01-01T00:00:00Z"},
    )
    objects = [
        pod("done", status={"phase": "Succeeded"}),
        pod("failed", status={"phase": "Failed"}),
        pod("mirror", meta={"annotations": {"kubernetes.io/config.mirror": "x"}}),
        job,
    ]
    async with slipway() as ship:
        report = await ship.restore(objects)
        assert (report.errors, report.warnings) == ([], [])
        assert report.outcome.resource_list == {
            "batch/v1/Job": ["app/j(skipped)"],
            "v1/Namespace": ["app(created)"],
            "v1/Pod": ["app/done(skipped)", "app/failed(skipped)", "app/mirror(skipped)"],
        }
        assert (await ship.get("/api/v1/namespaces/app/pods"))["items"] == []


@pytest.mark.asyncio
async def test_tokens_of_accounts_are_made_anew() -> None:
    kind = "kubernetes.io/service-account-token"
    about = {"kubernetes.io/service-account.name": "sa", "kubernetes.io/service-account.uid": "x"}
    data = {"token": "dA==", "ca.crt": "Yw==", "namespace": "YXBw"}
    objects = [
        obj("ServiceAccount", "sa", "app", secrets=[{"name": "sa-token-abc"}]),
        obj("Secret", "sa-token-abc", "app", type=kind, data=data, meta={"annotations": about}),
        obj("Secret", "mine", "app", type=kind, data=data, meta={"annotations": about}),
    ]
    async with slipway() as ship:
        report = await ship.restore(objects)
        assert report.errors == []
        assert report.outcome.resource_list["v1/Secret"] == [
            "app/mine(created)",
            "app/sa-token-abc(skipped)",
        ]
        found = await ship.get("/api/v1/namespaces/app/secrets/mine")
        assert found["data"].get("token") != "dA=="
        account = await ship.get("/api/v1/namespaces/app/serviceaccounts/sa")
        assert "secrets" not in account
