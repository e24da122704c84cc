"""Evicting a pod: a deletion that a disruption budget may forbid."""

from collections.abc import Iterable

from kedge.apiserver.builtin.labels import is_valid_selector, picks
from kedge.apiserver.resource import Object
from kedge.kube.conditions import set_condition
from kedge.kube.errors import ApiError, Forbidden, UnknownError, conflict, named
from kedge.kube.refusals import too_many_requests

REFUSED = "Cannot evict pod as it would violate the pod's disruption budget."
TWO = (
    "This pod has more than one PodDisruptionBudget, which the eviction subresource "
    "does not support."
)
MOST_DISRUPTED = 2000
RETRY_SECONDS = 10
UNGUARDED = ("Succeeded", "Failed", "Pending")


def guarding(pod: Object, budgets: Iterable[Object]) -> Object | None:
    """Give the budget to ask and to spend from; none where the pod may go. Raises for several."""
    status = pod.get("status") or {}
    if status.get("phase") in UNGUARDED or "deletionTimestamp" in pod["metadata"]:
        return None
    labels = pod["metadata"].get("labels")
    found = [budget for budget in budgets if _covers(budget, labels)]
    if len(found) > 1:
        raise UnknownError(TWO, code=500)
    if not found or _may_go_unhealthy(status, found[0]):
        return None
    return found[0]


def _covers(budget: Object, labels: dict[str, str] | None) -> bool:
    selector = (budget.get("spec") or {}).get("selector")
    return is_valid_selector(selector) and picks(selector, labels)


def _may_go_unhealthy(status: Object, budget: Object) -> bool:
    """Tell whether a pod that is not ready does not count."""
    conditions = status.get("conditions") or ()
    if any(one.get("type") == "Ready" and one.get("status") == "True" for one in conditions):
        return False
    if (budget.get("spec") or {}).get("unhealthyPodEvictionPolicy") == "AlwaysAllow":
        return True
    state = budget.get("status") or {}
    desired: int = state.get("desiredHealthy", 0)
    return desired > 0 and state.get("currentHealthy", 0) >= desired


def spend(budget: Object, pod_name: str, now: str) -> None:
    """Take one disruption from a budget, in place; raises TooManyRequests when none is left."""
    metadata, status = budget["metadata"], budget.setdefault("status", {})
    name, allowed = metadata["name"], status.get("disruptionsAllowed", 0)
    if status.get("observedGeneration", 0) < metadata.get("generation", 0):
        why = f"The disruption budget {name} is still being processed by the server."
        raise _too_many(why, RETRY_SECONDS)
    if allowed < 0:
        raise _forbidden(name, "pdb disruptions allowed is negative")
    if len(status.get("disruptedPods") or ()) > MOST_DISRUPTED:
        why = "DisruptedPods map too big - too many evictions not confirmed by PDB controller"
        raise _forbidden(name, why)
    if allowed == 0:
        desired, healthy = status.get("desiredHealthy", 0), status.get("currentHealthy", 0)
        why = (
            f"The disruption budget {name} needs {desired} healthy pods and has {healthy} currently"
        )
        raise _too_many(why, 0)
    status["disruptionsAllowed"] = allowed - 1
    if allowed == 1:
        exhausted = {
            "type": "DisruptionAllowed",
            "status": "False",
            "observedGeneration": status.get("observedGeneration", 0),
            "reason": "InsufficientPods",
            "message": "",
        }
        status["conditions"] = set_condition(status.get("conditions"), exhausted, now)
    status["disruptedPods"] = {**(status.get("disruptedPods") or {}), pod_name: now}


def check_preconditions(pod: Object, preconditions: Object) -> None:
    """Check the uid and the version that an eviction asks for; a deletion has other words."""
    metadata = pod["metadata"]
    uid, version = preconditions.get("uid"), preconditions.get("resourceVersion")
    if uid and uid != metadata["uid"]:
        why = (
            f"the UID in the precondition ({uid}) does not match the UID in record "
            f"({metadata['uid']}). The object might have been deleted and then recreated"
        )
        raise conflict("", "Pod", metadata["name"], why)
    if version and version != metadata["resourceVersion"]:
        why = (
            f"the ResourceVersion in the precondition ({version}) does not match the "
            f"ResourceVersion in record ({metadata['resourceVersion']}). "
            "The object might have been modified"
        )
        raise conflict("", "Pod", metadata["name"], why)


def mark(pod: Object, now: str) -> None:
    """Note in the status that the pod is being evicted, in place; not on a dry run."""
    status = pod.setdefault("status", {})
    target = {
        "type": "DisruptionTarget",
        "status": "True",
        "lastProbeTime": None,
        "reason": "EvictionByEvictionAPI",
        "message": "Eviction API: evicting",
    }
    status["conditions"] = set_condition(status.get("conditions"), target, now)


def _too_many(why: str, seconds: int) -> ApiError:
    error = too_many_requests(REFUSED, seconds)
    cause = {"reason": "DisruptionBudget", "message": why}
    error.details = {"causes": [cause], **(error.details or {})}
    return error


def _forbidden(name: str, why: str) -> Forbidden:
    what = "poddisruptionbudget"
    message = f'{what}.policy "{name}" is forbidden: {why}'
    return Forbidden(message, named("policy", what, name))
