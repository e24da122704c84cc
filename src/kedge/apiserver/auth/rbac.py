"""Role-based access control: an index of roles and bindings that answers whether a user may."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from kedge.apiserver.auth.attributes import Attributes
from kedge.apiserver.auth.rules import Rule, rules_of
from kedge.apiserver.auth.users import MASTERS, User, account_name
from kedge.kube.gotext import quote

GROUP: Final = "rbac.authorization.k8s.io"
ROLE: Final = "Role"
CLUSTER_ROLE: Final = "ClusterRole"
ROLE_BINDING: Final = "RoleBinding"
CLUSTER_ROLE_BINDING: Final = "ClusterRoleBinding"
KINDS: Final = (ROLE, CLUSTER_ROLE, ROLE_BINDING, CLUSTER_ROLE_BINDING)

# What is remembered is thrown away beyond these, so that reviews of made-up users cost no memory.
MAX_USERS: Final = 1_000
MAX_PLACES: Final = 10_000

Object = Mapping[str, Any]


class Decision(NamedTuple):
    """The answer, and what Kubernetes says of it: who allowed it, or which roles are missing."""

    allowed: bool
    reason: str = ""


ALLOWED: Final = Decision(True)
DENIED: Final = Decision(False)


class Grant(NamedTuple):
    """A rule that a user has, with the text of the binding it came by."""

    rule: Rule
    source: str


class Missing(NamedTuple):
    """A role that a binding names, and that is not there."""

    kind: str
    name: str

    def __str__(self) -> str:
        """Say so, as refusals do."""
        return f"{self.kind.lower()}.{GROUP} {quote(self.name)} not found"


class _Match(NamedTuple):
    """A rule fits a verb on a resource, for these names (all, if None)."""

    names: frozenset[str] | None
    decision: Decision


@dataclass(slots=True)
class _Held:
    """What is known of one user: rights by namespace ("": everywhere), answers by place."""

    grants: dict[str, tuple[list[Grant], list[Missing]]] = field(default_factory=dict)
    places: dict[tuple[str, str, str, str, str], list[_Match]] = field(default_factory=dict)


class Authorizer:
    """Answers whether a user may, from the roles and bindings it has been told of."""

    def __init__(self) -> None:
        """Begin without any role: only system:masters may."""
        self._roles: dict[tuple[str, str], tuple[Rule, ...]] = {}
        self._cluster_roles: dict[str, tuple[Rule, ...]] = {}
        self._bindings: dict[str, dict[str, Object]] = {}
        self._users: dict[tuple[str, tuple[str, ...]], _Held] = {}

    def set(self, kind: str, obj: Object) -> None:
        """Take in a role or binding as it is now."""
        metadata = obj["metadata"]
        namespace, name = metadata.get("namespace", ""), metadata["name"]
        if kind == CLUSTER_ROLE:
            self._cluster_roles[name] = rules_of(obj)
        elif kind == ROLE:
            self._roles[namespace, name] = rules_of(obj)
        else:
            self._bindings.setdefault(namespace, {})[name] = obj
        self._users.clear()

    def remove(self, kind: str, namespace: str, name: str) -> None:
        """Forget a role or binding."""
        if kind == CLUSTER_ROLE:
            self._cluster_roles.pop(name, None)
        elif kind == ROLE:
            self._roles.pop((namespace, name), None)
        else:
            held = self._bindings.get(namespace, {})
            held.pop(name, None)
            if not held:
                self._bindings.pop(namespace, None)
        self._users.clear()

    def load(self, objects: Iterable[Object]) -> None:
        """Take in many objects; each says its kind."""
        for obj in objects:
            self.set(obj["kind"], obj)

    def authorize(self, attributes: Attributes) -> Decision:
        """Decide about one wish."""
        user = attributes.user
        if MASTERS in user.groups:
            return ALLOWED
        held = self._held(user)
        if not attributes.is_resource:
            return self._decide_path(user, held, attributes)
        place = (
            attributes.namespace,
            attributes.verb,
            attributes.group,
            attributes.resource,
            attributes.subresource,
        )
        matches = held.places.get(place)
        if matches is None:
            matches = self._match(user, held, place)
        for names, decision in matches:
            if names is None or attributes.name in names:
                return decision
        return _refusal(self._grants(user, held, attributes.namespace)[1])

    def grants(self, user: User, namespace: str) -> tuple[list[Grant], list[Missing]]:
        """List a user's rules in a namespace ("": everywhere), and the roles not found."""
        return self._grants(user, self._held(user), namespace)

    def role(self, kind: str, namespace: str, name: str) -> tuple[Rule, ...] | Missing:
        """Look up the rules of a role that a binding in this namespace names."""
        rules: tuple[Rule, ...] | None = None
        if kind == CLUSTER_ROLE:
            rules = self._cluster_roles.get(name)
        elif kind == ROLE:
            rules = self._roles.get((namespace, name))
        return Missing(kind, name) if rules is None else rules

    def _held(self, user: User) -> _Held:
        key = (user.name, user.groups)
        held = self._users.get(key)
        if held is None:
            if len(self._users) >= MAX_USERS:
                self._users.clear()
            held = self._users[key] = _Held()
        return held

    def _grants(self, user: User, held: _Held, namespace: str) -> tuple[list[Grant], list[Missing]]:
        found = held.grants.get(namespace)
        if found is None:
            if len(held.grants) >= MAX_USERS:
                held.grants.clear()
            found = held.grants[namespace] = self._resolve(user, namespace)
        return found

    def _resolve(self, user: User, namespace: str) -> tuple[list[Grant], list[Missing]]:
        grants: list[Grant] = []
        absent: list[Missing] = []
        for scope in dict.fromkeys(("", namespace)):
            bindings = self._bindings.get(scope, {})
            for name in sorted(bindings):
                binding = bindings[name]
                subject = _subject(user, binding.get("subjects") or (), scope)
                if subject is None:
                    continue
                reference = binding["roleRef"]
                rules = self.role(reference["kind"], scope, reference["name"])
                if isinstance(rules, Missing):
                    absent.append(rules)
                    continue
                source = _source(binding, subject, scope)
                grants.extend(Grant(rule, source) for rule in rules)
        return grants, absent

    def _match(
        self, user: User, held: _Held, place: tuple[str, str, str, str, str]
    ) -> list[_Match]:
        if len(held.places) >= MAX_PLACES:
            held.places.clear()
        matches: list[_Match] = []
        for rule, source in self._grants(user, held, place[0])[0]:
            if rule.allows_resource(*place[1:]):
                names = frozenset(rule.names) if rule.names else None
                matches.append(_Match(names, Decision(True, f"RBAC: allowed by {source}")))
                if names is None:
                    break
        held.places[place] = matches
        return matches

    def _decide_path(self, user: User, held: _Held, attributes: Attributes) -> Decision:
        grants, absent = self._grants(user, held, "")
        for rule, source in grants:
            if rule.allows_path(attributes.verb, attributes.path):
                return Decision(True, f"RBAC: allowed by {source}")
        return _refusal(absent)


def aggregate(errors: Iterable[object]) -> str:
    """Several errors as one text, each once."""
    texts = list(dict.fromkeys(map(str, errors)))
    return texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"


def _refusal(absent: list[Missing]) -> Decision:
    return Decision(False, f"RBAC: {aggregate(absent)}") if absent else DENIED


def _subject(user: User, subjects: Iterable[Object], namespace: str) -> Object | None:
    """Find the first subject that is this user."""
    for subject in subjects:
        kind, name = subject["kind"], subject["name"]
        if kind == "User":
            matches = name == user.name
        elif kind == "Group":
            matches = name in user.groups
        else:
            scope = subject.get("namespace") or namespace
            matches = (
                kind == "ServiceAccount" and bool(scope) and user.name == account_name(scope, name)
            )
        if matches:
            return subject
    return None


def _source(binding: Object, subject: Object, namespace: str) -> str:
    reference, name = binding["roleRef"], binding["metadata"]["name"]
    kind = CLUSTER_ROLE_BINDING
    if namespace:
        kind, name = ROLE_BINDING, f"{name}/{namespace}"
    who = subject["name"]
    if subject["kind"] == "ServiceAccount":
        who = f"{who}/{subject.get('namespace') or namespace}"
    return (
        f"{kind} {quote(name)} of {reference['kind']} {quote(reference['name'])}"
        f" to {subject['kind']} {quote(who)}"
    )
