"""Rules for where a pod may run: node and pod affinity, tolerations, gates, spreading."""

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.labels import check_selector
from kedge.apiserver.builtin.pods.surroundings import Options
from kedge.apiserver.resource import Object
from kedge.kube import names

EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
UNSATISFIABLE = ("DoNotSchedule", "ScheduleAnyway")
INCLUSIONS = ("Honor", "Ignore")
REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
PREFERRED = "preferredDuringSchedulingIgnoredDuringExecution"
NO_SELECTOR = "must not be specified when labelSelector is not set"
IN_BOTH = "exists in both matchLabelKeys and labelSelector"


def check_affinity(errors: Errors, path: str, affinity: Object, options: Options) -> None:
    """Check a pod's affinity to nodes and to other pods."""
    if node := affinity.get("nodeAffinity"):
        _check_node_affinity(errors, f"{path}.nodeAffinity", node, options)
    for name in ("podAffinity", "podAntiAffinity"):
        if pods := affinity.get(name):
            _check_pod_affinity(errors, f"{path}.{name}", pods, options.loose_selector_values)


def _check_node_affinity(errors: Errors, path: str, affinity: Object, options: Options) -> None:
    if REQUIRED in affinity:
        terms = affinity[REQUIRED].get("nodeSelectorTerms") or ()
        where = f"{path}.{REQUIRED}.nodeSelectorTerms"
        if not terms:
            errors.required(where, "must have at least one node selector term")
        for index, term in enumerate(terms):
            check_node_term(errors, f"{where}[{index}]", term, options.loose_node_affinity)
    for index, term in enumerate(affinity.get(PREFERRED) or ()):
        where = f"{path}.{PREFERRED}[{index}]"
        _check_weight(errors, f"{where}.weight", term.get("weight", 0))
        # Values that no label can have only make a preference that no node fulfils.
        check_node_term(errors, f"{where}.preference", term.get("preference") or {}, True)


def check_node_term(errors: Errors, path: str, term: Object, loose_values: bool) -> None:
    """Check one term of a node selector."""
    for index, rule in enumerate(term.get("matchExpressions") or ()):
        _check_node_rule(errors, f"{path}.matchExpressions[{index}]", rule, loose_values)
    for index, rule in enumerate(term.get("matchFields") or ()):
        _check_field_rule(errors, f"{path}.matchFields[{index}]", rule)


def _check_node_rule(errors: Errors, path: str, rule: Object, loose_values: bool) -> None:
    operator, values = rule.get("operator", ""), rule.get("values") or ()
    if operator in ("In", "NotIn"):
        if not values:
            what = "must be specified when `operator` is 'In' or 'NotIn'"
            errors.required(f"{path}.values", what)
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            what = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            errors.forbidden(f"{path}.values", what)
    elif operator in ("Gt", "Lt"):
        if len(values) != 1:
            what = "must be specified single value when `operator` is 'Lt' or 'Gt'"
            errors.required(f"{path}.values", what)
    else:
        errors.invalid(f"{path}.operator", operator, "not a valid selector operator")
    fields.qualified_name(errors, f"{path}.key", rule.get("key", ""))
    if not loose_values:
        for index, value in enumerate(values):
            errors.each(f"{path}.values[{index}]", value, names.label_value(value))


def _check_field_rule(errors: Errors, path: str, rule: Object) -> None:
    operator, values = rule.get("operator", ""), rule.get("values") or ()
    if operator not in ("In", "NotIn"):
        errors.invalid(f"{path}.operator", operator, "not a valid selector operator")
    elif len(values) != 1:
        what = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
        errors.required(f"{path}.values", what)
    if rule.get("key") != "metadata.name":
        errors.invalid(f"{path}.key", rule.get("key", ""), "not a valid field selector key")
        return
    for index, value in enumerate(values):
        fields.dns_subdomain(errors, f"{path}.values[{index}]", value)


def _check_weight(errors: Errors, path: str, weight: int) -> None:
    if not 0 < weight <= 100:
        errors.invalid(path, weight, "must be in the range 1-100")


def _check_pod_affinity(errors: Errors, path: str, affinity: Object, loose: bool) -> None:
    for index, term in enumerate(affinity.get(REQUIRED) or ()):
        _check_pod_term(errors, f"{path}.{REQUIRED}[{index}]", term, loose)
    for index, weighted in enumerate(affinity.get(PREFERRED) or ()):
        where = f"{path}.{PREFERRED}[{index}]"
        _check_weight(errors, f"{where}.weight", weighted.get("weight", 0))
        term = weighted.get("podAffinityTerm") or {}
        _check_pod_term(errors, f"{where}.podAffinityTerm", term, loose)


def _check_pod_term(errors: Errors, path: str, term: Object, loose: bool) -> None:
    selector = term.get("labelSelector")
    check_selector(errors, f"{path}.labelSelector", selector, loose)
    check_selector(errors, f"{path}.namespaceSelector", term.get("namespaceSelector"), loose)
    for name in term.get("namespaces") or ():
        fields.dns_label(errors, f"{path}.namespace", name)
    check_label_keys(errors, path, term, selector)
    key = term.get("topologyKey", "")
    if not key:
        errors.required(f"{path}.topologyKey", "can not be empty")
    fields.qualified_name(errors, f"{path}.topologyKey", key)


def check_label_keys(errors: Errors, path: str, term: Object, selector: Object | None) -> None:
    """Check the keys whose values the pod's own labels give."""
    matched = term.get("matchLabelKeys") or ()
    mismatched = term.get("mismatchLabelKeys") or ()
    if not matched and not mismatched:
        return
    for name, keys in (("matchLabelKeys", matched), ("mismatchLabelKeys", mismatched)):
        if keys and selector is None:
            errors.forbidden(f"{path}.{name}", NO_SELECTOR)
            continue
        for index, key in enumerate(keys):
            fields.qualified_name(errors, f"{path}.{name}[{index}]", key)
    if selector is not None:
        _check_twice(errors, path, list(matched), selector)
    for index, key in enumerate(matched):
        if key in mismatched:
            what = "exists in both matchLabelKeys and mismatchLabelKeys"
            errors.invalid(f"{path}.matchLabelKeys[{index}]", key, what)


def _check_twice(errors: Errors, path: str, matched: list[str], selector: Object) -> None:
    """Check that the user's selector has none of the keys; those merged into it come once."""
    seen = set(selector.get("matchLabels") or ())
    for rule in selector.get("matchExpressions") or ():
        key = rule.get("key", "")
        if key in matched and key in seen:
            last = len(matched) - 1 - matched[::-1].index(key)
            errors.invalid(f"{path}[{last}]", key, IN_BOTH)
        seen.add(key)


def check_tolerations(errors: Errors, path: str, tolerations: list[Object]) -> None:
    """Check which taints a pod tolerates."""
    for index, toleration in enumerate(tolerations):
        where = f"{path}[{index}]"
        key, operator = toleration.get("key", ""), toleration.get("operator", "")
        effect = toleration.get("effect", "")
        if key:
            fields.qualified_name(errors, f"{where}.key", key)
        elif operator != "Exists":
            what = (
                "operator must be Exists when `key` is empty, "
                'which means "match all values and all keys"'
            )
            errors.invalid(f"{where}.operator", operator, what)
        if "tolerationSeconds" in toleration and effect != "NoExecute":
            what = "effect must be 'NoExecute' when `tolerationSeconds` is set"
            errors.invalid(f"{where}.effect", effect, what)
        _check_operator(errors, f"{where}.operator", operator, toleration.get("value", ""))
        if effect and effect not in EFFECTS:
            errors.unsupported(f"{where}.effect", effect, EFFECTS)


def _check_operator(errors: Errors, path: str, operator: str, value: str) -> None:
    if operator in ("Equal", ""):
        if problems := names.label_value(value):
            errors.invalid(path, value, ";".join(problems))
    elif operator == "Exists":
        if value:
            errors.invalid(path, value, "value must be empty when `operator` is 'Exists'")
    else:
        errors.unsupported(path, operator, ("Equal", "Exists"))


def check_gates(errors: Errors, path: str, gates: list[Object]) -> None:
    """Check the gates that keep a pod from being scheduled."""
    seen: set[str] = set()
    for index, gate in enumerate(gates):
        name = gate.get("name", "")
        fields.qualified_name(errors, f"{path}[{index}]", name)
        if name in seen:
            errors.duplicate(f"{path}[{index}]", name)
        seen.add(name)


def check_spread(errors: Errors, path: str, constraints: list[Object], options: Options) -> None:
    """Check how pods are spread over the cluster."""
    for index, one in enumerate(constraints):
        where = f"{path}[{index}]"
        skew, key = one.get("maxSkew", 0), one.get("topologyKey", "")
        action, selector = one.get("whenUnsatisfiable", ""), one.get("labelSelector")
        if skew <= 0:
            errors.invalid(f"{where}.maxSkew", skew, fields.NOT_POSITIVE)
        if not key:
            errors.required(f"{where}.topologyKey", "can not be empty")
        if action not in UNSATISFIABLE:
            errors.unsupported(f"{where}.whenUnsatisfiable", action, UNSATISFIABLE)
        pair = (key, action)
        rest = constraints[index + 1 :]
        if any(
            (two.get("topologyKey", ""), two.get("whenUnsatisfiable", "")) == pair for two in rest
        ):
            errors.duplicate(f"{where}.{{topologyKey, whenUnsatisfiable}}", f"{{{key}, {action}}}")
        _check_domains(errors, f"{where}.minDomains", one.get("minDomains"), action)
        for name in ("nodeAffinityPolicy", "nodeTaintsPolicy"):
            fields.optional_enum(errors, f"{where}.{name}", one.get(name), INCLUSIONS)
        if options.old_match_label_keys:
            check_old_keys(errors, f"{where}.matchLabelKeys", one)
        else:
            keys = {"matchLabelKeys": one.get("matchLabelKeys")}
            check_label_keys(errors, where, keys, selector)
        if not options.loose_spread_selectors:
            check_selector(errors, f"{where}.labelSelector", selector)


def _check_domains(errors: Errors, path: str, count: int | None, action: str) -> None:
    if count is None:
        return
    if count <= 0:
        errors.invalid(path, count, fields.NOT_POSITIVE)
    if action != "DoNotSchedule":
        what = f"can only use minDomains if whenUnsatisfiable=DoNotSchedule, not {action}"
        errors.invalid(path, count, what)


def check_old_keys(errors: Errors, path: str, constraint: Object) -> None:
    """Check matchLabelKeys by the rule of older servers, which left the selector alone."""
    keys, selector = constraint.get("matchLabelKeys") or (), constraint.get("labelSelector")
    if not keys:
        return
    if selector is None:
        errors.forbidden(path, NO_SELECTOR)
    selector = selector or {}
    rules = selector.get("matchExpressions") or ()
    taken = {*(selector.get("matchLabels") or ()), *(rule.get("key", "") for rule in rules)}
    for index, key in enumerate(keys):
        fields.qualified_name(errors, f"{path}[{index}]", key)
        if key in taken:
            errors.invalid(f"{path}[{index}]", key, IN_BOTH)
