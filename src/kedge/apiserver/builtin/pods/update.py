"""What may change in a pod once it is there: little, for its containers may run already."""

from collections.abc import Iterable
from difflib import unified_diff

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.equality import same
from kedge.apiserver.builtin.fields import LARGEST_INT32, Errors
from kedge.apiserver.builtin.internal import pretty_lines, shown_list, shown_struct
from kedge.apiserver.builtin.pods.annotations import APPARMOR, MIRROR, check_annotations
from kedge.apiserver.builtin.pods.containers import check_image_spaces
from kedge.apiserver.builtin.pods.scheduling import REQUIRED, check_tolerations
from kedge.apiserver.builtin.pods.spec import check_pod
from kedge.apiserver.builtin.pods.surroundings import Options
from kedge.apiserver.resource import Object

CHANGEABLE = ",".join(
    (
        "`spec.containers[*].image`",
        "`spec.initContainers[*].image`",
        "`spec.activeDeadlineSeconds`",
        "`spec.tolerations` (only additions to existing tolerations)",
        "`spec.terminationGracePeriodSeconds` "
        "(allow it to be set to 1 if it was previously negative)",
    )
)


def check_update(errors: Errors, new: Object, old: Object, options: Options) -> None:
    """Check an update of a pod through its own endpoint."""
    check_whole(errors, new, old, options)
    spec, before = new["spec"], old["spec"]
    if not _check_containers(errors, spec, before) or not _check_deadline(errors, spec, before):
        return
    _check_tolerations(errors, spec.get("tolerations") or [], before.get("tolerations") or [])
    _check_gates(errors, spec.get("schedulingGates") or [], before.get("schedulingGates") or [])
    if same(spec, before):
        return
    munged = _with_old_images(spec, before)
    for name in ("activeDeadlineSeconds", "schedulingGates", "tolerations"):
        _copy(munged, before, name)
    if before.get("schedulingGates"):
        _allow_gated(errors, munged, before)
    if not same(munged, before):
        difference = diff("PodSpec", before, munged)
        what = f"pod updates may not change fields other than {CHANGEABLE}\n{difference}"
        errors.forbidden("spec", what)


def check_whole(errors: Errors, new: Object, old: Object, options: Options) -> None:
    """Check the whole pod anew, and the annotations that may not change."""
    errors += fields.whole_metadata(new)
    check_pod(errors, new, options)
    check_annotation_update(errors, new, old, options)


def check_annotation_update(errors: Errors, new: Object, old: Object, options: Options) -> None:
    """Check that annotations that a node has acted on stay as they are."""
    after = new["metadata"].get("annotations") or {}
    before = old["metadata"].get("annotations") or {}
    for key, value in before.items():
        if after.get(key) != value:
            _forbid(errors, key, "remove or update")
    for key in after:
        if key not in before:
            _forbid(errors, key, "add")
    check_annotations(errors, "metadata.annotations", after, new["spec"], options)


def _forbid(errors: Errors, key: str, what: str) -> None:
    if key.startswith(APPARMOR):
        errors.forbidden(f"metadata.annotations[{key}]", f"may not {what} AppArmor annotations")
    if key == MIRROR:
        errors.forbidden(f"metadata.annotations[{key}]", f"may not {what} mirror pod annotation")


def diff(struct: str, old: Object, new: Object) -> str:
    """Write the difference of two structs as the server shows it."""
    lines = unified_diff(pretty_lines(struct, old), pretty_lines(struct, new), n=3, lineterm="")
    return "".join(f"{line}\n" for line in list(lines)[2:])


def _check_containers(errors: Errors, new: Object, old: Object) -> bool:
    """Check the images; tell whether the lists have the same length, so that one can go on."""
    for name in ("containers", "initContainers"):
        containers = new.get(name) or ()
        if len(containers) != len(old.get(name) or ()):
            errors.forbidden(f"spec.{name}", "pod updates may not add or remove containers")
            return False
        for index, container in enumerate(containers):
            if not container.get("image"):
                errors.required(f"spec.{name}[{index}].image")
            check_image_spaces(errors, f"spec.{name}[{index}]", container)
    return True


def _check_deadline(errors: Errors, new: Object, old: Object) -> bool:
    """Check that a deadline is set once or brought forward; tell whether one can go on."""
    path = "spec.activeDeadlineSeconds"
    after, before = new.get("activeDeadlineSeconds"), old.get("activeDeadlineSeconds")
    if after is None:
        if before is not None:
            what = "must not update from a positive integer to nil value"
            errors.invalid(path, None, what)
        return True
    if not 0 <= after <= LARGEST_INT32:
        fields.in_range(errors, path, after, 0, LARGEST_INT32)
        return False
    if before is not None and before < after:
        errors.invalid(path, after, "must be less than or equal to previous value")
        return False
    return True


def _check_tolerations(errors: Errors, new: list[Object], old: list[Object]) -> None:
    kept = [_without_seconds(toleration) for toleration in new]
    for toleration in old:
        if _without_seconds(toleration) not in kept:
            what = "existing toleration can not be modified except its tolerationSeconds"
            errors.forbidden("spec.tolerations", what)
            return
    check_tolerations(errors, "spec.tolerations", new)


def _without_seconds(toleration: Object) -> Object:
    return {key: value for key, value in toleration.items() if key != "tolerationSeconds"}


def _check_gates(errors: Errors, new: list[Object], old: list[Object]) -> None:
    known = {gate.get("name", "") for gate in old}
    added = {gate.get("name", ""): index for index, gate in enumerate(new)}
    for name, index in added.items():
        if name not in known:
            what = f"only deletion is allowed, but found new scheduling gate '{name}'"
            errors.forbidden(f"spec.schedulingGates[{index}].name", what)


def _with_old_images(new: Object, old: Object) -> Object:
    munged = dict(new)
    for name in ("containers", "initContainers"):
        if new.get(name):
            pairs = zip(new[name], old[name], strict=True)
            munged[name] = [_with(container, before, "image") for container, before in pairs]
    return munged


def _with(new: Object, old: Object, name: str) -> Object:
    copied = dict(new)
    _copy(copied, old, name)
    return copied


def _copy(new: Object, old: Object, name: str) -> None:
    """Set a field to what it was."""
    if name in old:
        new[name] = old[name]
    else:
        new.pop(name, None)


def _allow_gated(errors: Errors, new: Object, old: Object) -> None:
    """Let a pod that is not scheduled yet become more particular about its node."""
    selector = new.get("nodeSelector") or {}
    if any(selector.get(key) != value for key, value in (old.get("nodeSelector") or {}).items()):
        what = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
        errors.invalid("spec.nodeSelector", fields.shown_map(new.get("nodeSelector")), what)
    _copy(new, old, "nodeSelector")
    affinity, before = new.get("affinity") or {}, old.get("affinity") or {}
    if same(affinity.get("nodeAffinity"), before.get("nodeAffinity")):
        return
    _check_node_affinity(errors, affinity.get("nodeAffinity"), before.get("nodeAffinity"))
    merged = _with(affinity, before, "nodeAffinity")
    if merged or "affinity" in old:
        new["affinity"] = merged
    else:
        new.pop("affinity", None)


def _check_node_affinity(errors: Errors, new: Object | None, old: Object | None) -> None:
    before = _terms(old)
    if before is None:
        return
    after = _terms(new) or []
    path = f"spec.affinity.nodeAffinity.{REQUIRED}.nodeSelectorTerms"
    if before and len(before) != len(after):
        what = "no additions/deletions to non-empty NodeSelectorTerms list are allowed"
        given = ((new or {}).get(REQUIRED) or {}).get("nodeSelectorTerms")
        errors.invalid(path, shown_list("NodeSelectorTerm", given), what)
        return
    for index, (term, earlier) in enumerate(zip(after, before, strict=False)):
        if not _only_adds(term, earlier):
            what = "only additions are allowed (no mutations or deletions)"
            errors.invalid(f"{path}[{index}]", shown_struct("NodeSelectorTerm", term), what)


def _terms(affinity: Object | None) -> list[Object] | None:
    required = (affinity or {}).get(REQUIRED)
    return None if required is None else required.get("nodeSelectorTerms") or []


def _only_adds(new: Object, old: Object) -> bool:
    names = ("matchExpressions", "matchFields")
    if not any(old.get(name) for name in names):
        return not any(new.get(name) for name in names)
    return all(_starts_with(new.get(name) or (), old.get(name) or ()) for name in names)


def _starts_with(new: Iterable[Object], old: Iterable[Object]) -> bool:
    before = list(old)
    return list(new)[: len(before)] == before
