"""What default admission plugins do to pods: priority, tolerations, runtime classes."""

from collections.abc import Callable, Iterable

from kedge.apiserver.builtin.equality import same
from kedge.apiserver.builtin.priorities import SYSTEM
from kedge.apiserver.resource import Object
from kedge.kube.errors import Forbidden, named

List = Callable[[str, str], Iterable[Object]]
"""Group and plural to all objects of a kind that has no namespaces."""
NOT_READY = "node.kubernetes.io/not-ready"
UNREACHABLE = "node.kubernetes.io/unreachable"
SECONDS = 300
USUAL: Object = {"value": 0, "preemptionPolicy": "PreemptLowerPriority"}
OVERHEAD = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"


def admit_pod(pod: Object, objects: List) -> None:
    """Decide by other objects what a new pod does not say itself, in place; raises Forbidden."""
    spec = pod["spec"]
    found = _priority_class(spec.get("priorityClassName", ""), objects)
    if found is not None:
        _set_priority(pod, found)
    if spec.get("runtimeClassName"):
        _apply_runtime_class(pod, objects)


def check_overhead(pod: Object, objects: List) -> None:
    """Check that overhead comes from a runtime class; raises Forbidden. Other rules come first."""
    name, overhead = pod["spec"].get("runtimeClassName"), pod["spec"].get("overhead")
    if overhead and not (name and _overhead(_runtime_class(name, objects))):
        what = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"
        raise _forbidden(pod, what)


def settle(pod: Object) -> None:
    """Decide what needs no other object, in place; raises Forbidden."""
    spec = pod["spec"]
    name = spec.get("priorityClassName", "")
    if name in SYSTEM:
        _set_priority(pod, {**USUAL, "value": SYSTEM[name]})
    elif not name:
        _set_priority(pod, USUAL)
    elif "priority" not in spec:
        raise _forbidden(pod, f"no PriorityClass with name {name} was found")
    add_tolerations(spec)


def admit_update(new: Object, old: Object) -> None:
    """Keep what was decided, in place."""
    for name in ("priority", "preemptionPolicy"):
        if name not in new["spec"] and name in old["spec"]:
            new["spec"][name] = old["spec"][name]
    add_tolerations(new["spec"])


def add_tolerations(spec: Object) -> None:
    """Let a pod stay on a node that is not ready for five minutes, unless it says otherwise."""
    tolerations = spec.get("tolerations") or []
    for key in (NOT_READY, UNREACHABLE):
        if not any(_tolerates(toleration, key) for toleration in tolerations):
            added = {
                "key": key,
                "operator": "Exists",
                "effect": "NoExecute",
                "tolerationSeconds": SECONDS,
            }
            tolerations = [*tolerations, added]
    spec["tolerations"] = tolerations


def _tolerates(toleration: Object, key: str) -> bool:
    effects = ("NoExecute", "")
    return toleration.get("key", "") in (key, "") and toleration.get("effect", "") in effects


def _priority_class(name: str, objects: List) -> Object | None:
    """Find a class by its name; without a name the default one, the lowest if there are several."""
    classes = objects("scheduling.k8s.io", "priorityclasses")
    if name:
        return next((one for one in classes if one["metadata"]["name"] == name), None)
    found = [one for one in classes if one.get("globalDefault")]
    return min(found, key=lambda one: one.get("value", 0)) if found else None


def _set_priority(pod: Object, found: Object) -> None:
    spec = pod["spec"]
    value, policy = found.get("value", 0), found.get("preemptionPolicy")
    by = "must not be provided in pod spec; priority admission controller computed"
    given = "from the given PriorityClass name"
    if spec.get("priority", value) != value:
        what = f"the integer value of priority ({spec['priority']}) {by} {value} {given}"
        raise _forbidden(pod, what)
    if "metadata" in found:
        spec["priorityClassName"] = found["metadata"]["name"]
    spec["priority"] = value
    if policy is None:
        return
    if spec.get("preemptionPolicy", policy) != policy:
        own = spec["preemptionPolicy"]
        what = f"the string value of PreemptionPolicy ({own}) {by} {policy} {given}"
        raise _forbidden(pod, what)
    spec["preemptionPolicy"] = policy


def _runtime_class(name: str, objects: List) -> Object | None:
    classes = objects("node.k8s.io", "runtimeclasses")
    return next((one for one in classes if one["metadata"]["name"] == name), None)


def _overhead(found: Object | None) -> Object:
    return ((found or {}).get("overhead") or {}).get("podFixed") or {}


def _apply_runtime_class(pod: Object, objects: List) -> None:
    spec = pod["spec"]
    name = spec["runtimeClassName"]
    found = _runtime_class(name, objects)
    if found is None:
        raise _forbidden(pod, f'pod rejected: RuntimeClass "{name}" not found')
    if overhead := _overhead(found):
        if spec.get("overhead") and not same(
            {"overhead": spec["overhead"]}, {"overhead": overhead}
        ):
            raise _forbidden(pod, OVERHEAD)
        spec["overhead"] = dict(overhead)
    scheduling = found.get("scheduling") or {}
    selector = dict(spec.get("nodeSelector") or {})
    for key, value in (scheduling.get("nodeSelector") or {}).items():
        if selector.get(key, value) != value:
            raise _forbidden(
                pod,
                f"conflict: runtimeClass.scheduling.nodeSelector[{key}] = {value}; "
                f"pod.spec.nodeSelector[{key}] = {selector[key]}",
            )
        selector[key] = value
    if selector:
        spec["nodeSelector"] = selector
    wanted = [
        one
        for one in scheduling.get("tolerations") or ()
        if one not in (spec.get("tolerations") or ())
    ]
    if wanted:
        spec["tolerations"] = [*(spec.get("tolerations") or ()), *wanted]


def _forbidden(pod: Object, why: str) -> Forbidden:
    name = pod["metadata"].get("name") or ""
    return Forbidden(f'pods "{name}" is forbidden: {why}', named("", "pods", name))
