"""Scale objects: where each kind keeps its replicas and its selector."""

from kedge.apiserver.crd import scalepath
from kedge.apiserver.resource import Object, Resource
from kedge.kube.selectors import from_object

SHOWN = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")


def scale_of(resource: Resource, obj: Object) -> Object:
    """Make the autoscaling/v1 Scale of an object; raises InternalError for a custom one without."""
    if resource.scale is not None:
        return scalepath.scale_of(obj, dict(resource.scale))
    meta, spec = obj["metadata"], obj.get("spec") or {}
    status: Object = {"replicas": (obj.get("status") or {}).get("replicas", 0)}
    selector = spec.get("selector") or {}
    if resource.kind == "ReplicationController":
        selector = {"matchLabels": selector}
    if text := str(from_object(selector)):
        status["selector"] = text
    replicas = spec.get("replicas")
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {name: meta[name] for name in SHOWN if name in meta},
        "spec": {"replicas": replicas} if replicas else {},
        "status": status,
    }


def current_scale(resource: Resource, obj: Object) -> Object:
    """Make the Scale that a patch starts from; a custom object may have no replicas yet."""
    if resource.scale is not None:
        return scalepath.read_scale(obj, dict(resource.scale))[0]
    return scale_of(resource, obj)


def with_replicas(resource: Resource, obj: Object, scale: Object) -> Object:
    """Make the object that a Scale asks for, on a copy."""
    if resource.scale is not None:
        paths = dict(resource.scale)
        had = scalepath.read_scale(obj, paths)[1]
        return scalepath.with_replicas(obj, paths, scale, had)
    new = {**obj, "metadata": dict(obj["metadata"]), "spec": dict(obj["spec"])}
    for name in ("resourceVersion", "uid"):
        if scale["metadata"].get(name):
            new["metadata"][name] = scale["metadata"][name]
    new["spec"]["replicas"] = (scale.get("spec") or {}).get("replicas", 0)
    return new
