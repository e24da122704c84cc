"""Stateful sets."""

from typing import ClassVar

from kedge.apiserver.builtin import claims, fields
from kedge.apiserver.builtin.equality import same
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.internal import shown_selector, shown_struct
from kedge.apiserver.builtin.labels import is_valid_selector
from kedge.apiserver.builtin.pods.annotations import check_annotations
from kedge.apiserver.builtin.pods.spec import check_template
from kedge.apiserver.builtin.pods.surroundings import Options
from kedge.apiserver.builtin.replicas import (
    check_long_running,
    check_owner_selector,
    check_picked,
)
from kedge.apiserver.builtin.workload import Templated, check_at_most, check_decrement
from kedge.apiserver.resource import Object
from kedge.kube.names import label_name

COUNTS = (
    "replicas",
    "readyReplicas",
    "currentReplicas",
    "updatedReplicas",
    "availableReplicas",
    "observedGeneration",
    "collisionCount",
)
CHANGEABLE = (
    "replicas",
    "template",
    "updateStrategy",
    "minReadySeconds",
    "ordinals",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
)
FORBIDDEN = (
    "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "
    "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and "
    "'minReadySeconds' are forbidden"
)
RETENTION = ("Retain", "Delete")
NEGATIVE_LIMIT = (
    "spec.revisionHistoryLimit: a negative value retains all historical revisions; "
    "a value >= 0 is recommended"
)


class StatefulSetStrategy(Templated):
    """Hooks of apps/v1 StatefulSet."""

    zero_status: ClassVar[Object] = {"replicas": 0, "availableReplicas": 0}
    warns_of_name = False

    def validate_name(self, name: str, prefix: bool) -> list[str]:
        """Say what is wrong with the name, which is the host name of pods."""
        return label_name(name, prefix)

    def default(self, obj: Object) -> None:
        """Fill in what the user left out."""
        spec: Object = obj.setdefault("spec", {})
        spec.setdefault("podManagementPolicy", "OrderedReady")
        strategy = spec.setdefault("updateStrategy", {})
        if not strategy.get("type"):
            strategy["type"] = "RollingUpdate"
            strategy.setdefault("rollingUpdate", {})
        if strategy["type"] == "RollingUpdate" and "rollingUpdate" in strategy:
            strategy["rollingUpdate"].setdefault("partition", 0)
        retention = spec.setdefault("persistentVolumeClaimRetentionPolicy", {})
        retention.setdefault("whenDeleted", "Retain")
        retention.setdefault("whenScaled", "Retain")
        spec.setdefault("replicas", 1)
        spec.setdefault("revisionHistoryLimit", 10)
        super().default(obj)
        for claim in spec.get("volumeClaimTemplates") or ():
            claim["apiVersion"], claim["kind"] = "v1", "PersistentVolumeClaim"
            claims.default_spec(claim.setdefault("spec", {}))
            claim.setdefault("status", {}).setdefault("phase", "Pending")

    def drop(self, obj: Object) -> None:
        """Drop what belongs to features that are off, in place."""
        super().drop(obj)
        rolling = (obj["spec"].get("updateStrategy") or {}).get("rollingUpdate")
        if rolling is not None:
            rolling.pop("maxUnavailable", None)

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check the spec, and on update that only some of it changed."""
        options = self.options(old)
        if old is None:
            _check_spec(errors, obj["spec"], options, is_new=True, with_template=True)
            return
        before = Errors()
        _check_spec(before, old["spec"], options, is_new=False, with_template=True)
        _check_spec(errors, obj["spec"], options, is_new=False, with_template=not before)
        fixed = {key: value for key, value in obj["spec"].items() if key not in CHANGEABLE}
        was = {key: value for key, value in old["spec"].items() if key not in CHANGEABLE}
        if not same(fixed, was):
            errors.forbidden("spec", FORBIDDEN)

    def check_status(self, errors: Errors, new: Object, old: Object) -> None:
        """Check the numbers of the status."""
        status = new.get("status") or {}
        fields.non_negatives(errors, "status", status, COUNTS)
        counted = ("readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas")
        check_at_most(errors, status, counted, "replicas", "status.replicas")
        check_at_most(
            errors, status, ("availableReplicas",), "readyReplicas", "status.readyReplicas"
        )
        check_decrement(errors, status, old.get("status") or {})

    def warnings(self, obj: Object, old: Object | None) -> list[str]:
        """Warn of the template, of the claims, and of a limit that limits nothing."""
        found = super().warnings(obj, old)
        inner = "" if old is None else ".Spec"  # as the original writes the path on update
        for index, claim in enumerate(obj["spec"].get("volumeClaimTemplates") or ()):
            path = f"spec.volumeClaimTemplates[{index}]{inner}"
            found += claims.claim_warnings(path, claim.get("spec") or {})
        if obj["spec"].get("revisionHistoryLimit", 0) < 0:
            found.append(NEGATIVE_LIMIT)
        return found


def _check_spec(
    errors: Errors, spec: Object, options: Options, *, is_new: bool, with_template: bool
) -> None:
    policy = spec.get("podManagementPolicy", "")
    if not policy:
        errors.required("spec.podManagementPolicy")
    elif policy not in ("OrderedReady", "Parallel"):
        what = "must be 'OrderedReady' or 'Parallel'"
        errors.invalid("spec.podManagementPolicy", policy, what)
    _check_strategy(errors, "spec.updateStrategy", spec.get("updateStrategy") or {})
    retention = spec.get("persistentVolumeClaimRetentionPolicy") or {}
    for name in ("whenDeleted", "whenScaled"):
        where = f"spec.persistentVolumeClaimRetentionPolicy.{name}"
        fields.optional_enum(errors, where, retention.get(name), RETENTION)
    if is_new:
        for index, claim in enumerate(spec.get("volumeClaimTemplates") or ()):
            where = f"spec.volumeClaimTemplates[{index}].spec"
            claims.check_spec(errors, where, claim.get("spec") or {})
    fields.non_negatives(errors, "spec", spec, ("replicas", "minReadySeconds"))
    start = (spec.get("ordinals") or {}).get("start", 0)
    fields.non_negative(errors, "spec.ordinals.start", start)
    if is_new and spec.get("serviceName"):
        fields.dns_label(errors, "spec.serviceName", spec["serviceName"])
    check_owner_selector(errors, spec, "statefulset")
    if is_valid_selector(spec.get("selector")):
        _check_template(errors, spec, options, with_template)
    else:
        errors.invalid("spec.selector", shown_selector(spec["selector"]), "")
    check_long_running(errors, "spec.template", spec.get("template") or {}, "StatefulSet")


def _check_strategy(errors: Errors, path: str, strategy: Object) -> None:
    kind, rolling = strategy.get("type", ""), strategy.get("rollingUpdate")
    if not kind:
        errors.required(path)
    elif kind == "OnDelete":
        if rolling is not None:
            shown = shown_struct("RollingUpdateStatefulSetStrategy", rolling)
            what = "only allowed for updateStrategy 'RollingUpdate'"
            errors.invalid(f"{path}.rollingUpdate", shown, what)
    elif kind == "RollingUpdate":
        fields.non_negatives(errors, f"{path}.rollingUpdate", rolling or {}, ("partition",))
    else:
        shown = shown_struct("StatefulSetUpdateStrategy", strategy)
        errors.invalid(path, shown, "must be 'RollingUpdate' or 'OnDelete'")


def _check_template(errors: Errors, spec: Object, options: Options, with_template: bool) -> None:
    template = _as_run(spec)
    path = "spec.template"
    check_picked(errors, spec.get("selector"), template)
    if with_template:
        check_template(errors, path, template, options)
    metadata, pod = template.get("metadata") or {}, template.get("spec") or {}
    fields.labels(errors, f"{path}.labels", metadata.get("labels"))
    annotations = metadata.get("annotations")
    fields.annotations(errors, f"{path}.annotations", annotations)
    check_annotations(errors, f"{path}.annotations", annotations, pod, options)


def _as_run(spec: Object) -> Object:
    """Give the template as pods get it: with volumes for the claims, and names of their own."""
    template = spec.get("template") or {}
    pod = dict(template.get("spec") or {})
    pod.pop("subdomain", None)
    pod.pop("hostname", None)
    names = [
        (claim.get("metadata") or {}).get("name", "")
        for claim in spec.get("volumeClaimTemplates") or ()
    ]
    if names:
        made: list[Object] = [
            {"name": name, "persistentVolumeClaim": {"claimName": name}}
            for name in dict.fromkeys(names)
        ]
        kept = [volume for volume in pod.get("volumes") or () if volume.get("name") not in names]
        pod["volumes"] = made + kept
    return {**template, "spec": pod}
