"""Pod security standards find what a real server found, in its words."""

from typing import Any

import pytest

from kedge.apiserver.builtin.podsecurity.evaluate import judge_pod, judge_workload
from kedge.apiserver.builtin.podsecurity.policy import check_labels
from kedge.apiserver.resource import Object
from kedge.kube.errors import ApiError

LABEL = "pod-security.kubernetes.io/"
WARN = {f"{LABEL}warn": "restricted"}
SAFE: Object = {
    "allowPrivilegeEscalation": False,
    "capabilities": {"drop": ["ALL"]},
    "runAsNonRoot": True,
    "seccompProfile": {"type": "RuntimeDefault"},
}
PLAIN = (
    'allowPrivilegeEscalation != false (container "c" must set '
    "securityContext.allowPrivilegeEscalation=false), "
    'unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), '
    'runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), '
    'seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to '
    '"RuntimeDefault" or "Localhost")'
)


def safe(context: Object | None = None, spec: Object | None = None, **container: Any) -> Object:
    """Give a spec that keeps all rules but for what is said."""
    secured = {"name": "c", "image": "x", "securityContext": {**SAFE, **(context or {})}}
    return {"containers": [{**secured, **container}], **(spec or {})}


def pod(spec: Object) -> Object:
    return {"metadata": {"name": "p"}, "spec": spec}


CASES = [
    ({"containers": [{"name": "c", "image": "x"}]}, PLAIN),
    (
        safe(spec={"hostNetwork": True, "hostPID": True}),
        "host namespaces (hostNetwork=true, hostPID=true)",
    ),
    (
        safe(spec={"volumes": [{"name": "v", "hostPath": {}}, {"name": "w", "nfs": {}}]}),
        'restricted volume types (volumes "v", "w" use restricted volume types "hostPath", "nfs")',
    ),
    (safe(ports=[{"hostPort": 80}]), 'hostPort (container "c" uses hostPort 80)'),
    (
        safe(context={"capabilities": {"add": ["NET_ADMIN", "NET_BIND_SERVICE"], "drop": ["ALL"]}}),
        'unrestricted capabilities (container "c" must not include "NET_ADMIN" in '
        "securityContext.capabilities.add)",
    ),
    (
        safe(context={"runAsUser": 0}, spec={"securityContext": {"runAsNonRoot": False}}),
        "runAsNonRoot != true (pod must not set securityContext.runAsNonRoot=false), "
        'runAsUser=0 (container "c" must not set runAsUser=0)',
    ),
    (
        safe(spec={"securityContext": {"sysctls": [{"name": "kernel.msgmax"}]}}),
        "forbidden sysctls (kernel.msgmax)",
    ),
    (
        safe(spec={"securityContext": {"seccompProfile": {"type": "Unconfined"}}}),
        'seccompProfile (pod must not set securityContext.seccompProfile.type to "Unconfined")',
    ),
    (
        safe(context={"seLinuxOptions": {"type": "foo", "user": "u"}}),
        'seLinuxOptions (container "c" set forbidden securityContext.seLinuxOptions: '
        'type "foo"; user may not be set)',
    ),
    (
        safe(context={"procMount": "Unmasked"}, spec={"hostUsers": False}),
        'procMount (container "c" must not set securityContext.procMount to "Unmasked")',
    ),
    (
        safe(livenessProbe={"httpGet": {"port": 80, "host": "1.2.3.4"}}),
        'probe or lifecycle host (container "c" uses probe or lifecycle host "1.2.3.4")',
    ),
    (
        safe(context={"appArmorProfile": {"type": "Unconfined"}}),
        'forbidden AppArmor profile (container "c" must not set AppArmor profile type to '
        '"Unconfined")',
    ),
]


@pytest.mark.parametrize(("spec", "found"), CASES)
def test_warns(spec: Object, found: str) -> None:
    assert judge_pod(pod(spec), WARN) == [f'would violate PodSecurity "restricted:latest": {found}']


def test_is_content_with_a_safe_pod() -> None:
    assert judge_pod(pod(safe()), {f"{LABEL}enforce": "restricted", **WARN}) == []


def test_asks_nothing_without_labels() -> None:
    assert judge_pod(pod(CASES[1][0]), {}) == []


def test_enforces() -> None:
    labels = {f"{LABEL}enforce": "baseline", f"{LABEL}enforce-version": "v1.20"}
    assert judge_pod(pod(CASES[0][0]), labels) == []
    with pytest.raises(ApiError) as refused:
        judge_pod(pod(CASES[1][0]), labels)
    assert refused.value.code == 403
    assert refused.value.status["message"] == (
        'pods "p" is forbidden: violates PodSecurity "baseline:v1.20": '
        "host namespaces (hostNetwork=true, hostPID=true)"
    )
    assert refused.value.status["details"] == {"name": "p", "kind": "pods"}


def test_an_update_is_judged_by_its_images() -> None:
    labels = {f"{LABEL}enforce": "baseline"}
    bad = pod({**safe(), "hostPID": True})
    assert judge_pod(bad, labels, bad) == []
    before = pod({"containers": [{"name": "c", "image": "old"}]})
    with pytest.raises(ApiError):
        judge_pod(bad, labels, before)


@pytest.mark.parametrize("kind", ["Deployment", "Job", "ReplicaSet", "StatefulSet", "DaemonSet"])
def test_warns_of_templates(kind: str) -> None:
    labels = {f"{LABEL}enforce": "restricted", **WARN}
    workload = {"spec": {"template": {"metadata": {}, "spec": CASES[0][0]}}}
    expected = [f'would violate PodSecurity "restricted:latest": {PLAIN}']
    assert judge_workload(kind, workload, labels) == expected


def test_knows_templates_of_templates_and_other_kinds() -> None:
    job = {"spec": {"template": {"spec": CASES[0][0]}}}
    assert len(judge_workload("CronJob", {"spec": {"jobTemplate": job}}, WARN)) == 1
    assert judge_workload("ConfigMap", job, WARN) == []


def test_checks_labels() -> None:
    errors = check_labels({f"{LABEL}warn": "x", f"{LABEL}audit-version": "y", f"{LABEL}audit": ""})
    assert {(error.field, error.detail) for error in errors} >= {
        (f"metadata.labels[{LABEL}audit-version]", 'must be "latest" or "v1.x"'),
        (f"metadata.labels[{LABEL}warn]", "must be one of privileged, baseline, restricted"),
    }
