"""What a cluster fills in by itself, taken off what comes back, and off what it is compared to."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from kedge.engine.restore.actions.ports import shed_service
from kedge.engine.restore.fields import drop, drop_annotations, rows, table, text
from kedge.kube.kind import Object

BIND_COMPLETED: Final = "pv.kubernetes.io/bind-completed"
BOUND_BY_CONTROLLER: Final = "pv.kubernetes.io/bound-by-controller"
PROVISIONERS: Final = (
    "volume.kubernetes.io/storage-provisioner",
    "volume.beta.kubernetes.io/storage-provisioner",
)
SELECTED_NODE: Final = "volume.kubernetes.io/selected-node"
SNAPSHOT: Final = "velero.io/volume-snapshot-name"
DATA_UPLOAD: Final = "velero.io/data-upload-name"
CONTROLLER_UIDS: Final = ("batch.kubernetes.io/controller-uid", "controller-uid")


def shed_job(job: Object) -> None:
    """Forget the id of the Job that its pods were found by."""
    drop(table(job, "spec", "selector", "matchLabels"), *CONTROLLER_UIDS)
    drop(table(job, "spec", "template", "metadata", "labels"), *CONTROLLER_UIDS)


def shed_pod(pod: Object) -> None:
    """Forget the node, the priority that its class stands for, and the token of its account."""
    spec = table(pod, "spec")
    drop(spec, "nodeName", "priority")
    prefix = f"{text(spec, 'serviceAccountName')}-token-"
    _keep_other_names(spec, "volumes", prefix)
    for container in (*rows(spec, "containers"), *rows(spec, "initContainers")):
        _keep_other_names(container, "volumeMounts", prefix)


def _keep_other_names(holder: Object, field: str, prefix: str) -> None:
    found = holder.get(field)
    if not isinstance(found, list):
        return
    kept = [each for each in found if not _is_named(each, prefix)]
    if kept:
        holder[field] = kept
    else:
        holder.pop(field)


def _is_named(entry: Any, prefix: str) -> bool:
    return isinstance(entry, dict) and text(entry, "name").startswith(prefix)


def shed_claim(claim: Object) -> None:
    """Forget how a claim came to its volume."""
    drop_annotations(
        claim,
        BIND_COMPLETED,
        BOUND_BY_CONTROLLER,
        *PROVISIONERS,
        SELECTED_NODE,
        SNAPSHOT,
        DATA_UPLOAD,
    )


def shed_volume(volume: Object) -> None:
    """Forget which object it was that claimed a volume; its name stays."""
    drop(table(volume, "spec", "claimRef"), "uid", "resourceVersion")
    drop_annotations(volume, BIND_COMPLETED, BOUND_BY_CONTROLLER)


def shed_account(account: Object) -> None:
    """Forget the Secrets with tokens that were made for a service account."""
    _keep_other_names(account, "secrets", f"{text(account, 'metadata', 'name')}-token-")


SHED: Final[Mapping[str, Callable[[Object], None]]] = {
    "jobs.batch": shed_job,
    "pods": shed_pod,
    "persistentvolumeclaims": shed_claim,
    "persistentvolumes": shed_volume,
    "serviceaccounts": shed_account,
    "services": shed_service,
}
"""By resource."""


def shed(resource: str, obj: Object) -> None:
    """Take off an object what the cluster fills in anew."""
    change = SHED.get(resource)
    if change is not None:
        change(obj)


def claims_of(pod: Object) -> Iterator[str]:
    """Give the names of the claims that a pod uses."""
    for volume in rows(pod, "spec", "volumes"):
        name = text(volume, "persistentVolumeClaim", "claimName")
        if name:
            yield name
