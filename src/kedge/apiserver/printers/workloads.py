"""What keeps pods running: replicas wanted and there, containers, images, selectors."""

from datetime import datetime

from kedge.apiserver.printers.wording import (
    NONE,
    Cells,
    age_of,
    containers_of,
    labels_text,
    lower,
    name_of,
    part,
    selector_text,
)
from kedge.apiserver.resource import Object
from kedge.kube.requirements import SelectorError
from kedge.kube.selectors import from_object


def pod_template(obj: Object, now: datetime) -> Cells:
    """Give the cells of a PodTemplate."""
    template = part(obj, "template")
    labels = labels_text(part(template, "metadata").get("labels"))
    return [name_of(obj), *containers_of(part(template, "spec")), labels]


def replication_controller(obj: Object, now: datetime) -> Cells:
    """Give the cells of a ReplicationController."""
    return [*_replicas(obj, now), labels_text(part(obj, "spec").get("selector"))]


def replica_set(obj: Object, now: datetime) -> Cells:
    """Give the cells of a ReplicaSet."""
    return [*_replicas(obj, now), selector_text(part(obj, "spec").get("selector"))]


def _replicas(obj: Object, now: datetime) -> Cells:
    spec, status = part(obj, "spec"), part(obj, "status")
    return [
        name_of(obj),
        spec.get("replicas", 0),
        status.get("replicas", 0),
        status.get("readyReplicas", 0),
        age_of(obj, now),
        *containers_of(part(spec, "template", "spec")),
    ]


def deployment(obj: Object, now: datetime) -> Cells:
    """Give the cells of a Deployment."""
    spec, status = part(obj, "spec"), part(obj, "status")
    try:
        selector = str(from_object(spec.get("selector")))
    except SelectorError:
        selector = "<invalid>"
    return [
        name_of(obj),
        f"{status.get('readyReplicas', 0)}/{spec.get('replicas', 0)}",
        status.get("updatedReplicas", 0),
        status.get("availableReplicas", 0),
        age_of(obj, now),
        *containers_of(part(spec, "template", "spec")),
        selector,
    ]


def stateful_set(obj: Object, now: datetime) -> Cells:
    """Give the cells of a StatefulSet."""
    spec = part(obj, "spec")
    return [
        name_of(obj),
        f"{part(obj, 'status').get('readyReplicas', 0)}/{spec.get('replicas', 0)}",
        age_of(obj, now),
        *containers_of(part(spec, "template", "spec")),
    ]


def daemon_set(obj: Object, now: datetime) -> Cells:
    """Give the cells of a DaemonSet."""
    spec, status = part(obj, "spec"), part(obj, "status")
    pod = part(spec, "template", "spec")
    return [
        name_of(obj),
        status.get("desiredNumberScheduled", 0),
        status.get("currentNumberScheduled", 0),
        status.get("numberReady", 0),
        status.get("updatedNumberScheduled", 0),
        status.get("numberAvailable", 0),
        labels_text(pod.get("nodeSelector")),
        age_of(obj, now),
        *containers_of(pod),
        selector_text(spec.get("selector")),
    ]


def controller_revision(obj: Object, now: datetime) -> Cells:
    """Give the cells of a ControllerRevision."""
    owners = obj["metadata"].get("ownerReferences") or ()
    owner = next((_owner(one) for one in owners if one.get("controller")), NONE)
    return [name_of(obj), owner, obj.get("revision", 0), age_of(obj, now)]


def _owner(reference: Object) -> str:
    group, slash, _ = reference.get("apiVersion", "").partition("/")
    kind = reference.get("kind", "")
    if slash and group:
        kind = f"{kind}.{group}"
    return f"{lower(kind)}/{reference.get('name', '')}"


def disruption_budget(obj: Object, now: datetime) -> Cells:
    """Give the cells of a PodDisruptionBudget."""
    spec = part(obj, "spec")
    return [
        name_of(obj),
        str(spec.get("minAvailable", "N/A")),
        str(spec.get("maxUnavailable", "N/A")),
        part(obj, "status").get("disruptionsAllowed", 0),
        age_of(obj, now),
    ]
