"""Rules for the status of a pod, as nodes and schedulers write it."""

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.addresses import check_ip, ip_warnings, parse_ip
from kedge.apiserver.builtin.fields import LARGEST_INT32, Errors
from kedge.apiserver.builtin.internal import shown_list
from kedge.apiserver.builtin.pods.surroundings import Options
from kedge.apiserver.builtin.pods.update import check_annotation_update
from kedge.apiserver.resource import Object
from kedge.kube.fielderror import internal

LISTS = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")
SYSTEM_CONDITIONS = ("PodScheduled", "Ready", "Initialized")
GENERATION = "must be a non-negative integer"


def keep_spec(new: Object, old: Object) -> None:
    """Undo what the status endpoint may not change, in place."""
    new["spec"] = old["spec"]
    metadata, before = new["metadata"], old["metadata"]
    for name in ("deletionTimestamp", "ownerReferences"):
        if name in before:
            metadata[name] = before[name]
        else:
            metadata.pop(name, None)
    status, earlier = new.setdefault("status", {}), old.get("status") or {}
    if not status.get("qosClass") and earlier.get("qosClass"):
        status["qosClass"] = earlier["qosClass"]
    _keep_generations(status, earlier)
    for name in LISTS:
        for container in status.get(name) or ():
            container.pop("allocatedResourcesStatus", None)  # of a feature that is off
    if "extendedResourceClaimStatus" not in earlier:
        status.pop("extendedResourceClaimStatus", None)


def _keep_generations(status: Object, old: Object) -> None:
    """Keep observed generations that a writer who does not know them leaves out."""
    if not status.get("observedGeneration") and old.get("observedGeneration"):
        status["observedGeneration"] = old["observedGeneration"]
    seen: dict[str, list[int]] = {}
    for condition in old.get("conditions") or ():
        generation = condition.get("observedGeneration", 0)
        seen.setdefault(condition.get("type", ""), []).append(generation)
    for condition in status.get("conditions") or ():
        earlier = seen.get(condition.get("type", ""))
        generation = earlier.pop(0) if earlier else 0
        if not condition.get("observedGeneration") and generation:
            condition["observedGeneration"] = generation


def check_status(errors: Errors, new: Object, old: Object, options: Options) -> None:
    """Check an update of a pod's status."""
    check_annotation_update(errors, new, old, options)
    status, before = new.get("status") or {}, old.get("status") or {}
    for index, condition in enumerate(status.get("conditions") or ()):
        _check_condition(errors, f"status.conditions[{index}]", condition)
    nominated = status.get("nominatedNodeName")
    if nominated and nominated != before.get("nominatedNodeName"):
        fields.dns_subdomain(errors, "status.nominatedNodeName", nominated)
    if status.get("observedGeneration", 0) < 0:
        errors.invalid("status.observedGeneration", status["observedGeneration"], GENERATION)
    qos = status.get("qosClass", "")
    fields.immutable(errors, "status.qosClass", qos, before.get("qosClass", ""))
    _check_transitions(errors, status, before, old["spec"])
    _check_claims(errors, status, new["spec"])
    for name, key in (("podIPs", "podIP"), ("hostIPs", "hostIP")):
        _check_ips(errors, name, key, status, before)
    for name in LISTS:
        for index, container in enumerate(status.get(name) or ()):
            _check_user(errors, f"status.{name}[{index}].user.linux", container, new["spec"])


def _check_condition(errors: Errors, path: str, condition: Object) -> None:
    generation, kind = condition.get("observedGeneration", 0), condition.get("type", "")
    if generation < 0:
        errors.invalid(f"{path}.observedGeneration", generation, GENERATION)
    if kind not in SYSTEM_CONDITIONS:
        fields.qualified_name(errors, f"{path}.Type", kind)


def _check_transitions(errors: Errors, status: Object, old: Object, spec: Object) -> None:
    """Check that what has ended for good does not come to life again."""
    policy = spec.get("restartPolicy")
    sidecars = {
        one.get("name")
        for one in spec.get("initContainers") or ()
        if one.get("restartPolicy") == "Always"
    }
    for name in LISTS:
        if policy == "Always" and name != "ephemeralContainerStatuses":
            continue
        now = {one.get("name", ""): one for one in status.get(name) or ()}
        for index, container in enumerate(old.get(name) or ()):
            ended = (container.get("state") or {}).get("terminated")
            if ended is None or container.get("name") not in now:
                continue
            if name != "ephemeralContainerStatuses" and (
                (ended.get("exitCode", 0) != 0 and policy == "OnFailure")
                or (name == "initContainerStatuses" and container.get("name") in sidecars)
            ):
                continue
            state = now[container.get("name", "")].get("state") or {}
            if "terminated" not in state:
                what = "may not be transitioned to non-terminated state"
                errors.forbidden(f"status.{name}[{index}].state", what)


def _check_claims(errors: Errors, status: Object, spec: Object) -> None:
    known = {claim.get("name", "") for claim in spec.get("resourceClaims") or ()}
    seen: set[str] = set()
    for index, claim in enumerate(status.get("resourceClaimStatuses") or ()):
        path, name = f"status.resourceClaimStatuses[{index}].name", claim.get("name", "")
        if name not in known:
            what = "must match the name of an entry in `spec.resourceClaims`"
            errors.invalid(path, name, what)
        if name in seen:
            errors.duplicate(path, name)
        seen.add(name)
        if claim.get("resourceClaimName") is not None:
            fields.dns_subdomain(errors, path, claim["resourceClaimName"])


def _check_ips(errors: Errors, name: str, key: str, status: Object, old: Object) -> None:
    ips = status.get(name) or []
    path = f"status.{name}"
    if name == "hostIPs" and ips and status.get(key, "") != ips[0].get("ip", ""):
        what = "must be equal to `hostIP`"
        errors.invalid(f"{path}[0].ip", ips[0].get("ip", ""), what)
    known = {one.get("ip", "") for one in old.get(name) or ()}
    for index, one in enumerate(ips):
        if one.get("ip", "") not in known:
            check_ip(errors, f"{path}[{index}]", one.get("ip", ""))
    if len(ips) > 1:
        _check_families(errors, path, name, ips)


def _check_families(errors: Errors, path: str, name: str, ips: list[Object]) -> None:
    families = [getattr(parse_ip(one.get("ip", "")), "version", 0) for one in ips]
    if 0 in families:
        index = families.index(0)
        bad = f"invalid IP[{index}]: {ips[index].get('ip', '')}"
        errors.append(internal(path, f"failed to check for dual stack with error:{bad}"))
    if set(families) != {4, 6} or len(ips) > 2:
        what = "may specify no more than one IP for each IP family"
        errors.invalid(path, shown_list("HostIP" if name == "hostIPs" else "PodIP", ips), what)


def _check_user(errors: Errors, path: str, container: Object, spec: Object) -> None:
    user = (container.get("user") or {}).get("linux")
    if user is None:
        return
    if (spec.get("os") or {}).get("name", "linux") == "windows":
        errors.forbidden(path, "cannot be set for a windows pod")
        return
    for name in ("uid", "gid"):
        fields.in_range(errors, f"{path}.{name}", user.get(name, 0), 0, LARGEST_INT32)
    for index, group in enumerate(user.get("supplementalGroups") or ()):
        fields.in_range(errors, f"{path}.supplementalGroups[{index}]", group, 0, LARGEST_INT32)


def status_warnings(status: Object) -> list[str]:
    """Warn of addresses that are not written as they should be."""
    found: list[str] = []
    for name in ("podIPs", "hostIPs"):
        for index, one in enumerate(status.get(name) or ()):
            found += ip_warnings(f"status.{name}[{index}].ip", one.get("ip", ""))
    return found
