"""Binding a pod to a node: the one way to set its nodeName."""

from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.resource import Object
from kedge.kube.conditions import set_condition
from kedge.kube.errors import Conflict, UnknownError, conflict
from kedge.kube.fielderror import aggregate
from kedge.kube.gotext import quote


def check_binding(binding: Object) -> None:
    """Check the node that a Binding names; the server answers a bad one with a bare 500."""
    errors, target = Errors(), binding.get("target") or {}
    kind = target.get("kind", "")
    if kind not in ("", "Node"):
        errors.unsupported("target.kind", kind, ("Node", "<empty>"))
    if not target.get("name"):
        errors.required("target.name")
    if errors:
        raise UnknownError(aggregate(errors), code=500)


def bind(pod: Object, binding: Object, now: str) -> None:
    """Put a pod on a node, in place; raises Conflict. `now` is the time in the API's form."""
    metadata, spec = pod["metadata"], pod["spec"]
    name = metadata["name"]
    if "deletionTimestamp" in metadata:
        raise _refused(name, f"pod {name} is being deleted, cannot be assigned to a host")
    if spec.get("nodeName"):
        why = f"pod {name} is already assigned to node {quote(spec['nodeName'])}"
        raise _refused(name, why)
    if spec.get("schedulingGates"):
        raise _refused(name, f"pod {name} has non-empty .spec.schedulingGates")
    spec["nodeName"] = binding["target"]["name"]
    annotations = binding["metadata"].get("annotations")
    if annotations:
        metadata["annotations"] = {**(metadata.get("annotations") or {}), **annotations}
    status = pod.setdefault("status", {})
    scheduled = {"type": "PodScheduled", "status": "True", "lastProbeTime": None}
    status["conditions"] = set_condition(status.get("conditions"), scheduled, now)


def _refused(name: str, why: str) -> Conflict:
    return conflict("", "pods/binding", name, why)
