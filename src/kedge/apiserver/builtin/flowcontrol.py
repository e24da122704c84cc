"""Flow schemas and priority levels: kept and checked, though this server has one queue for all."""

from math import ceil, log2

from kedge.apiserver.builtin import fields
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.plain import Halved, keep_all_metadata
from kedge.apiserver.resource import Context, Object
from kedge.kube import names
from kedge.kube.fielderror import FieldError, Shown, typed
from kedge.kube.gotext import Struct, to_json

PRECEDENCE = 1000
MOST_PRECEDENCE = 10000
METHODS = ("ByNamespace", "ByUser")
SUBJECTS = ("Group", "ServiceAccount", "User")
VERBS = (
    "create",
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "proxy",
    "update",
    "watch",
)
MOST_QUEUES = 10_000_000
HASH_BITS = 60
FIELDS = {"User": "user", "Group": "group", "ServiceAccount": "serviceAccount"}
LABEL = "each member of this list must be '*' or a DNS-1123 label; "
EXEMPT = "exempt"
KEPT_ZERO = "flowcontrol.k8s.io/preserve-zero-concurrency-shares"


class _Flow(Halved):
    """What both kinds share."""

    namespaced = False

    def prepare_update(self, new: Object, old: Object, context: Context) -> None:
        """Keep the half that is not written; with the status nothing else is."""
        super().prepare_update(new, old, context)
        if context.subresource == "status":
            keep_all_metadata(new, old)

    def reset_fields(self, subresource: str) -> tuple[tuple[str, ...], ...]:
        """Own no field of the other half, and of metadata through the main endpoint only."""
        return (("metadata",), ("spec",)) if subresource == "status" else (("status",),)

    def validate_update(self, new: Object, old: Object, context: Context) -> list[FieldError]:
        """Check the object as if it were new, or only its status."""
        errors = Errors()
        if context.subresource == "status":
            _check_conditions(errors, new)
        else:
            self.check_metadata(errors, new)
            self.check(errors, new, old)
        return errors


def _check_conditions(errors: Errors, obj: Object) -> None:
    seen = set()
    for index, condition in enumerate((obj.get("status") or {}).get("conditions") or ()):
        path, kind = f"status.conditions[{index}].type", condition.get("type", "")
        if kind in seen:
            errors.duplicate(path, typed(kind))
        seen.add(kind)
        if not kind:
            errors.required(path)


class FlowSchemaStrategy(_Flow):
    """Hooks of flowcontrol.apiserver.k8s.io/v1 FlowSchema."""

    def default(self, obj: Object) -> None:
        """Fill in the precedence."""
        spec = obj.setdefault("spec", {})
        spec["matchingPrecedence"] = spec.get("matchingPrecedence") or PRECEDENCE

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check precedence, method, level and rules."""
        spec = obj["spec"]
        _check_precedence(errors, spec["matchingPrecedence"], obj["metadata"].get("name", ""))
        method = spec.get("distinguisherMethod")
        if method is not None and method.get("type") not in METHODS:
            shown = Shown(to_json(Struct(Type=method.get("type", ""))))
            errors.unsupported("spec.distinguisherMethod.type", shown, METHODS)
        level = (spec.get("priorityLevelConfiguration") or {}).get("name", "")
        path = "spec.priorityLevelConfiguration.name"
        if level:
            fields.dns_subdomain(errors, path, level)
        else:
            errors.required(path, "must reference a priority level")
        for index, rule in enumerate(spec.get("rules") or ()):
            _check_rule(errors, f"spec.rules[{index}]", rule)
        _check_conditions(errors, obj)


def _check_precedence(errors: Errors, value: int, name: str) -> None:
    path = "spec.matchingPrecedence"
    if value <= 0:
        errors.invalid(path, value, "must be a positive value")
    if value > MOST_PRECEDENCE:
        errors.invalid(path, value, f"must not be greater than {MOST_PRECEDENCE}")
    if value == 1 and name != EXEMPT:
        what = "only the schema named 'exempt' may have matchingPrecedence 1"
        errors.invalid(path, value, what)


def _check_rule(errors: Errors, path: str, rule: Object) -> None:
    subjects = rule.get("subjects") or ()
    for index, subject in enumerate(subjects):
        _check_subject(errors, f"{path}.subjects[{index}]", subject)
    if not subjects:
        errors.required(f"{path}.subjects", "subjects must contain at least one value")
    resources, urls = rule.get("resourceRules") or (), rule.get("nonResourceRules") or ()
    if not resources and not urls:
        what = "at least one of resourceRules and nonResourceRules has to be non-empty"
        errors.required(path, what)
    for index, one in enumerate(resources):
        _check_resource_rule(errors, f"{path}.resourceRules[{index}]", one)
    for index, one in enumerate(urls):
        _check_url_rule(errors, f"{path}.nonResourceRules[{index}]", one)


def _check_subject(errors: Errors, path: str, subject: Object) -> None:
    kind = subject.get("kind", "")
    if kind not in SUBJECTS:
        errors.unsupported(f"{path}.kind", typed(kind), SUBJECTS)
        return
    own = FIELDS[kind]
    value, where = subject.get(own), f"{path}.{own}"
    if value is None:
        errors.required(where, f"{own} is required when subject kind is '{kind}'")
    else:
        _check_named(errors, where, kind, value)
    order = ("serviceAccount", "user", "group") if kind != "ServiceAccount" else ("user", "group")
    for other in order:
        if other != own and subject.get(other) is not None:
            needed = next(kind for kind, field in FIELDS.items() if field == other)
            what = f"{other} is forbidden when subject kind is not '{needed}'"
            errors.forbidden(f"{path}.{other}", what)


def _check_named(errors: Errors, path: str, kind: str, value: Object) -> None:
    name = value.get("name", "")
    if not name:
        errors.required(f"{path}.name")
    elif kind == "ServiceAccount" and name != "*":
        fields.dns_subdomain(errors, f"{path}.name", name)
    if kind != "ServiceAccount":
        return
    namespace = value.get("namespace", "")
    if namespace:
        fields.dns_label(errors, f"{path}.namespace", namespace)
    else:
        what = "must specify namespace for service account"
        errors.required(f"{path}.namespace", what)


def _check_verbs(errors: Errors, path: str, verbs: list[str]) -> None:
    if not verbs:
        errors.required(path, "verbs must contain at least one value")
    elif "*" in verbs:
        _check_star(errors, path, verbs, "verbs")
    elif not set(verbs) <= set(VERBS):
        errors.unsupported(path, verbs, VERBS)


def _check_star(errors: Errors, path: str, values: list[str], what: str) -> None:
    if "*" in values and len(values) > 1:
        errors.invalid(path, values, f"if '*' is present, must not specify other {what}")


def _check_url_rule(errors: Errors, path: str, rule: Object) -> None:
    _check_verbs(errors, f"{path}.verbs", rule.get("verbs") or [])
    urls, where = rule.get("nonResourceURLs") or [], f"{path}.nonResourceURLs"
    if not urls:
        errors.required(where, "nonResourceURLs must contain at least one value")
    elif "*" in urls:
        _check_star(errors, where, urls, "non-resource URLs")
    else:
        for index, url in enumerate(urls):
            problem = _url_problem(url)
            if problem:
                errors.invalid(f"{where}[{index}]", url, problem)


def _url_problem(url: str) -> str:
    if not url:
        return "must not be empty"
    if not url.startswith("/"):
        return "must start with slash"
    if " " in url:
        return "must not contain white-space"
    if "//" in url:
        return "must not contain double slash"
    stars = url.count("*")
    if stars > 1 or (stars and not url.endswith("/*")):
        return "wildcard can only do suffix matching"
    return ""


def _check_resource_rule(errors: Errors, path: str, rule: Object) -> None:
    _check_verbs(errors, f"{path}.verbs", rule.get("verbs") or [])
    for name, one, many in (
        ("apiGroups", "api group", "api groups"),
        ("resources", "resource", "resources"),
    ):
        values = rule.get(name) or []
        if not values:
            errors.required(f"{path}.{name}", f"resource rules must supply at least one {one}")
        _check_star(errors, f"{path}.{name}", values, many)
    spaces, where = rule.get("namespaces") or [], f"{path}.namespaces"
    if not spaces and not rule.get("clusterScope"):
        what = "resource rules that are not cluster scoped must supply at least one namespace"
        errors.required(where, what)
    elif "*" in spaces:
        _check_star(errors, where, spaces, "namespaces")
    else:
        for index, space in enumerate(spaces):
            problems = (f"{LABEL}{one}" for one in names.dns_label(space))
            errors.each(f"{where}[{index}]", space, problems)


class PriorityLevelStrategy(_Flow):
    """Hooks of flowcontrol.apiserver.k8s.io/v1 PriorityLevelConfiguration."""

    def default(self, obj: Object) -> None:
        """Fill in shares and queues."""
        spec = obj.setdefault("spec", {})
        for name, shares in (("exempt", 0), ("limited", 30)):
            level = spec.get(name)
            if level is not None:
                for key, value in (("nominalConcurrencyShares", shares), ("lendablePercent", 0)):
                    if level.get(key) is None:
                        level[key] = value
        queuing = ((spec.get("limited") or {}).get("limitResponse") or {}).get("queuing")
        if queuing is not None:
            for key, value in (("handSize", 8), ("queues", 64), ("queueLengthLimit", 50)):
                queuing[key] = queuing.get(key) or value

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check the level by its type."""
        spec, name = obj["spec"], obj["metadata"].get("name", "")
        if KEPT_ZERO in (obj["metadata"].get("annotations") or {}):
            errors.forbidden("metadata.annotations", f"annotation '{KEPT_ZERO}' is forbidden")
        kind = spec.get("type", "")
        if (name == EXEMPT) != (kind == "Exempt"):
            what = "must be 'Exempt' if and only if `name` is 'exempt'"
            errors.invalid("spec.type", typed(kind), what)
        if kind == "Exempt":
            if spec.get("limited") is not None:
                errors.forbidden("spec.limited", "must be nil if the type is not Limited")
            _check_level(errors, "spec.exempt", spec.get("exempt") or {})
        elif kind == "Limited":
            _check_limited(errors, spec)
        else:
            errors.unsupported("spec.type", typed(kind), ("Exempt", "Limited"))
        _check_conditions(errors, obj)


def _check_limited(errors: Errors, spec: Object) -> None:
    if spec.get("exempt") is not None:
        errors.forbidden("spec.exempt", "must be nil if the type is Limited")
    limited, path = spec.get("limited"), "spec.limited"
    if limited is None:
        errors.required(path, "must not be empty when type is Limited")
        return
    shares = limited.get("nominalConcurrencyShares", 0)
    if shares < 0:
        what = "must be a non-negative integer"
        errors.invalid(f"{path}.nominalConcurrencyShares", shares, what)
    _check_response(errors, f"{path}.limitResponse", limited.get("limitResponse") or {})
    _check_percent(errors, path, limited)
    borrowing = limited.get("borrowingLimitPercent")
    if borrowing is not None and borrowing < 0:
        what = "if specified, must be a non-negative integer"
        errors.invalid(f"{path}.borrowingLimitPercent", borrowing, what)


def _check_level(errors: Errors, path: str, level: Object) -> None:
    shares = level.get("nominalConcurrencyShares", 0)
    if shares < 0:
        what = "must be a non-negative integer"
        errors.invalid(f"{path}.nominalConcurrencyShares", shares, what)
    _check_percent(errors, path, level)


def _check_percent(errors: Errors, path: str, level: Object) -> None:
    fields.in_range(errors, f"{path}.lendablePercent", level.get("lendablePercent", 0), 0, 100)


def _check_response(errors: Errors, path: str, response: Object) -> None:
    kind, queuing = response.get("type", ""), response.get("queuing")
    if kind == "Reject":
        if queuing is not None:
            what = "must be nil if limited.limitResponse.type is not Limited"
            errors.forbidden(f"{path}.queuing", what)
    elif kind != "Queue":
        errors.unsupported(f"{path}.type", typed(kind), ("Queue", "Reject"))
    elif queuing is None:
        what = "must not be empty if limited.limitResponse.type is Limited"
        errors.required(f"{path}.queuing", what)
    else:
        _check_queuing(errors, f"{path}.queuing", queuing)


def _check_queuing(errors: Errors, path: str, queuing: Object) -> None:
    length, queues, hand = (queuing[key] for key in ("queueLengthLimit", "queues", "handSize"))
    if length <= 0:
        errors.invalid(f"{path}.queueLengthLimit", length, "must be positive")
    if queues <= 0:
        errors.invalid(f"{path}.queues", queues, "must be positive")
    elif queues > MOST_QUEUES:
        errors.invalid(f"{path}.queues", queues, f"must not be greater than {MOST_QUEUES}")
    where = f"{path}.handSize"
    if hand <= 0:
        errors.invalid(where, hand, "must be positive")
    elif hand > queues:
        errors.invalid(where, hand, f"should not be greater than queues ({queues})")
    elif ceil(sum(log2(queues - index) for index in range(hand))) > HASH_BITS:
        what = (
            f"required entropy bits of deckSize {queues} and handSize {hand} "
            f"should not be greater than {HASH_BITS}"
        )
        errors.invalid(where, hand, what)
