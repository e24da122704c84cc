"""What a namespace holds besides work: configuration, secrets, accounts, quotas, leases."""

from datetime import datetime

from kedge.apiserver.printers.wording import Cells, age_of, name_of, part
from kedge.apiserver.resource import Object


def namespace(obj: Object, now: datetime) -> Cells:
    """Give the cells of a Namespace."""
    return [name_of(obj), part(obj, "status").get("phase", ""), age_of(obj, now)]


def config_map(obj: Object, now: datetime) -> Cells:
    """Give the cells of a ConfigMap."""
    return [name_of(obj), len(part(obj, "data")) + len(part(obj, "binaryData")), age_of(obj, now)]


def secret(obj: Object, now: datetime) -> Cells:
    """Give the cells of a Secret."""
    return [name_of(obj), obj.get("type", ""), len(part(obj, "data")), age_of(obj, now)]


def service_account(obj: Object, now: datetime) -> Cells:
    """Give the cells of a ServiceAccount."""
    return [name_of(obj), len(obj.get("secrets") or ()), age_of(obj, now)]


def resource_quota(obj: Object, now: datetime) -> Cells:
    """Give the cells of a ResourceQuota."""
    status = part(obj, "status")
    used = part(status, "used")
    requests: list[str] = []
    limits: list[str] = []
    for resource, hard in sorted(part(status, "hard").items()):
        told = f"{resource}: {used.get(resource, '0')}/{hard}"
        (limits if resource.startswith("limits.") else requests).append(told)
    return [name_of(obj), ", ".join(requests), ", ".join(limits), age_of(obj, now)]


def lease(obj: Object, now: datetime) -> Cells:
    """Give the cells of a Lease."""
    return [name_of(obj), part(obj, "spec").get("holderIdentity", ""), age_of(obj, now)]
