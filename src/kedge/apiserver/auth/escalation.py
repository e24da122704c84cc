"""Nobody grants rights they do not have: the check on every write of a role or a binding."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from kedge.apiserver.auth.attributes import Attributes, denied
from kedge.apiserver.auth.parameter import check_name, check_namespace
from kedge.apiserver.auth.rbac import CLUSTER_ROLE, GROUP, ROLE, Authorizer, Missing, aggregate
from kedge.apiserver.auth.rules import ALL, Rule, combinations, compact, missing, quoted, rules_of
from kedge.apiserver.auth.users import User
from kedge.kube.errors import UnknownError, not_found
from kedge.kube.gotext import quote

ROLES: Final = frozenset({"roles", "clusterroles"})
PLURALS: Final = {ROLE: "roles", CLUSTER_ROLE: "clusterroles"}
# Rights are compared one by one; a few long lists multiply to more than a server can look at.
MAX_COMBINATIONS: Final = 1_000_000
# Fields that the garbage collector changes, and those that follow from them.
COLLECTOR_FIELDS: Final = ("ownerReferences", "finalizers", "managedFields", "selfLink")

Object = Mapping[str, Any]


def check_grant(
    authorizer: Authorizer,
    user: User,
    kind: str,
    obj: Object,
    old: Object | None,
    name: str = "",
) -> None:
    """Raise Forbidden where a role or binding would give rights that the user does not have.

    `old` is the stored object of an update, `name` the one in the path (none for POST). This comes
    before validation. A role that a binding names is read, with the errors that reading has.
    """
    if user.is_master:
        return
    request = Attributes(
        user,
        "",
        obj["metadata"].get("namespace", ""),
        GROUP,
        ALL,
        f"{kind.lower()}s",
        name=name or (_name(old) if old is not None else ""),
    )
    if request.resource in ROLES:
        _check_role(authorizer, request, obj, old)
    else:
        _check_binding(authorizer, request, obj, old)


def _check_role(
    authorizer: Authorizer, request: Attributes, obj: Object, old: Object | None
) -> None:
    escalate = Attributes(
        request.user,
        "escalate",
        request.namespace,
        request.group,
        ALL,
        request.resource,
        name=request.name,
    )
    if authorizer.authorize(escalate).allowed or _is_collection(obj, old):
        return
    _confirm(authorizer, request, obj, rules_of(obj))
    if _aggregates(obj) or (old is not None and _aggregates(old)):
        # It can gather anything, and so takes the right to everything. Who has that may escalate.
        why = "must have cluster-admin privileges to use the aggregationRule"
        raise denied(GROUP, request.resource, _name(obj), why)


def _check_binding(
    authorizer: Authorizer, request: Attributes, obj: Object, old: Object | None
) -> None:
    if _is_collection(obj, old):
        return
    reference = obj.get("roleRef") or {}
    kind, name = reference.get("kind", ""), reference.get("name", "")
    if kind in PLURALS:
        bind = Attributes(
            request.user,
            "bind",
            request.namespace,
            reference.get("apiGroup", ""),
            ALL,
            PLURALS[kind],
            name=name,
        )
        if authorizer.authorize(bind).allowed:
            return
    _confirm(authorizer, request, obj, _referenced(authorizer, request, kind, name))


def _referenced(
    authorizer: Authorizer, request: Attributes, kind: str, name: str
) -> tuple[Rule, ...]:
    """Read the rules of the role that a binding names."""
    if kind not in PLURALS:
        # A plain error of Go: it has no reason.
        raise UnknownError(f"unsupported role reference kind: {quote(kind)}", code=500)
    if kind == ROLE:
        check_namespace(request.namespace)
    check_name(name)
    rules = authorizer.role(kind, request.namespace, name)
    if isinstance(rules, Missing):
        # The resource in the message is that of the request, not of the role.
        raise not_found(GROUP, request.resource, name)
    return rules


def _confirm(
    authorizer: Authorizer, request: Attributes, obj: Object, wanted: Sequence[Rule]
) -> None:
    user = request.user
    who = f"user {quote(user.name)} (groups={quoted(user.groups)})"
    if combinations(wanted) > MAX_COMBINATIONS:
        why = f"{who} is attempting to grant more than {MAX_COMBINATIONS} RBAC permissions at once"
        raise denied(GROUP, request.resource, _name(obj), why)
    lacking = missing(_rules(authorizer, user, request.namespace), wanted)
    if not lacking:
        return
    shown = "\n".join(sorted({str(rule) for rule in compact(lacking)}))
    why = f"{who} is attempting to grant RBAC permissions not currently held:\n{shown}"
    absent = authorizer.grants(user, request.namespace)[1]
    if absent:
        errors = (f"{request.resource}.{GROUP} {quote(role.name)} not found" for role in absent)
        why = f"{why}; resolution errors: [{aggregate(errors)}]"
    raise denied(GROUP, request.resource, _name(obj), why)


def _rules(authorizer: Authorizer, user: User, namespace: str) -> list[Rule]:
    return [grant.rule for grant in authorizer.grants(user, namespace)[0]]


def _name(obj: Object) -> str:
    name: str = obj["metadata"].get("name", "")
    return name


def _aggregates(role: Object) -> bool:
    return bool((role.get("aggregationRule") or {}).get("clusterRoleSelectors"))


def _is_collection(obj: Object, old: Object | None) -> bool:
    """Whether nothing changes but what the garbage collector needs in order to delete it."""
    return old is not None and _rest(obj) == _rest(old)


def _rest(obj: Object) -> dict[str, Any]:
    rest = {key: obj[key] for key in obj.keys() - {"apiVersion", "kind"}}
    metadata = obj.get("metadata") or {}
    rest["metadata"] = {key: metadata[key] for key in metadata.keys() - set(COLLECTOR_FIELDS)}
    return rest
