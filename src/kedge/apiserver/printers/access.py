"""Who may, and who vouches for it: role bindings and requests for certificates."""

from datetime import datetime, timedelta

from kedge.apiserver.printers.wording import NONE, Cells, age_of, name_of, part
from kedge.apiserver.resource import Object
from kedge.kube.ages import human_duration


def role_binding(obj: Object, now: datetime) -> Cells:
    """Give the cells of a RoleBinding or a ClusterRoleBinding."""
    role, subjects = part(obj, "roleRef"), obj.get("subjects") or ()
    names: dict[str, list[str]] = {"User": [], "Group": [], "ServiceAccount": []}
    for subject in subjects:
        kind, name = subject.get("kind", ""), subject.get("name", "")
        if kind == "ServiceAccount":
            name = f"{subject.get('namespace', '')}/{name}"
        names.setdefault(kind, []).append(name)
    listed = [", ".join(names[kind]) for kind in ("User", "Group", "ServiceAccount")]
    return [
        name_of(obj),
        f"{role.get('kind', '')}/{role.get('name', '')}",
        age_of(obj, now),
        *listed,
    ]


def signing_request(obj: Object, now: datetime) -> Cells:
    """Give the cells of a CertificateSigningRequest."""
    spec = part(obj, "spec")
    seconds = spec.get("expirationSeconds")
    return [
        name_of(obj),
        age_of(obj, now),
        spec.get("signerName") or NONE,
        spec.get("username", ""),
        NONE if seconds is None else human_duration(timedelta(seconds=seconds)),
        _verdict(part(obj, "status")),
    ]


def _verdict(status: Object) -> str:
    """Tell what became of a request; that a condition is there is enough."""
    kinds = {condition.get("type") for condition in status.get("conditions") or ()}
    told = next((kind for kind in ("Denied", "Approved") if kind in kinds), "Pending")
    if "Failed" in kinds:
        told += ",Failed"
    return f"{told},Issued" if status.get("certificate") else told
