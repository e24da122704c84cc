"""Which rules an update need not keep, because the object broke them before they were made."""

from dataclasses import replace

from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.labels import is_valid_selector
from kedge.apiserver.builtin.pods.annotations import DELETION_COST, is_deletion_cost
from kedge.apiserver.builtin.pods.mounts import local_file
from kedge.apiserver.builtin.pods.resources import has_uneven_huge_pages
from kedge.apiserver.builtin.pods.scheduling import PREFERRED, REQUIRED, check_label_keys
from kedge.apiserver.builtin.pods.security import host_sysctl
from kedge.apiserver.builtin.pods.surroundings import STRICT, STRICT_POD, Options, all_containers
from kedge.apiserver.resource import Object
from kedge.kube import names

# An old object without any of these has broken no rule that could be waived.
TRIGGERS = ("affinity", "topologySpreadConstraints", "volumes", "hostUsers", "overhead")


def options_for(old: Object | None, metadata: Object | None, is_pod: bool = False) -> Options:
    """Give the rules for an update of what had this spec and metadata; none: for a new object."""
    strict = STRICT_POD if is_pod else STRICT
    if old is None:
        return strict
    options = strict
    cost = ((metadata or {}).get("annotations") or {}).get(DELETION_COST)
    if cost is not None and not is_deletion_cost(cost):
        options = replace(options, loose_deletion_cost=True)
    if old.get("securityContext"):
        options = _with_context(options, old)
    if any(container.get("resources") for container in all_containers(old)) or old.get("overhead"):
        options = replace(options, uneven_huge_pages=has_uneven_huge_pages(old))
    if any(name in old for name in TRIGGERS):
        options = _with_rest(options, old)
    return options


def _with_context(options: Options, old: Object) -> Options:
    context = old["securityContext"]
    sysctls = context.get("sysctls") or ()
    return replace(
        options,
        host_sysctls=any(host_sysctl(one.get("name", ""), old) for one in sysctls),
        any_selinux_policy="seLinuxChangePolicy" in context,
    )


def _with_rest(options: Options, old: Object) -> Options:
    affinity = old.get("affinity") or {}
    constraints = old.get("topologySpreadConstraints") or ()
    devices = old.get("hostUsers") is False and any(
        container.get("volumeDevices") for container in all_containers(old)
    )
    return replace(
        options,
        loose_selector_values=not all(
            is_valid_selector(term.get(name))
            for term in _pod_terms(affinity)
            for name in ("labelSelector", "namespaceSelector")
        ),
        loose_node_affinity=_has_bad_node_value(affinity.get("nodeAffinity") or {}),
        loose_spread_selectors=not all(
            is_valid_selector(one.get("labelSelector")) for one in constraints
        ),
        old_match_label_keys=any(_breaks_label_keys(one) for one in constraints),
        free_token_paths=_has_odd_token_path(old),
        devices_in_user_namespace=devices,
    )


def _pod_terms(affinity: Object) -> list[Object]:
    terms: list[Object] = []
    for name in ("podAffinity", "podAntiAffinity"):
        pods = affinity.get(name) or {}
        terms += pods.get(REQUIRED) or ()
        terms += [one.get("podAffinityTerm") or {} for one in pods.get(PREFERRED) or ()]
    return terms


def _has_bad_node_value(affinity: Object) -> bool:
    terms = (affinity.get(REQUIRED) or {}).get("nodeSelectorTerms") or ()
    return any(
        not names.is_label_value(value)
        for term in terms
        for rule in term.get("matchExpressions") or ()
        for value in rule.get("values") or ()
    )


def _breaks_label_keys(constraint: Object) -> bool:
    errors = Errors()
    keys = {"matchLabelKeys": constraint.get("matchLabelKeys")}
    check_label_keys(errors, "", keys, constraint.get("labelSelector"))
    return bool(errors)


def _has_odd_token_path(old: Object) -> bool:
    errors = Errors()
    for volume in old.get("volumes") or ():
        for source in (volume.get("projected") or {}).get("sources") or ():
            if "serviceAccountToken" in source:
                local_file(errors, "", source["serviceAccountToken"].get("path", ""))
    return bool(errors)
