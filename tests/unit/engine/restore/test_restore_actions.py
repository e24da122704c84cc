"""What happens to objects of certain kinds on their way back."""

import copy
import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kedge.api.velero.restore import (
    InitHook,
    RestoreHook,
    RestoreHookGroup,
    RestoreHooks,
    RestoreSpec,
)
from kedge.archive.item import Place
from kedge.engine.restore.actions.act import act, belongings, forget
from kedge.engine.restore.actions.change import CHANGES, POD_SPECS, image_rules
from kedge.engine.restore.actions.ports import keeps_ports
from kedge.engine.restore.actions.shed import SHED
from kedge.engine.restore.actions.situation import Situation
from kedge.engine.restore.actions.skip import skip_reason
from kedge.engine.restore.identity import ItemError

Object = dict[str, Any]
PLAIN = Situation(RestoreSpec())
PRESERVED = Situation(RestoreSpec(preserve_node_ports=True))
MAPPED = Situation(RestoreSpec(namespace_mapping={"a": "b"}))
LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
BINDINGS = "rolebindings.rbac.authorization.k8s.io"
WEBHOOKS = "validatingwebhookconfigurations.admissionregistration.k8s.io"
CRDS = "customresourcedefinitions.apiextensions.k8s.io"


def acted(resource: str, obj: Object, situation: Situation = PLAIN) -> Object:
    obj = copy.deepcopy(obj)
    act(resource, obj, situation)
    return obj


def test_job_forgets_the_id_of_its_former_self() -> None:
    uids = {"controller-uid": "1", "batch.kubernetes.io/controller-uid": "1"}
    job = {
        "spec": {
            "selector": {"matchLabels": {**uids, "a": "b"}},
            "template": {"metadata": {"labels": {**uids, "job-name": "j"}}},
        }
    }
    assert acted("jobs.batch", job) == {
        "spec": {
            "selector": {"matchLabels": {"a": "b"}},
            "template": {"metadata": {"labels": {"job-name": "j"}}},
        }
    }


def test_pod_forgets_its_node_and_its_token() -> None:
    mounts = [{"name": "default-token-x"}, {"name": "data"}]
    pod = {
        "metadata": {"name": "p"},
        "spec": {
            "nodeName": "n",
            "priority": 7,
            "priorityClassName": "high",
            "serviceAccountName": "default",
            "volumes": [{"name": "default-token-x"}, {"name": "data"}],
            "containers": [{"name": "c", "volumeMounts": mounts}],
            "initContainers": [{"name": "i", "volumeMounts": mounts[:1]}],
        },
    }
    assert acted("pods", pod) == {
        "metadata": {"name": "p"},
        "spec": {
            "priorityClassName": "high",
            "serviceAccountName": "default",
            "volumes": [{"name": "data"}],
            "containers": [{"name": "c", "volumeMounts": [{"name": "data"}]}],
            "initContainers": [{"name": "i"}],
        },
    }


def service(ports: list[Object], **more: Any) -> Object:
    metadata = {"name": "s", **more.pop("meta", {})}
    spec = {"type": "NodePort", "clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1"], "ports": ports}
    return {"metadata": metadata, "spec": {**spec, **more}}


def managed(*keys: str, check: bool = False) -> Object:
    ports: Object = {key: {".": {}, "f:port": {}, "f:nodePort": {}} for key in keys}
    fields: Object = {"f:spec": {"f:ports": ports}}
    if check:
        fields["f:spec"]["f:healthCheckNodePort"] = {}
    return {"managedFields": [{"manager": "m", "fieldsV1": fields}]}


def applied(spec: Object) -> Object:
    return {"annotations": {LAST_APPLIED: json.dumps({"spec": spec})}}


TCP_80 = 'k:{"port":80,"protocol":"TCP"}'
ONE = {"port": 80, "protocol": "TCP", "nodePort": 30080}
NAMED = {"name": "http", "port": 80, "protocol": "TCP", "nodePort": 30080}


def test_service_forgets_its_address_but_not_that_it_has_none() -> None:
    assert acted("services", service([]))["spec"] == {"type": "NodePort", "ports": []}
    headless = service([], clusterIP="None", clusterIPs=["None"])
    assert acted("services", headless) == headless


@pytest.mark.parametrize(
    ("port", "meta", "situation", "keeps"),
    [
        (ONE, {}, PLAIN, False),
        (ONE, {}, PRESERVED, True),
        (ONE, {}, Situation(RestoreSpec(preserve_node_ports=False)), False),
        (ONE, managed(TCP_80), PLAIN, True),
        (ONE, managed('k:{"port":81,"protocol":"TCP"}'), PLAIN, False),
        (ONE, managed('k:{"port":80,"protocol":"UDP"}'), PLAIN, False),
        (ONE, applied({"ports": [{"nodePort": 30080}]}), PLAIN, True),
        (ONE, applied({"ports": [{"nodePort": "30080"}]}), PLAIN, True),
        (ONE, applied({"ports": [{"nodePort": 30081}]}), PLAIN, False),
        (ONE, applied({"ports": [{"port": 80}]}), PLAIN, False),
        (ONE, applied({"ports": [{"port": 80}]}) | managed(TCP_80), PLAIN, False),
        (NAMED, applied({"ports": [{"name": "http", "nodePort": 1}]}), PLAIN, True),
        (NAMED, applied({"ports": [{"name": "other", "nodePort": 30080}]}), PLAIN, False),
        (NAMED, applied({"ports": [{"nodePort": 30080}]}), PLAIN, False),
        (NAMED, applied({"ports": [7, {"name": "http", "nodePort": 0}]}), PLAIN, False),
        (ONE, {"annotations": {LAST_APPLIED: "{"}} | managed(TCP_80), PLAIN, True),
    ],
)
def test_node_port_stays_where_somebody_chose_it(
    port: Object, meta: Object, situation: Situation, keeps: bool
) -> None:
    found = acted("services", service([port], meta=meta), situation)["spec"]["ports"][0]
    assert ("nodePort" in found) is keeps


def test_ports_of_an_external_name_are_left_alone() -> None:
    found = acted("services", service([ONE], type="ExternalName"))
    assert found["spec"]["ports"] == [ONE]


@pytest.mark.parametrize(
    ("type_", "policy", "meta", "situation", "keeps"),
    [
        ("LoadBalancer", "Local", {}, PLAIN, False),
        ("LoadBalancer", "Local", {}, PRESERVED, True),
        ("LoadBalancer", "Cluster", {}, PLAIN, True),
        ("NodePort", "Local", {}, PLAIN, True),
        ("LoadBalancer", "Local", applied({"healthCheckNodePort": 5}), PLAIN, True),
        ("LoadBalancer", "Local", applied({"healthCheckNodePort": 0}), PLAIN, False),
        ("LoadBalancer", "Local", managed(check=True), PLAIN, True),
        ("LoadBalancer", "Local", applied({}) | managed(check=True), PLAIN, True),
    ],
)
def test_port_for_health_checks_stays_where_somebody_chose_it(
    type_: str, policy: str, meta: Object, situation: Situation, keeps: bool
) -> None:
    given_ = service([], type=type_, externalTrafficPolicy=policy, meta=meta)
    given_["spec"]["healthCheckNodePort"] = 30000
    assert ("healthCheckNodePort" in acted("services", given_, situation)["spec"]) is keeps


def test_account_forgets_its_token() -> None:
    secrets = [{"name": "sa-token-1"}, {"name": "mine"}, {"name": "other-token-2"}]
    account = {"metadata": {"name": "sa"}, "secrets": [*secrets, {"name": "sa-token-2"}]}
    assert acted("serviceaccounts", account)["secrets"] == secrets[1:]
    alone = {"metadata": {"name": "sa"}, "secrets": [{"name": "sa-token-1"}]}
    assert "secrets" not in acted("serviceaccounts", alone)


def test_claim_forgets_how_it_was_bound() -> None:
    claim = {
        "metadata": {
            "name": "c",
            "annotations": {
                "pv.kubernetes.io/bind-completed": "yes",
                "pv.kubernetes.io/bound-by-controller": "yes",
                "volume.kubernetes.io/storage-provisioner": "x",
                "volume.beta.kubernetes.io/storage-provisioner": "x",
                "volume.kubernetes.io/selected-node": "n",
                "velero.io/volume-snapshot-name": "s",
                "velero.io/data-upload-name": "d",
                "mine": "stays",
            },
        },
        "spec": {"volumeName": "v"},
    }
    assert acted("persistentvolumeclaims", claim) == {
        "metadata": {"name": "c", "annotations": {"mine": "stays"}},
        "spec": {"volumeName": "v"},
    }


def test_volume_names_the_claim_where_it_goes() -> None:
    volume = {
        "metadata": {"name": "v", "annotations": {"pv.kubernetes.io/bound-by-controller": "yes"}},
        "spec": {"claimRef": {"namespace": "a", "name": "c", "uid": "1", "resourceVersion": "2"}},
    }
    assert acted("persistentvolumes", volume, MAPPED) == {
        "metadata": {"name": "v"},
        "spec": {"claimRef": {"namespace": "b", "name": "c"}},
    }


@pytest.mark.parametrize("resource", [BINDINGS, f"cluster{BINDINGS}"])
def test_subjects_go_where_their_namespace_goes(resource: str) -> None:
    subjects = [
        {"kind": "ServiceAccount", "name": "x", "namespace": "a"},
        {"kind": "ServiceAccount", "name": "x", "namespace": "c"},
        {"kind": "User", "name": "u"},
    ]
    found = acted(resource, {"subjects": subjects}, MAPPED)["subjects"]
    assert [each.get("namespace") for each in found] == ["b", "c", None]
    assert acted(resource, {"subjects": subjects})["subjects"] == subjects


def test_definition_keeps_unknown_fields_in_the_way_of_v1() -> None:
    schema = {"schema": {"openAPIV3Schema": {"type": "object"}}}
    definition = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "spec": {"preserveUnknownFields": True, "versions": [schema, {"name": "v2"}]},
    }
    found = acted(CRDS, definition)["spec"]
    assert "preserveUnknownFields" not in found
    kept = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    assert found["versions"] == [{"schema": {"openAPIV3Schema": kept}}, {"name": "v2"}]
    unkept = {**definition, "spec": {"preserveUnknownFields": False, "versions": []}}
    assert acted(CRDS, unkept)["spec"] == {"versions": []}
    other = {**definition, "apiVersion": "apiextensions.k8s.io/v2"}
    assert acted(CRDS, other) == other


@pytest.mark.parametrize(
    ("version", "told", "expected"),
    [
        ("v1", "Unknown", "None"),
        ("v1", "Some", "None"),
        ("v1", None, "None"),
        ("v1", "NoneOnDryRun", "NoneOnDryRun"),
        ("v1", "None", "None"),
        ("v1beta1", "Some", "Some"),
    ],
)
def test_webhooks_have_side_effects_that_v1_takes(
    version: str, told: str | None, expected: str
) -> None:
    hook = {"name": "h"} | ({} if told is None else {"sideEffects": told})
    found = acted(
        WEBHOOKS, {"apiVersion": f"admissionregistration.k8s.io/{version}", "webhooks": [hook]}
    )
    assert found["webhooks"] == [{"name": "h", "sideEffects": expected}]


@pytest.mark.parametrize("resource", sorted(POD_SPECS))
def test_images_are_named_by_the_first_rule_that_fits(resource: str) -> None:
    rules = image_rules({"b": "x, y", "a": "old.io:5000 , new.io", "c": "nothing", "d": "e,"})
    assert rules == (("old.io:5000", "new.io"), ("x", "y"))
    spec = {
        "containers": [{"image": "old.io:5000/x"}, {"image": "q"}, {"name": "no image"}],
        "initContainers": [{"image": "x/x"}],
    }
    obj: Object = {"metadata": {"name": "n"}}
    holder = obj
    for key in POD_SPECS[resource][:-1]:
        holder = holder.setdefault(key, {})
    holder[POD_SPECS[resource][-1]] = spec
    found: Any = acted(resource, obj, Situation(RestoreSpec(), images=rules))
    for key in POD_SPECS[resource]:
        found = found[key]
    assert [each.get("image") for each in found["containers"]] == ["new.io/x", "q", None]
    assert found["initContainers"] == [{"image": "y/y"}]


def test_storage_classes_are_changed() -> None:
    situation = Situation(RestoreSpec(), classes={"old": "new"})
    for resource in ("persistentvolumes", "persistentvolumeclaims"):
        obj = {"metadata": {"name": "n"}, "spec": {"storageClassName": "old"}}
        assert acted(resource, obj, situation)["spec"]["storageClassName"] == "new"
    templates = [{"spec": {"storageClassName": "old"}}, {"spec": {"storageClassName": "x"}}, {}]
    found = acted("statefulsets.apps", {"spec": {"volumeClaimTemplates": templates}}, situation)
    assert found["spec"]["volumeClaimTemplates"] == [
        {"spec": {"storageClassName": "new"}},
        {"spec": {"storageClassName": "x"}},
        {},
    ]


TOKEN = "kubernetes.io/service-account-token"


@pytest.mark.parametrize(
    ("resource", "obj", "reason"),
    [
        ("pods", {"status": {"phase": "Succeeded"}}, "complete"),
        ("pods", {"status": {"phase": "Failed"}}, "complete"),
        ("pods", {"status": {"phase": "Running"}}, ""),
        ("pods", {"metadata": {"annotations": {"kubernetes.io/config.mirror": "x"}}}, "mirror"),
        ("jobs.batch", {"status": {"completionTime": "2020-01-01T00:00:00Z"}}, "complete"),
        ("jobs.batch", {"status": {"failed": 1}}, ""),
        ("jobs.example.com", {"status": {"completionTime": "x"}}, ""),
        ("persistentvolumes", {"spec": {"persistentVolumeReclaimPolicy": "Delete"}}, "new volume"),
        ("persistentvolumes", {"spec": {"persistentVolumeReclaimPolicy": "Retain"}}, ""),
        (
            "apiservices.apiregistration.k8s.io",
            {"metadata": {"labels": {"kube-aggregator.kubernetes.io/automanaged": "onstart"}}},
            "managed by Kubernetes",
        ),
        ("apiservices.apiregistration.k8s.io", {"metadata": {}}, ""),
        ("secrets", {"type": TOKEN, "metadata": {"name": "sa-token-1"}}, "made anew"),
        ("secrets", {"type": TOKEN, "metadata": {"name": "mine"}}, ""),
        ("secrets", {"type": "Opaque", "metadata": {"name": "sa-token-1"}}, ""),
        ("datauploads.velero.io", {}, "not restored"),
        ("nonadminbackups.oadp.openshift.io", {}, "that is over"),
        ("nonadminrestores.oadp.openshift.io", {}, "that is over"),
        ("nonadmindownloadrequests.oadp.openshift.io", {}, "that is over"),
        ("nonadminbackupstoragelocationrequests.oadp.openshift.io", {}, "that is over"),
        ("nonadminbackupstoragelocations.oadp.openshift.io", {}, ""),
        ("configmaps", {"status": {"phase": "Failed"}}, ""),
    ],
)
def test_objects_whose_time_is_over_are_skipped(resource: str, obj: Object, reason: str) -> None:
    found = skip_reason(resource, obj, Situation(RestoreSpec(), accounts=frozenset({"sa"})))
    assert reason in found
    assert bool(found) is bool(reason)


def test_token_that_somebody_asked_for_is_filled_in_anew() -> None:
    secret = {
        "type": TOKEN,
        "metadata": {
            "name": "mine",
            "annotations": {
                "kubernetes.io/service-account.uid": "1",
                "kubernetes.io/service-account.name": "sa",
            },
        },
        "data": {"token": "t", "ca.crt": "c", "namespace": "bg=="},
    }
    found = acted("secrets", secret)
    assert found["data"] == {"namespace": "bg=="}
    assert found["metadata"]["annotations"] == {"kubernetes.io/service-account.name": "sa"}
    opaque = {**secret, "type": "Opaque"}
    assert acted("secrets", opaque) == opaque


def test_what_a_pod_needs_comes_with_it() -> None:
    pod = {
        "metadata": {"name": "p", "namespace": "a"},
        "spec": {
            "priorityClassName": "high",
            "volumes": [
                {"name": "x", "persistentVolumeClaim": {"claimName": "c"}},
                {"name": "y", "emptyDir": {}},
            ],
        },
    }
    assert list(belongings("pods", pod)) == [
        Place("persistentvolumeclaims", "a", "c"),
        Place("priorityclasses.scheduling.k8s.io", "", "high"),
    ]


@pytest.mark.parametrize(
    ("phase", "volume", "needs"),
    [("Bound", "v", True), ("Pending", "v", False), ("Bound", "", False)],
)
def test_volume_comes_with_the_claim_that_is_bound(phase: str, volume: str, needs: bool) -> None:
    claim = {"spec": {"volumeName": volume}, "status": {"phase": phase}}
    found = list(belongings("persistentvolumeclaims", claim))
    assert found == ([Place("persistentvolumes", "", "v")] if needs else [])


def init_pod(**annotations: str) -> Object:
    meta = {"name": "p", "namespace": "a", "labels": {"app": "x"}, "annotations": annotations}
    return {"metadata": meta, "spec": {"initContainers": [{"name": "own"}]}}


def init_spec(namespace: str, *containers: Object) -> Situation:
    init = RestoreHook(init=InitHook(init_containers=list(containers)))
    group = RestoreHookGroup(name="h", included_namespaces=[namespace], post_hooks=[init])
    spec = RestoreSpec(hooks=RestoreHooks([group]), namespace_mapping={"a": "b"})
    return Situation(spec)


WHOLE = {"name": "first", "image": "i", "command": ["c"]}


def test_init_container_of_annotations_comes_first() -> None:
    prefix = "init.hook.restore.velero.io/"
    pod = init_pod(
        **{
            f"{prefix}container-image": "busybox",
            f"{prefix}container-name": "prepare",
            f"{prefix}command": '["/bin/sh", "-c", "true"]',
        }
    )
    found = acted("pods", pod, init_spec("b", WHOLE))["spec"]["initContainers"]
    command = ["/bin/sh", "-c", "true"]
    assert found == [{"image": "busybox", "name": "prepare", "command": command}, {"name": "own"}]


def test_init_container_without_a_name_gets_the_same_each_time() -> None:
    pod = init_pod(**{"init.hook.restore.velero.io/container-image": "busybox"})
    one, other = acted("pods", pod), acted("pods", pod)
    assert one == other
    assert one["spec"]["initContainers"][0]["name"].startswith("velero-restore-init-")
    assert "command" not in one["spec"]["initContainers"][0]


def test_init_containers_of_the_restore_are_for_the_namespace_it_goes_to() -> None:
    found = acted("pods", init_pod(), init_spec("b", WHOLE))["spec"]["initContainers"]
    assert found == [WHOLE, {"name": "own"}]
    found = acted("pods", init_pod(), init_spec("a", WHOLE))["spec"]["initContainers"]
    assert found == [{"name": "own"}]


def test_container_that_waits_for_volumes_stays_first() -> None:
    pod = init_pod()
    pod["spec"]["initContainers"].insert(0, {"name": "restore-wait"})
    found = acted("pods", pod, init_spec("b", WHOLE))["spec"]["initContainers"]
    assert found == [{"name": "restore-wait"}, WHOLE, {"name": "own"}]


def test_init_container_that_is_not_whole_is_refused() -> None:
    with pytest.raises(ItemError, match="doesn't have Command, Name or Image"):
        acted("pods", init_pod(), init_spec("b", {"name": "x"}))


_keys = st.sampled_from(
    [
        "spec",
        "status",
        "metadata",
        "annotations",
        "labels",
        "volumes",
        "containers",
        "template",
        "name",
        "ports",
        "secrets",
        "subjects",
        "webhooks",
        "versions",
        "managedFields",
        "claimRef",
        "persistentVolumeClaim",
        "selector",
        "matchLabels",
        "data",
        "type",
        "initContainers",
    ]
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_keys, inner, max_size=4),
    max_leaves=20,
)
situations = st.sampled_from([PLAIN, MAPPED, Situation(RestoreSpec(), (("a", "b"),), {"x": "y"})])


@given(
    st.sampled_from(sorted({*SHED, *CHANGES, *POD_SPECS, "secrets", "statefulsets.apps"})),
    st.dictionaries(_keys, json_values, max_size=5),
    situations,
)
def test_objects_of_any_shape_are_survived(
    resource: str, rest: Object, situation: Situation
) -> None:
    obj = {**rest, "apiVersion": "v1", "kind": "K", "metadata": {"name": "n"}}
    skip_reason(resource, obj, situation)
    list(belongings(resource, obj))
    act(resource, obj, situation)
    forget(resource, obj, situation)
    once = copy.deepcopy(obj)
    forget(resource, obj, situation)
    assert obj == once


@pytest.mark.parametrize(
    ("made", "preserves", "keeps"),
    [
        (service([ONE]), False, False),
        (service([ONE]), True, True),
        (service([{"port": 80}]), True, False),
        (service([ONE], type="ExternalName"), False, True),
        (service([], healthCheckNodePort=30000), True, True),
    ],
)
def test_which_services_come_back_with_node_ports(
    made: Object, preserves: bool, keeps: bool
) -> None:
    assert keeps_ports(msgspec.json.encode(made), preserves=preserves) is keeps


@pytest.mark.parametrize("text", [b"", b"nodePort", b'{"spec":{"ports":[{"nodePort":', b"[]"])
def test_what_is_no_service_keeps_no_node_ports(text: bytes) -> None:
    assert not keeps_ports(text, preserves=True)
