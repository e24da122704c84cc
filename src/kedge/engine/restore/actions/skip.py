"""Objects that do not come back, since what they stand for is over or is made by the cluster."""

from collections.abc import Callable, Mapping
from typing import Final

from kedge.engine.restore.actions.situation import Situation
from kedge.engine.restore.fields import annotations, drop, drop_annotations, labels, table, text
from kedge.kube.kind import Object

MIRROR: Final = "kubernetes.io/config.mirror"
AUTOMANAGED: Final = "kube-aggregator.kubernetes.io/automanaged"
TOKEN: Final = "kubernetes.io/service-account-token"
ACCOUNT_UID: Final = "kubernetes.io/service-account.uid"
RECLAIM_DELETE: Final = "Delete"

Reason = Callable[[Object, Situation], str]


def _pod(pod: Object, _: Situation) -> str:
    phase = text(pod, "status", "phase")
    if phase in ("Succeeded", "Failed"):
        return f"the pod is complete ({phase})"
    return "it is a mirror pod" if annotations(pod).get(MIRROR) else ""


def _job(job: Object, _: Situation) -> str:
    return "the job is complete" if text(job, "status", "completionTime") else ""


def is_provisioned(volume: Object) -> bool:
    """Tell whether a volume is made anew for its claim: its data went with it."""
    return text(volume, "spec", "persistentVolumeReclaimPolicy") == RECLAIM_DELETE


def _volume(volume: Object, _: Situation) -> str:
    if not is_provisioned(volume):
        return ""
    return "it has no snapshot and its reclaim policy is Delete: its claim gets a new volume"


def _service(service: Object, _: Situation) -> str:
    return "it is managed by Kubernetes" if AUTOMANAGED in labels(service) else ""


def _secret(secret: Object, situation: Situation) -> str:
    name = text(secret, "metadata", "name")
    if not is_token(secret):
        return ""
    made = any(name.startswith(f"{account}-token-") for account in situation.accounts)
    return "it is the token of a service account, which is made anew" if made else ""


def _upload(_: Object, __: Situation) -> str:
    return "the data of volumes is not restored"


def _request(_: Object, __: Situation) -> str:
    # Its status, which says that it was done, does not come back: it would be done again, and
    # a backup that somebody wanted to be deleted once would be deleted by a restore, or a restore
    # be run once more by another.
    return "it asks a server for something once, and that is over"


def is_token(secret: Object) -> bool:
    """Tell whether a Secret holds the token of a service account."""
    return text(secret, "type") == TOKEN


def clean_token(secret: Object) -> None:
    """Take out of a Secret that somebody made for a token what is filled in anew."""
    drop_annotations(secret, ACCOUNT_UID)
    data = table(secret, "data")
    drop(data, "token", "ca.crt")
    if not data:
        secret.pop("data", None)


_REASONS: Final[Mapping[str, Reason]] = {
    "pods": _pod,
    "jobs.batch": _job,
    "persistentvolumes": _volume,
    "apiservices.apiregistration.k8s.io": _service,
    "secrets": _secret,
    "datauploads.velero.io": _upload,
    "deletebackuprequests.velero.io": _request,
    "downloadrequests.velero.io": _request,
    "serverstatusrequests.velero.io": _request,
    "nonadminbackups.oadp.openshift.io": _request,
    "nonadminrestores.oadp.openshift.io": _request,
    "nonadmindownloadrequests.oadp.openshift.io": _request,
    "nonadminbackupstoragelocationrequests.oadp.openshift.io": _request,
}


def skip_reason(resource: str, obj: Object, situation: Situation) -> str:
    """Say why an object of a backup does not come back; empty: it does."""
    reason = _REASONS.get(resource)
    return reason(obj, situation) if reason else ""
