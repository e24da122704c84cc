"""Compare pods and the templates of workloads with the standards of their namespace."""

from collections.abc import Callable, Iterable, Mapping

from kedge.apiserver.builtin.podsecurity import baseline, restricted
from kedge.apiserver.builtin.podsecurity.policy import PRIVILEGED, Standard, policy_of
from kedge.apiserver.builtin.podsecurity.words import Finding
from kedge.apiserver.resource import Object
from kedge.kube.errors import Forbidden, named

Check = Callable[[Object, Object, int], Finding]
# Checks with the minor version since which they hold; in the order of their messages.
BASELINE: tuple[tuple[int, Check], ...] = (
    (0, baseline.apparmor),
    (0, baseline.capabilities),
    (0, baseline.host_namespaces),
    (0, baseline.host_paths),
    (0, baseline.host_ports),
    (34, baseline.probe_hosts),
    (0, baseline.privileged),
    (0, baseline.proc_mounts),
    (0, baseline.selinux),
    (0, baseline.seccomp),
    (0, baseline.sysctls),
    (0, baseline.host_process),
)
RESTRICTED: tuple[tuple[int, Check], ...] = (
    (8, restricted.escalation),
    (22, restricted.capabilities),
    (0, restricted.volumes),
    (0, restricted.non_root),
    (23, restricted.user),
    (19, restricted.seccomp),
)
# Stricter checks that take the place of others.
REPLACED: dict[Check, Check] = {
    baseline.capabilities: restricted.capabilities,
    baseline.host_paths: restricted.volumes,
    baseline.seccomp: restricted.seccomp,
}
TEMPLATES: dict[str, tuple[str, ...]] = {
    "PodTemplate": ("template",),
    "ReplicationController": ("spec", "template"),
    "ReplicaSet": ("spec", "template"),
    "Deployment": ("spec", "template"),
    "StatefulSet": ("spec", "template"),
    "DaemonSet": ("spec", "template"),
    "Job": ("spec", "template"),
    "CronJob": ("spec", "jobTemplate", "spec", "template"),
}
"""Where kinds keep the template of their pods."""


def findings(standard: Standard, metadata: Object, spec: Object) -> list[Finding]:
    """Give the rules of a standard that a pod breaks."""
    if standard.level == "privileged":
        return []
    minor = standard.minor
    checks = [check for since, check in BASELINE if minor >= since]
    if standard.level == "restricted":
        stricter = [check for since, check in RESTRICTED if minor >= since]
        checks = [check for check in checks if REPLACED.get(check) not in stricter] + stricter
    found = [check(metadata, spec, minor) for check in checks]
    return [one for one in found if one[0]]


def violations(standard: Standard, metadata: Object, spec: Object) -> str:
    """Say how a pod breaks a standard; nothing when it does not."""
    found = findings(standard, metadata, spec)
    return ", ".join(f"{why} ({detail})" if detail else why for why, detail in found)


def judge_namespace(name: str, enforce: Standard, pods: Iterable[Object]) -> list[str]:
    """Give the warnings for a namespace whose pods are not as it wants them from now on."""
    broken: dict[str, list[str]] = {}
    for pod in pods:
        found = findings(enforce, pod["metadata"], pod["spec"])
        if found:
            why = ", ".join(why for why, _ in found)
            broken.setdefault(why, []).append(pod["metadata"]["name"])
    if not broken:
        return []
    head = f'existing pods in namespace "{name}" violate the new PodSecurity enforce level'
    return [f'{head} "{enforce}"', *sorted(f"{_some(who)}: {why}" for why, who in broken.items())]


def _some(names: list[str]) -> str:
    """Name the first of some pods, and count the others."""
    others = len(names) - 1
    if not others:
        return names[0]
    return f"{min(names)} (and {others} other pod{'s' if others > 1 else ''})"


def judge_pod(
    pod: Object, labels: Mapping[str, str] | None, old: Object | None = None
) -> list[str]:
    """Give the warnings for a pod; raises Forbidden where the namespace enforces a standard."""
    policy = policy_of(labels)
    if policy is PRIVILEGED or (old is not None and not _is_significant(pod, old)):
        return []
    metadata, spec = pod["metadata"], pod["spec"]
    found = violations(policy.enforce, metadata, spec)
    if found:
        name = metadata.get("name", "")
        why = f'violates PodSecurity "{policy.enforce}": {found}'
        raise Forbidden(f'pods "{name}" is forbidden: {why}', named("", "pods", name))
    return _warnings(policy.warn, metadata, spec)


def judge_workload(kind: str, obj: Object, labels: Mapping[str, str] | None) -> list[str]:
    """Give the warnings for an object that makes pods; nothing for other kinds."""
    path = TEMPLATES.get(kind)
    if path is None or not labels:
        return []
    policy = policy_of(labels)
    template = obj
    for part in path:
        template = template.get(part) or {}
    if policy is PRIVILEGED or not template:
        return []
    return _warnings(policy.warn, template.get("metadata") or {}, template.get("spec") or {})


def _warnings(standard: Standard, metadata: Object, spec: Object) -> list[str]:
    found = violations(standard, metadata, spec)
    return [f'would violate PodSecurity "{standard}": {found}'] if found else []


def _is_significant(new: Object, old: Object) -> bool:
    """Tell whether an update changes what the standards look at: only images and containers can."""
    for name in ("containers", "initContainers"):
        after, before = new["spec"].get(name) or (), old["spec"].get(name) or ()
        if [one.get("image") for one in after] != [one.get("image") for one in before]:
            return True
    known = {one.get("name"): one for one in old["spec"].get("ephemeralContainers") or ()}
    return any(
        known.get(one.get("name"), {}).get("image") != one.get("image")
        for one in new["spec"].get("ephemeralContainers") or ()
    )
