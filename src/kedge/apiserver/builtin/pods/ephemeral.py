"""What the endpoints `ephemeralcontainers` and `resize` of a pod may change."""

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.equality import same
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.plain import keep_metadata
from kedge.apiserver.builtin.pods.annotations import MIRROR
from kedge.apiserver.builtin.pods.resources import pod_qos
from kedge.apiserver.builtin.pods.spec import check_pod
from kedge.apiserver.builtin.pods.surroundings import Options
from kedge.apiserver.builtin.pods.update import check_whole, diff
from kedge.apiserver.resource import Object
from kedge.kube.gotext import quote

MUTABLE = ("cpu", "memory")


def keep_all_but_ephemeral(new: Object, old: Object) -> None:
    """Undo every change of a spec but that of the ephemeral containers."""
    containers = new["spec"].get("ephemeralContainers")
    new["spec"] = dict(old["spec"])
    new["spec"].pop("ephemeralContainers", None)
    if containers:
        new["spec"]["ephemeralContainers"] = containers
    keep_metadata(new, old)


def check_ephemeral_update(errors: Errors, new: Object, old: Object, options: Options) -> None:
    """Check that ephemeral containers are only added."""
    check_whole(errors, new, old, options)
    if MIRROR in (old["metadata"].get("annotations") or {}):
        errors.clear()
        errors.forbidden("", "static pods do not support ephemeral containers")
        return
    path = "spec.ephemeralContainers"
    known = {one.get("name", ""): one for one in new["spec"].get("ephemeralContainers") or ()}
    for container in old["spec"].get("ephemeralContainers") or ():
        name = container.get("name", "")
        what = f"existing ephemeral containers {quote(name)} may not be"
        if name not in known:
            errors.forbidden(path, f"{what} removed\n")
        elif not same(known[name], container):
            difference = diff("EphemeralContainer", container, known[name])
            errors.forbidden(path, f"{what} changed\n{difference}")


def keep_all_but_resources(new: Object, old: Object) -> None:
    """Undo every change of a spec but those of the containers' resources."""
    if any(
        len(new["spec"].get(name) or ()) != len(old["spec"].get(name) or ())
        for name in ("containers", "initContainers")
    ):
        return  # validation refuses it
    lists = {
        name: _with_new_resources(new["spec"][name], old["spec"][name])
        for name in ("containers", "initContainers")
        if new["spec"].get(name)
    }
    new["spec"] = {**old["spec"], **lists}
    keep_metadata(new, old)


def _with_new_resources(new: list[Object], old: list[Object]) -> list[Object]:
    merged = []
    for container, before in zip(new, old, strict=True):
        if container.get("name") != before.get("name"):
            return new
        kept = {key: value for key, value in before.items() if key != "resizePolicy"}
        kept["resources"] = container.get("resources") or {}
        if container.get("resizePolicy"):
            kept["resizePolicy"] = container["resizePolicy"]
        merged.append(kept)
    return merged


def check_resize(errors: Errors, new: Object, old: Object, options: Options) -> None:
    """Check that only amounts of cpu and memory change."""
    errors += fields.whole_metadata(new)
    check_pod(errors, new, options)
    if why := _never_resized(new, old):
        errors.clear()
        errors.forbidden("", why)
        return
    qos = (old.get("status") or {}).get("qosClass") or pod_qos(old["spec"])
    if qos != pod_qos(new["spec"]):
        shown = (new.get("status") or {}).get("qosClass", "")
        errors.invalid("spec", shown, "Pod QOS Class may not change as a result of resizing")
    if not _node_resizes(old):
        errors.forbidden("spec", "Pod running on node without support for resize")
    if _check_order(errors, new["spec"], old["spec"]):
        _check_resources(errors, new["spec"], old["spec"])
        if not errors and not same(_with_old_amounts(new["spec"], old["spec"]), old["spec"]):
            errors.forbidden("spec", "only cpu and memory resources are mutable")


def _never_resized(new: Object, old: Object) -> str:
    """Say why a pod can not be resized at all."""
    for pod in (old, new):
        whole = pod["spec"].get("resources") or {}
        if whole.get("requests") or whole.get("limits"):
            return "pods with pod-level resources cannot be resized"
    if MIRROR in (old["metadata"].get("annotations") or {}):
        return "static pods cannot be resized"
    if (old["spec"].get("os") or {}).get("name") == "windows":
        return "windows pods cannot be resized"
    return ""


def _node_resizes(pod: Object) -> bool:
    for status in (pod.get("status") or {}).get("containerStatuses") or ():
        if (status.get("state") or {}).get("running") is not None:
            return status.get("resources") is not None
    return True


def _check_order(errors: Errors, new: Object, old: Object) -> bool:
    before = len(errors)
    for name in ("containers", "initContainers"):
        after, earlier = new.get(name) or (), old.get(name) or ()
        if len(after) != len(earlier):
            errors.forbidden(f"spec.{name}", f"{name} may not be added or removed on resize")
            continue
        for index, (container, other) in enumerate(zip(after, earlier, strict=True)):
            if container.get("name") != other.get("name"):
                what = f"{name} may not be renamed or reordered on resize"
                errors.forbidden(f"spec.{name}[{index}].name", what)
    return len(errors) == before


def _check_resources(errors: Errors, new: Object, old: Object) -> None:
    for name in ("initContainers", "containers"):
        for index, before in enumerate(old.get(name) or ()):
            if name == "containers" or before.get("restartPolicy") == "Always":
                path = f"spec.{name}[{index}].resources"
                _check_not_removed(errors, path, new[name][index], before)
    munged = _with_old_amounts(new, old)
    for container, before in zip(munged.get("containers") or (), old["containers"], strict=True):
        if not same(container, before):
            errors.forbidden("spec", "only cpu and memory resources are mutable")
    pairs = zip(munged.get("initContainers") or (), old.get("initContainers") or (), strict=True)
    for container, before in pairs:
        if not same(container, before):
            what = "resources for non-sidecar init containers are immutable"
            if container.get("restartPolicy") == "Always":
                what = "only cpu and memory resources for sidecar containers are mutable"
            errors.forbidden("spec", what)


def _check_not_removed(errors: Errors, path: str, new: Object, old: Object) -> None:
    for name in ("requests", "limits"):
        after = (new.get("resources") or {}).get(name) or {}
        before = (old.get("resources") or {}).get(name) or {}
        if any(key not in after for key in before):
            errors.forbidden(f"{path}.{name}", f"resource {name} cannot be removed")


def _with_old_amounts(new: Object, old: Object) -> Object:
    """Give the spec with the amounts of cpu and memory that it had."""
    munged = dict(new)
    for name in ("containers", "initContainers"):
        if new.get(name):
            pairs = zip(new[name], old[name], strict=True)
            munged[name] = [
                _old_amounts(container, before)
                if name == "containers" or container.get("restartPolicy") == "Always"
                else container
                for container, before in pairs
            ]
    return munged


def _old_amounts(container: Object, before: Object) -> Object:
    resources: Object = {}
    for name in ("limits", "requests"):
        earlier = (before.get("resources") or {}).get(name)
        if earlier is None:
            continue
        amounts = dict((container.get("resources") or {}).get(name) or {})
        for key in MUTABLE:
            amounts.pop(key, None)
            if key in earlier:
                amounts[key] = earlier[key]
        resources[name] = amounts
    return {**container, "resources": resources}
