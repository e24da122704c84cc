"""Resource quotas."""

from kedge.apiserver.builtin import amounts
from kedge.apiserver.builtin.fields import IMMUTABLE, Errors
from kedge.apiserver.builtin.plain import Halved
from kedge.apiserver.builtin.resourcenames import check_quota_amounts, is_quota_resource
from kedge.apiserver.resource import Object
from kedge.kube.fielderror import Shown, typed
from kedge.kube.gotext import Struct, to_json

PODS = frozenset(
    ("pods", "cpu", "memory", "limits.cpu", "limits.memory", "requests.cpu", "requests.memory")
)
# What each scope can be applied to.
SCOPES = {
    "Terminating": PODS,
    "NotTerminating": PODS,
    "NotBestEffort": PODS,
    "PriorityClass": PODS,
    "CrossNamespacePodAffinity": PODS,
    "BestEffort": frozenset({"pods"}),
    "VolumeAttributesClass": frozenset({"persistentvolumeclaims", "requests.storage"}),
}
OPPOSITES = (("BestEffort", "NotBestEffort"), ("Terminating", "NotTerminating"))
EXISTING = (
    "BestEffort",
    "NotBestEffort",
    "Terminating",
    "NotTerminating",
    "CrossNamespacePodAffinity",
)
NOT_EXISTS = (
    "must be 'Exists' when scope is any of ResourceQuotaScopeTerminating, "
    "ResourceQuotaScopeNotTerminating, ResourceQuotaScopeBestEffort, "
    "ResourceQuotaScopeNotBestEffort or ResourceQuotaScopeCrossNamespacePodAffinity"
)


class ResourceQuotaStrategy(Halved):
    """Hooks of v1 ResourceQuota."""

    def default(self, obj: Object) -> None:
        """Round all amounts."""
        for half, name in (("spec", "hard"), ("status", "hard"), ("status", "used")):
            values = (obj.get(half) or {}).get(name)
            if values:
                amounts.round_all(values)

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check the limits and the scopes, and on update that the scopes are the same."""
        spec = obj.get("spec") or {}
        check_quota_amounts(errors, "spec.hard", spec.get("hard") or {})
        _check_scopes(errors, spec)
        if spec.get("scopeSelector") is not None:
            _check_selector(errors, spec)
        if old is None:
            return
        scopes, before = spec.get("scopes"), (old.get("spec") or {}).get("scopes")
        if set(scopes or ()) != set(before or ()):
            errors.invalid("spec.scopes", scopes, IMMUTABLE)

    def check_status(self, errors: Errors, new: Object, old: Object) -> None:
        """Check what is counted."""
        status = new.get("status") or {}
        for name in ("hard", "used"):
            check_quota_amounts(errors, f"status.{name}", status.get(name) or {})


def _misfits(spec: Object, scope: str) -> int:
    """Count the limits that a scope can not be applied to."""
    fitting = SCOPES.get(scope)
    if fitting is None:
        return 0
    return sum(name not in fitting and is_quota_resource(name) for name in spec.get("hard") or ())


def _check_scopes(errors: Errors, spec: Object) -> None:
    path, scopes = "spec.scopes", spec.get("scopes") or ()
    for scope in scopes:
        if scope not in SCOPES:
            errors.invalid(path, scopes, "unsupported scope")
        for _ in range(_misfits(spec, scope)):
            errors.invalid(path, scopes, "unsupported scope applied to resource")
    for pair in OPPOSITES:
        if set(pair) <= set(scopes):
            errors.invalid(path, scopes, "conflicting scopes")


def _check_selector(errors: Errors, spec: Object) -> None:
    path = "spec.scopeSelector.matchExpressions"
    rules = spec["scopeSelector"].get("matchExpressions") or []
    for rule in rules:
        scope = rule.get("scopeName") or ""
        if scope not in SCOPES:
            errors.invalid(f"{path}.scopeName", typed(scope), "unsupported scope")
        for _ in range(_misfits(spec, scope)):
            what = "unsupported scope applied to resource"
            errors.invalid(path, _shown(rules), what)
        _check_rule(errors, path, scope, rule)
    scopes = {rule.get("scopeName") for rule in rules}
    for pair in OPPOSITES:
        if set(pair) <= scopes:
            errors.invalid(path, spec.get("scopes"), "conflicting scopes")


def _check_rule(errors: Errors, path: str, scope: str, rule: Object) -> None:
    operator, values = rule.get("operator") or "", rule.get("values")
    if scope in EXISTING and operator != "Exists":
        errors.invalid(f"{path}.operator", typed(operator), NOT_EXISTS)
    if operator in ("In", "NotIn"):
        if not values:
            what = (
                "must be at least one value when `operator` is 'In' or 'NotIn' for scope selector"
            )
            errors.required(f"{path}.values", what)
    elif operator in ("Exists", "DoesNotExist"):
        if values:
            what = (
                "must be no value when `operator` is 'Exist' or 'DoesNotExist' for scope selector"
            )
            errors.invalid(f"{path}.values", values, what)
    else:
        errors.invalid(f"{path}.operator", typed(operator), "not a valid selector operator")


def _shown(rules: list[Object]) -> Shown:
    """Write a scope selector as the server's own form of it is shown."""
    shown = [
        Struct(
            ScopeName=rule.get("scopeName") or "",
            Operator=rule.get("operator") or "",
            Values=rule.get("values"),
        )
        for rule in rules
    ]
    return Shown(to_json(Struct(MatchExpressions=shown)))
