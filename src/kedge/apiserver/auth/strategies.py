"""Roles and bindings as kinds: their defaults and rules."""

from typing import Any, Final

from kedge.apiserver.auth.rbac import CLUSTER_ROLE, GROUP, ROLE
from kedge.apiserver.builtin.fields import Errors
from kedge.apiserver.builtin.plain import Plain
from kedge.apiserver.resource import Context, Object
from kedge.kube.fielderror import FieldError, invalid, not_supported, required
from kedge.kube.gotext import Struct
from kedge.kube.names import path_segment, subdomain_name
from kedge.kube.selectors import validate_label_selector

SUBJECTS: Final = ("ServiceAccount", "User", "Group")


class _Rbac(Plain):
    """What all four kinds share."""

    allow_create_on_update = True
    has_generation = False

    def validate_name(self, name: str, prefix: bool) -> list[str]:
        """Take any name that fits in a path."""
        return path_segment(name, prefix)

    def validate_update(self, new: Object, old: Object, context: Context) -> list[FieldError]:
        """Check the new object. Kubernetes does so twice, and tells every cause twice."""
        errors = Errors()
        self.check_metadata(errors, new)
        self.check(errors, new, old)
        return [*errors, *errors, *self.changed_metadata(new, old)]


class RoleStrategy(_Rbac):
    """Role: rules within a namespace."""

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check the rules."""
        for index, rule in enumerate(obj.get("rules") or ()):
            errors += _rule(rule, f"rules[{index}]", self.namespaced)


class ClusterRoleStrategy(RoleStrategy):
    """ClusterRole: rules for the cluster, or gathered from other ClusterRoles."""

    namespaced = False

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check the rules, and where others are gathered from."""
        super().check(errors, obj, old)
        errors += _aggregation(obj.get("aggregationRule"))


class RoleBindingStrategy(_Rbac):
    """RoleBinding: who has a role within a namespace."""

    roles: tuple[str, ...] = (ROLE, CLUSTER_ROLE)

    def default(self, obj: Object) -> None:
        """Fill in the API group of the role, of users and of groups."""
        reference = obj.setdefault("roleRef", {})
        reference["apiGroup"] = reference.get("apiGroup") or GROUP
        for subject in obj.get("subjects") or ():
            if not subject.get("apiGroup") and subject.get("kind") in ("User", "Group"):
                subject["apiGroup"] = GROUP

    def check(self, errors: Errors, obj: Object, old: Object | None) -> None:
        """Check the role and the subjects."""
        errors += self._reference(obj.get("roleRef") or {})
        for index, subject in enumerate(obj.get("subjects") or ()):
            errors += _subject(subject, f"subjects[{index}]", self.namespaced)

    def validate_update(self, new: Object, old: Object, context: Context) -> list[FieldError]:
        """Check the new object; the role can not change."""
        errors = super().validate_update(new, old, context)
        now, before = _shown(new.get("roleRef")), _shown(old.get("roleRef"))
        if now != before:
            errors.append(invalid("roleRef", now, "cannot change roleRef"))
        return errors

    def _reference(self, reference: Object) -> list[FieldError]:
        errors = []
        group, kind, name = (reference.get(key) or "" for key in ("apiGroup", "kind", "name"))
        if group != GROUP:
            errors.append(not_supported("roleRef.apiGroup", group, [GROUP]))
        if kind not in self.roles:
            errors.append(not_supported("roleRef.kind", kind, self.roles))
        if not name:
            errors.append(required("roleRef.name"))
        return errors + [invalid("roleRef.name", name, problem) for problem in path_segment(name)]


class ClusterRoleBindingStrategy(RoleBindingStrategy):
    """ClusterRoleBinding: who has a ClusterRole everywhere."""

    namespaced = False
    roles = (CLUSTER_ROLE,)


def _rule(rule: Object, path: str, namespaced: bool) -> list[FieldError]:
    errors = []
    if not rule.get("verbs"):
        errors.append(required(f"{path}.verbs", "verbs must contain at least one value"))
    urls = rule.get("nonResourceURLs")
    if urls:
        field = f"{path}.nonResourceURLs"
        if namespaced:
            why = "namespaced rules cannot apply to non-resource URLs"
            errors.append(invalid(field, urls, why))
        if rule.get("apiGroups") or rule.get("resources") or rule.get("resourceNames"):
            why = "rules cannot apply to both regular resources and non-resource URLs"
            errors.append(invalid(field, urls, why))
        return errors
    if not rule.get("apiGroups"):
        why = "resource rules must supply at least one api group"
        errors.append(required(f"{path}.apiGroups", why))
    if not rule.get("resources"):
        why = "resource rules must supply at least one resource"
        errors.append(required(f"{path}.resources", why))
    return errors


def _aggregation(aggregation: Object | None) -> list[FieldError]:
    if aggregation is None:
        return []
    path = "aggregationRule.clusterRoleSelectors"
    selectors = aggregation.get("clusterRoleSelectors")
    if not selectors:
        why = "at least one clusterRoleSelector required if aggregationRule is non-nil"
        return [required(path, why)]
    errors = []
    for index, selector in enumerate(selectors):
        found = validate_label_selector(selector, f"{path}[{index}]")
        errors += found
        if found:
            errors.append(invalid(f"{path}[{index}]", None, "invalid label selector."))
    return errors


def _subject(subject: Object, path: str, namespaced: bool) -> list[FieldError]:
    errors = []
    kind, name, group = (subject.get(key) or "" for key in ("kind", "name", "apiGroup"))
    if not name:
        errors.append(required(f"{path}.name"))
    if kind not in SUBJECTS:
        errors.append(not_supported(f"{path}.kind", kind, SUBJECTS))
    elif kind != "ServiceAccount":
        if group != GROUP:
            errors.append(not_supported(f"{path}.apiGroup", group, [GROUP]))
    else:
        problems = subdomain_name(name) if name else []
        errors += [invalid(f"{path}.name", name, problem) for problem in problems]
        if group:
            errors.append(not_supported(f"{path}.apiGroup", group, [""]))
        if not namespaced and not subject.get("namespace"):
            errors.append(required(f"{path}.namespace"))
    return errors


def _shown(reference: Any) -> Struct:
    """Write a reference as the server's own form of it shows in messages."""
    given = reference or {}
    return Struct(
        APIGroup=given.get("apiGroup") or "",
        Kind=given.get("kind") or "",
        Name=given.get("name") or "",
    )
