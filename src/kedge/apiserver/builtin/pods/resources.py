"""Requests and limits of containers and pods: sums, classes of service, rules."""

from collections.abc import Iterable

from kedge.apiserver.builtin import amounts, fields
from kedge.apiserver.builtin.amounts import Amounts
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.pods.surroundings import Surroundings
from kedge.apiserver.resource import Object
from kedge.kube import names
from kedge.kube.quantity import QuantityError, parse_quantity

COMPUTE = ("cpu", "memory")
HUGE_PAGES = "hugepages-"
CONTAINER_STANDARD = frozenset(("cpu", "memory", "ephemeral-storage"))
COUNTED = frozenset(
    (
        "pods",
        "resourcequotas",
        "services",
        "replicationcontrollers",
        "secrets",
        "configmaps",
        "persistentvolumeclaims",
        "services.nodeports",
        "services.loadbalancers",
    )
)
STANDARD = frozenset(
    (
        *CONTAINER_STANDARD,
        *(f"requests.{name}" for name in CONTAINER_STANDARD),
        *(f"limits.{name}" for name in CONTAINER_STANDARD),
        *COUNTED,
        "storage",
        "requests.storage",
    )
)
POD_LEVEL = ("cpu", HUGE_PAGES, "memory")


def is_native(name: str) -> bool:
    """Tell whether a resource is one of Kubernetes' own."""
    return "/" not in name or "kubernetes.io/" in name


def is_extended(name: str) -> bool:
    """Tell whether a resource is one that nodes add."""
    if is_native(name) or name.startswith("requests."):
        return False
    return names.is_qualified_name(f"requests.{name}")


def _can_overcommit(name: str) -> bool:
    return is_native(name) and not name.startswith(HUGE_PAGES)


def _is_divisible(name: str, amount: str) -> bool:
    """Tell whether an amount of huge pages is a whole number of pages."""
    try:
        size = parse_quantity(name.removeprefix(HUGE_PAGES))
    except QuantityError:
        return False
    page = str(size)
    if amounts.sign(page) <= 0 or amounts.is_fraction(page):
        return False
    return amounts.whole(amount) % amounts.whole(page) == 0


def has_uneven_huge_pages(spec: Object) -> bool:
    """Tell whether a spec asks for parts of huge pages."""
    lists = [spec.get("overhead") or {}]
    for kind in ("containers", "initContainers", "ephemeralContainers"):
        for container in spec.get(kind) or ():
            resources = container.get("resources") or {}
            lists += [resources.get("limits") or {}, resources.get("requests") or {}]
    return any(
        name.startswith(HUGE_PAGES) and not _is_divisible(name, amount)
        for one in lists
        for name, amount in one.items()
    )


def check_requirements(
    errors: Errors, path: str, resources: Object, around: Surroundings, whole_pod: bool = False
) -> None:
    """Check requests and limits of a container, or of the whole pod."""
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    for name, amount in limits.items():
        _check_amount(errors, f"{path}.limits[{name}]", name, amount, around, whole_pod)
    for name, amount in requests.items():
        where = f"{path}.requests[{name}]"
        _check_name_and_value(errors, where, name, amount, whole_pod)
        _check_against_limit(errors, path, name, amount, limits.get(name))
        _check_huge_pages(errors, where, name, amount, around)
    both = (*limits, *requests)
    if any(name.startswith(HUGE_PAGES) for name in both) and not any(
        name in COMPUTE for name in both
    ):
        errors.forbidden(path, "HugePages require cpu or memory")
    if claims := resources.get("claims"):
        _check_claims(errors, f"{path}.claims", claims, around.claims)


def check_overhead(errors: Errors, path: str, overhead: Amounts, around: Surroundings) -> None:
    """Check what a pod costs beyond its containers."""
    check_requirements(errors, path, {"limits": overhead}, around)


def _check_amount(
    errors: Errors, path: str, name: str, amount: str, around: Surroundings, whole_pod: bool
) -> None:
    _check_name_and_value(errors, path, name, amount, whole_pod)
    _check_huge_pages(errors, path, name, amount, around)


def _check_name_and_value(
    errors: Errors, path: str, name: str, amount: str, whole_pod: bool
) -> None:
    if name not in COMPUTE:
        if whole_pod:
            _check_pod_name(errors, path, name)
        else:
            check_container_resource(errors, path, name)
    if amounts.sign(amount) < 0:
        errors.invalid(path, amount, fields.NEGATIVE)
    is_counted = name not in COMPUTE and (name in COUNTED or is_extended(name))
    if is_counted and amounts.is_fraction(amount):
        errors.invalid(path, amount, "must be an integer")


def _check_huge_pages(
    errors: Errors, path: str, name: str, amount: str, around: Surroundings
) -> None:
    if not name.startswith(HUGE_PAGES) or around.options.uneven_huge_pages:
        return
    if not _is_divisible(name, amount):
        what = f"{amount} is not positive integer multiple of {name}"
        errors.invalid(path, amount, what)


def _check_against_limit(
    errors: Errors, path: str, name: str, amount: str, limit: str | None
) -> None:
    if limit is None:
        if not _can_overcommit(name):
            what = "Limit must be set for non overcommitable resources"
            errors.required(f"{path}.limits", what)
        return
    order = amounts.compare(amount, limit)
    if order and not _can_overcommit(name):
        errors.invalid(f"{path}.requests", amount, f"must be equal to {name} limit of {limit}")
    elif order > 0:
        what = f"must be less than or equal to {name} limit of {limit}"
        errors.invalid(f"{path}.requests", amount, what)


def _check_name(errors: Errors, path: str, name: str) -> None:
    problems = names.qualified_name(name)
    errors.each(path, name, problems)
    if problems or "/" in name or name in STANDARD:
        return
    if not name.startswith((HUGE_PAGES, f"requests.{HUGE_PAGES}")):
        errors.invalid(path, name, "must be a standard resource type or fully qualified")


def check_container_resource(errors: Errors, path: str, name: str) -> None:
    """Check the name of a resource that a container may ask for."""
    _check_name(errors, path, name)
    if "/" not in name:
        if name not in CONTAINER_STANDARD and not name.startswith(HUGE_PAGES):
            errors.invalid(path, name, "must be a standard resource for containers")
    elif not is_native(name) and not is_extended(name):
        errors.invalid(path, name, "doesn't follow extended resource name standard")


def _check_pod_name(errors: Errors, path: str, name: str) -> None:
    before = len(errors)
    _check_name(errors, path, name)
    if len(errors) == before and not _is_pod_level(name):
        errors.unsupported(path, name, POD_LEVEL)


def _is_pod_level(name: str) -> bool:
    return name in COMPUTE or name.startswith(HUGE_PAGES)


def _check_claims(
    errors: Errors, path: str, claims: Iterable[Object], known: frozenset[str]
) -> None:
    seen: set[str] = set()
    for index, claim in enumerate(claims):
        where, name, request = f"{path}[{index}]", claim.get("name", ""), claim.get("request", "")
        if not name:
            errors.required(where)
            continue
        key = f"{name}/{request}" if request else name
        if name in seen:
            errors.duplicate(where, name)
        else:
            if request:
                fields.dns_label(errors, f"{where}.request", request)
            if key in seen:
                errors.duplicate(where, key)
            elif not request:
                for other in seen:
                    if other.partition("/")[0] == name:
                        errors.duplicate(where, name)
            seen.add(key)
        if name not in known:
            what = "must be one of the names in pod.spec.resourceClaims"
            what += f": {', '.join(sorted(known))}" if known else " which is empty"
            errors.not_found(where, name, what)


def check_pod_resources(errors: Errors, path: str, spec: Object, around: Surroundings) -> None:
    """Check the requests and limits of a pod as a whole; `path` is the spec's."""
    where, resources = f"{path}.resources", spec["resources"]
    if around.os == "windows":
        errors.forbidden(where, "may not be set for a windows pod")
        return
    if resources.get("claims"):
        errors.forbidden(f"{where}.claims", "claims may not be set for Resources at pod-level")
    check_requirements(errors, where, resources, around, whole_pod=True)
    requests, limits = resources.get("requests") or {}, resources.get("limits") or {}
    for name, amount in sums(spec, "requests").items():
        if name in requests and amounts.compare(amount, requests[name]) > 0:
            what = f"must be greater than or equal to aggregate container requests of {amount}"
            errors.invalid(f"{where}.requests[{name}]", requests[name], what)
    for name, amount in sums(spec, "limits").items():
        huge = name.startswith(HUGE_PAGES) and name in limits
        if huge and amounts.compare(amount, limits[name]) > 0:
            what = f"must be greater than or equal to aggregate container limits of {amount}"
            errors.invalid(f"{where}.limits[{name}]", limits[name], what)
    for index, container in enumerate(spec.get("containers") or ()):
        for name, amount in ((container.get("resources") or {}).get("limits") or {}).items():
            if name in limits and amounts.compare(amount, limits[name]) > 0:
                at = f"{where}.containers[{index}][{name}].limits"
                what = f"must be less than or equal to pod limits of {limits[name]}"
                errors.invalid(at, amount, what)


def sums(spec: Object, kind: str) -> Amounts:
    """Add up what containers request (or limit): init containers run before the others."""
    total: Amounts = {}
    for container in spec.get("containers") or ():
        amounts.add(total, (container.get("resources") or {}).get(kind) or {})
    sidecars: Amounts = {}
    most: Amounts = {}
    for container in spec.get("initContainers") or ():
        own = (container.get("resources") or {}).get(kind) or {}
        if container.get("restartPolicy") == "Always":
            amounts.add(total, own)
            amounts.add(sidecars, own)
            amounts.raise_to(most, sidecars)
        else:
            while_it_runs = dict(own)
            amounts.add(while_it_runs, sidecars)
            amounts.raise_to(most, while_it_runs)
    amounts.raise_to(total, most)
    return total


def default_pod_resources(spec: Object) -> None:
    """Fill in the requests and limits of the whole pod from those of its containers."""
    resources = spec["resources"]
    limits, requests = resources.get("limits") or {}, resources.get("requests") or {}
    if not limits and not requests:
        return
    for name, amount in sums(spec, "limits").items():
        if name.startswith(HUGE_PAGES) and name not in requests:
            limits.setdefault(name, amount)
    if not limits:
        return
    resources["limits"] = limits
    for name, amount in sums(spec, "requests").items():
        if name in COMPUTE:
            requests.setdefault(name, amount)
    for name, amount in limits.items():
        if _is_pod_level(name):
            requests.setdefault(name, amount)
    if requests:
        resources["requests"] = requests


def pod_qos(spec: Object) -> str:
    """Give the class of service that requests and limits make."""
    whole = spec.get("resources")
    if whole is not None:
        holders = [whole]
    else:
        kinds = ("containers", "initContainers")
        holders = [one.get("resources") or {} for kind in kinds for one in spec.get(kind) or ()]
    requests: Amounts = {}
    limits: Amounts = {}
    guaranteed = True
    for resources in holders:
        amounts.add(requests, _positive(resources.get("requests")))
        own = _positive(resources.get("limits"))
        amounts.add(limits, own)
        if len(own) < len(COMPUTE) and (whole is None or resources.get("limits")):
            guaranteed = False
    if not requests and not limits:
        return "BestEffort"
    same = requests.keys() == limits.keys() and all(
        amounts.compare(amount, limits[name]) == 0 for name, amount in requests.items()
    )
    return "Guaranteed" if guaranteed and same else "Burstable"


def _positive(given: Amounts | None) -> Amounts:
    found = given or {}
    return {name: found[name] for name in COMPUTE if amounts.sign(found.get(name, "0")) > 0}
