"""The official Python client: typed and custom objects, watches, the dynamic client, leases."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from kubernetes import client, config, dynamic, watch
from kubernetes.client.exceptions import ApiException
from kubernetes.leaderelection import electionconfig, leaderelection
from kubernetes.leaderelection.resourcelock.leaselock import LeaseLock

from tests.integration.apiserver_process import Running
from tests.integration.clients.manifests import WEB

DEPLOYMENT: dict[str, Any] = next(iter(yaml.safe_load_all(WEB)))


@pytest.fixture(scope="module")
def api(server: Running) -> Iterator[client.ApiClient]:
    with config.new_client_from_config(str(server.kubeconfig)) as api:
        yield api


@pytest.fixture
def core(api: client.ApiClient) -> client.CoreV1Api:
    return client.CoreV1Api(api)


def test_core_objects_are_created_read_changed_and_deleted(
    core: client.CoreV1Api, namespace: str
) -> None:
    body = client.V1ConfigMap(metadata=client.V1ObjectMeta(generate_name="m-"), data={"a": "b"})
    made = core.create_namespaced_config_map(namespace, body)
    name = made.metadata.name
    made.data["c"] = "d"
    changed = core.replace_namespaced_config_map(name, namespace, made)
    with pytest.raises(ApiException) as stale:
        core.replace_namespaced_config_map(name, namespace, made)
    assert (stale.value.status, stale.value.reason) == (409, "Conflict")
    patched = core.patch_namespaced_config_map(name, namespace, {"data": {"a": None}})
    assert patched.data == {"c": "d"}
    assert int(patched.metadata.resource_version) > int(changed.metadata.resource_version)
    assert len(core.list_namespaced_config_map(namespace).items) == 1
    core.delete_namespaced_config_map(name, namespace)
    with pytest.raises(ApiException) as gone:
        core.read_namespaced_config_map(name, namespace)
    assert gone.value.status == 404


def test_workloads_have_status_and_scale(api: client.ApiClient, namespace: str) -> None:
    apps = client.AppsV1Api(api)
    apps.create_namespaced_deployment(namespace, DEPLOYMENT)
    apps.patch_namespaced_deployment_scale("web", namespace, {"spec": {"replicas": 5}})
    status = {"status": {"replicas": 5, "readyReplicas": 4}}
    seen = apps.patch_namespaced_deployment_status("web", namespace, status)
    assert (seen.spec.replicas, seen.status.ready_replicas) == (5, 4)
    batch = client.BatchV1Api(api)
    template = {"spec": {"restartPolicy": "Never", "containers": [{"name": "c", "image": "i"}]}}
    job = {"metadata": {"name": "once"}, "spec": {"template": template}}
    batch.create_namespaced_job(namespace, job)
    assert batch.read_namespaced_job("once", namespace).spec.backoff_limit == 6
    batch.delete_collection_namespaced_job(namespace, propagation_policy="Background")
    assert batch.list_namespaced_job(namespace).items == []


def test_custom_objects(api: client.ApiClient, boats: str, namespace: str) -> None:
    custom = client.CustomObjectsApi(api)
    where = (boats, "v1", namespace, "boats")
    boat = {"apiVersion": f"{boats}/v1", "kind": "Boat", "metadata": {"name": "kayak"}}
    custom.create_namespaced_custom_object(*where, {**boat, "spec": {"length": 5}})
    custom.patch_namespaced_custom_object_status(*where, "kayak", {"status": {"afloat": True}})
    custom.patch_namespaced_custom_object(*where, "kayak", {"spec": {"length": 6}})
    seen = custom.get_namespaced_custom_object(*where, "kayak")
    assert seen["spec"] == {"length": 6, "oars": 2}
    assert seen["status"] == {"afloat": True}
    assert len(custom.list_namespaced_custom_object(*where)["items"]) == 1
    with pytest.raises(ApiException) as bad:
        custom.patch_namespaced_custom_object(*where, "kayak", {"spec": {"length": 0}})
    assert bad.value.status == 422
    custom.delete_namespaced_custom_object(*where, "kayak")
    assert custom.list_namespaced_custom_object(*where)["items"] == []


def test_lists_come_in_pages(core: client.CoreV1Api, namespace: str) -> None:
    for number in range(5):
        core.create_namespaced_config_map(namespace, {"metadata": {"name": f"m{number}"}})
    first = core.list_namespaced_config_map(namespace, limit=2)
    assert first.metadata.remaining_item_count == 3
    core.delete_namespaced_config_map("m3", namespace)
    names = [item.metadata.name for item in first.items]
    token = first.metadata._continue
    while token:
        page = core.list_namespaced_config_map(namespace, limit=2, _continue=token)
        names += [item.metadata.name for item in page.items]
        token = page.metadata._continue
    assert names == [f"m{number}" for number in range(5)]


def test_a_watch_is_resumed_where_it_ended(core: client.CoreV1Api, namespace: str) -> None:
    start = core.list_namespaced_config_map(namespace).metadata.resource_version
    seen: list[tuple[str, str]] = []
    watcher = watch.Watch()
    core.create_namespaced_config_map(namespace, {"metadata": {"name": "a"}})
    core.create_namespaced_config_map(namespace, {"metadata": {"name": "b"}})
    stream = watcher.stream(
        core.list_namespaced_config_map, namespace, resource_version=start, timeout_seconds=1
    )
    for event in stream:
        seen.append((event["type"], event["object"].metadata.name))
        if len(seen) == 2:
            core.delete_namespaced_config_map("a", namespace)
            core.patch_namespaced_config_map("b", namespace, {"data": {"x": "y"}})
        if len(seen) == 4:
            watcher.stop()
    assert seen == [("ADDED", "a"), ("ADDED", "b"), ("DELETED", "a"), ("MODIFIED", "b")]
    core.delete_namespaced_config_map("b", namespace)
    again = watch.Watch()
    later = again.stream(
        core.list_namespaced_config_map,
        namespace,
        resource_version=watcher.resource_version,
        timeout_seconds=1,
    )
    assert [event["type"] for event in later] == ["DELETED"]


def test_the_dynamic_client_finds_kinds_by_discovery(
    api: client.ApiClient, boats: str, namespace: str
) -> None:
    found = dynamic.DynamicClient(api)
    kind = found.resources.get(api_version=f"{boats}/v1", kind="Boat")
    body = {"apiVersion": f"{boats}/v1", "kind": "Boat", "metadata": {"name": "raft"}}
    kind.server_side_apply(
        {**body, "spec": {"length": 3}}, namespace=namespace, field_manager="dock"
    )
    raft = kind.get(name="raft", namespace=namespace)
    assert raft.spec.to_dict() == {"length": 3, "oars": 2}
    assert raft.metadata.managedFields[0].manager == "dock"
    merge = "application/merge-patch+json"
    kind.patch({"spec": {"oars": 4}}, name="raft", namespace=namespace, content_type=merge)
    events = kind.watch(namespace=namespace, timeout=1)
    assert next(iter(events))["raw_object"]["spec"]["oars"] == 4
    secrets = found.resources.get(api_version="v1", kind="Secret")
    secrets.create({"metadata": {"name": "s"}, "stringData": {"a": "b"}}, namespace=namespace)
    assert secrets.get(name="s", namespace=namespace).data.a == "Yg=="
    secrets.delete(name="s", namespace=namespace)


def test_one_candidate_leads_and_the_next_takes_over(
    server: Running, api: client.ApiClient, namespace: str
) -> None:
    client.Configuration.set_default(api.configuration)
    leases = client.CoordinationV1Api(api)
    try:
        for identity in ("first", "second"):
            leading = threading.Event()
            lead(LeaseLock("boss", namespace, identity), leading)
            lease = leases.read_namespaced_lease("boss", namespace)
            assert leading.is_set()
            assert lease.spec.holder_identity == identity
            assert lease.spec.renew_time >= lease.spec.acquire_time
            # A leader that stops lets go of the lease, so that nobody has to wait for its end.
            lease.spec.holder_identity = None
            leases.replace_namespaced_lease("boss", namespace, lease)
    finally:
        client.Configuration.set_default(None)


def lead(lock: LeaseLock, leading: threading.Event) -> None:
    """Try until this candidate leads; then stop, as a leader whose work failed does."""

    def start() -> None:
        leading.set()
        raise InterruptedError

    terms = electionconfig.Config(
        lock,
        lease_duration=3,
        renew_deadline=2,
        retry_period=1,
        onstarted_leading=start,
        onstopped_leading=lambda: None,
    )
    leaderelection.LeaderElection(terms).run()
