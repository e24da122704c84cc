"""Pods: what the server fills in, decides and refuses."""

from typing import Any

from kedge.apiserver.builtin.equality import same
from kedge.apiserver.builtin.fields import Errors, changed_metadata
from kedge.apiserver.builtin.pods.admission import admit_update, settle
from kedge.apiserver.builtin.pods.annotations import APPARMOR, check_agreement
from kedge.apiserver.builtin.pods.defaults import default_pod
from kedge.apiserver.builtin.pods.disabled import drop_disabled
from kedge.apiserver.builtin.pods.ephemeral import (
    check_ephemeral_update,
    check_resize,
    keep_all_but_ephemeral,
    keep_all_but_resources,
)
from kedge.apiserver.builtin.pods.history import options_for
from kedge.apiserver.builtin.pods.resources import pod_qos
from kedge.apiserver.builtin.pods.scheduling import PREFERRED, REQUIRED
from kedge.apiserver.builtin.pods.security import check_apparmor
from kedge.apiserver.builtin.pods.spec import check_pod
from kedge.apiserver.builtin.pods.status import check_status, keep_spec, status_warnings
from kedge.apiserver.builtin.pods.surroundings import STRICT_POD, all_containers
from kedge.apiserver.builtin.pods.update import check_update
from kedge.apiserver.builtin.pods.warnings import (
    OLD_APPARMOR,
    apparmor_profile,
    name_warning,
    pod_warnings,
)
from kedge.apiserver.builtin.workload import is_next_generation, keep_generation
from kedge.apiserver.resource import Context, Object, Strategy
from kedge.kube.fielderror import FieldError
from kedge.kube.names import subdomain_name

GATED = "Scheduling is blocked due to non-empty scheduling gates"
ENDED = ("Failed", "Succeeded")


class PodStrategy(Strategy):
    """Hooks of v1 Pod. Pods are not run: they stay Pending until somebody writes their status."""

    def validate_name(self, name: str, prefix: bool) -> list[str]:
        """Say what is wrong with metadata.name, or with generateName (`prefix`)."""
        return subdomain_name(name, prefix)

    def default(self, obj: Object) -> None:
        """Fill in what the user left out."""
        default_pod(obj)

    def prepare_create(self, obj: Object, context: Context) -> None:
        """Decide priority and tolerations; begin as Pending."""
        settle(obj)
        spec, metadata = obj["spec"], obj["metadata"]
        obj["status"] = {"phase": "Pending", "qosClass": pod_qos(spec)}
        drop_disabled(spec)
        if spec.get("schedulingGates"):
            obj["status"]["conditions"] = [_gated(metadata)]
        _merge_label_keys(spec, metadata.get("labels") or {})
        if metadata.get("annotations"):
            _copy_apparmor(obj)

    def prepare_update(self, new: Object, old: Object, context: Context) -> None:
        """Keep what this endpoint does not change."""
        if context.subresource == "status":
            keep_spec(new, old)
            keep_generation(new, old)
            return
        new["status"] = old.get("status") or {}
        if context.subresource == "ephemeralcontainers":
            keep_all_but_ephemeral(new, old)
        elif context.subresource == "resize":
            keep_all_but_resources(new, old)
        else:
            admit_update(new, old)
        drop_disabled(new["spec"])
        keep_generation(new, old, not same(new["spec"], old["spec"]))

    def has_changed(self, new: Object, old: Object) -> bool:
        """Tell whether the generation moves on, which `prepare_update` has found out."""
        return is_next_generation(new, old)

    def validate(self, obj: Object, context: Context) -> list[FieldError]:
        """Check a new pod."""
        errors, spec = Errors(), obj["spec"]
        check_pod(errors, obj, STRICT_POD)
        if spec.get("ephemeralContainers"):
            errors.forbidden("spec.ephemeralContainers", "cannot be set on create")
        if spec.get("nodeName") and spec.get("schedulingGates"):
            what = "cannot be set until all schedulingGates have been cleared"
            errors.forbidden("spec.nodeName", what)
        check_agreement(errors, "spec", obj["metadata"], spec)
        return errors

    def validate_update(self, new: Object, old: Object, context: Context) -> list[FieldError]:
        """Check what the endpoint may change."""
        errors = changed_metadata(new, old)
        options = options_for(old["spec"], old["metadata"], is_pod=True)
        checks = {
            "status": check_status,
            "ephemeralcontainers": check_ephemeral_update,
            "resize": check_resize,
        }
        checks.get(context.subresource, check_update)(errors, new, old, options)
        return errors

    def reset_fields(self, subresource: str) -> tuple[tuple[str, ...], ...]:
        """Name what an endpoint sets back."""
        if subresource == "status":
            return ("spec",), ("metadata", "deletionTimestamp"), ("metadata", "ownerReferences")
        return () if subresource else (("status",),)

    def grace_seconds(self, obj: Object, asked: int | None) -> int | None:
        """Say how long a deletion waits: not at all for a pod that is on no node or has ended."""
        spec, status = obj.get("spec") or {}, obj.get("status") or {}
        if not spec.get("nodeName") or status.get("phase") in ENDED:
            return 0
        seconds: int = spec.get("terminationGracePeriodSeconds", 0) if asked is None else asked
        return 1 if seconds < 0 else seconds

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        """Warn of what a new pod says; updates are too frequent to look."""
        if old is not None:
            return status_warnings(obj.get("status") or {}) if _is_status_update(obj, old) else []
        found = _apparmor_warnings(obj)
        found += name_warning(obj["metadata"].get("name", ""), "the Pod's hostname")
        return found + pod_warnings("", obj)

    def select(self, obj: Object, path: str) -> Any:
        """Give the value for a field selector; hostNetwork is told even where it is not set."""
        if path == "spec.hostNetwork":
            return "true" if (obj.get("spec") or {}).get("hostNetwork") else "false"
        return super().select(obj, "spec.nodeName" if path == "spec.host" else path)


def _is_status_update(new: Object, old: Object) -> bool:
    return new.get("status") != old.get("status")


def _gated(metadata: Object) -> Object:
    return {
        "type": "PodScheduled",
        "status": "False",
        "lastProbeTime": None,
        "lastTransitionTime": metadata.get("creationTimestamp"),
        "reason": "SchedulingGated",
        "message": GATED,
    }


def _merge_label_keys(spec: Object, labels: dict[str, str]) -> None:
    """Add the pod's own values of matchLabelKeys to the selectors, in place."""
    affinity = spec.get("affinity") or {}
    for name in ("podAffinity", "podAntiAffinity"):
        pods = affinity.get(name) or {}
        for weighted in pods.get(PREFERRED) or ():
            _merge(weighted.get("podAffinityTerm") or {}, labels)
        for term in pods.get(REQUIRED) or ():
            _merge(term, labels)
    for constraint in spec.get("topologySpreadConstraints") or ():
        _merge(constraint, labels)


def _merge(term: Object, labels: dict[str, str]) -> None:
    selector = term.get("labelSelector")
    if selector is None:
        return
    for name, operator in (("matchLabelKeys", "In"), ("mismatchLabelKeys", "NotIn")):
        for key in term.get(name) or ():
            if key in labels:
                rule = {"key": key, "operator": operator, "values": [labels[key]]}
                selector.setdefault("matchExpressions", []).append(rule)


def _copy_apparmor(pod: Object) -> None:
    """Copy profiles that annotations name to the fields, in place."""
    if (pod["spec"].get("os") or {}).get("name") == "windows":
        return
    for container in all_containers(pod["spec"]):
        profile = _apparmor(pod, container)
        if profile and profile != (pod["spec"].get("securityContext") or {}).get("appArmorProfile"):
            container.setdefault("securityContext", {})["appArmorProfile"] = profile


def _apparmor(pod: Object, container: Object) -> Object | None:
    """Give the profile of a container's annotation, where there is no field and it is valid."""
    annotation = pod["metadata"]["annotations"].get(APPARMOR + container.get("name", ""))
    if annotation is None or "appArmorProfile" in (container.get("securityContext") or {}):
        return None
    profile, errors = apparmor_profile(annotation), Errors()
    check_apparmor(errors, "", profile)
    return None if errors else profile


def _apparmor_warnings(pod: Object) -> list[str]:
    """Warn of annotations that became fields, or could not."""
    annotations = pod["metadata"].get("annotations") or {}
    if (pod["spec"].get("os") or {}).get("name") == "windows":
        return []
    whole = (pod["spec"].get("securityContext") or {}).get("appArmorProfile")
    found = []
    for container in all_containers(pod["spec"]):
        key = APPARMOR + container.get("name", "")
        if key not in annotations:
            continue
        own = (container.get("securityContext") or {}).get("appArmorProfile")
        stands_for = apparmor_profile(annotations[key])
        if stands_for is None or (own == stands_for and own != whole):
            found.append(f"metadata.annotations[{key}]: {OLD_APPARMOR}")
    return found
