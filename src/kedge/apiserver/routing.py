"""The way from a target to a resource and its verb, or the words with which there is none.

Built-in kinds are behind a router: it knows paths and methods, and nothing else. Custom kinds are
behind a handler that looks at the verb; what it does not serve is plain text.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from kedge.apiserver.call import Call
from kedge.apiserver.http.path import Target
from kedge.apiserver.http.reply import Reply
from kedge.apiserver.registry import Registry
from kedge.apiserver.resource import Resource
from kedge.kube.errors import ApiError, BadRequest, not_found
from kedge.kube.refusals import generic, method_not_supported

Verb = Callable[[Call], Awaitable[Reply]]

OF_NAME = {"get", "update", "patch", "delete"}
OF_COLLECTION = {"list", "create", "deletecollection", "watch"}
EVERYWHERE = {"list", "watch"}
"""What can be asked for in all namespaces at once."""
METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE"}
FORBIDDEN_IN_NAMES = ("/", "%")


class NoSuchPath(Exception):
    """Nothing is served there; the answer is plain text."""


@dataclass(frozen=True, slots=True)
class Router:
    """Finds what a target means. Verbs are by name, and of subresources by their name and verb."""

    registry: Registry
    verbs: dict[str, Verb]
    subresources: dict[str, dict[str, Verb]]

    def find(self, target: Target, method: str) -> tuple[Resource, Verb]:
        """Give the resource and its verb; raises ApiError and NoSuchPath."""
        resource = self.registry.find(target.group, target.version, target.plural)
        if resource is None:
            raise unknown() if self._is_routed(target.group) else NoSuchPath
        check = _check_custom if resource.custom else _check_routed
        check(resource, target, method)
        verb = self._verb(resource, target)
        if verb is None:
            raise not_allowed()
        if target.name and target.verb in {"get", "patch", "delete"}:
            _check_name(target.name)
        return resource, verb

    def _is_routed(self, group: str) -> bool:
        return any(not one.custom for one in self.registry.of_group(group))

    def _verb(self, resource: Resource, target: Target) -> Verb | None:
        name = target.verb
        if target.subresource:
            verbs = self.subresources.get(target.subresource, {})
            return verbs.get(name) or verbs.get("*")
        return self.verbs.get(f"{resource.group}/{resource.plural}/{name}") or self.verbs.get(name)


def _check_routed(resource: Resource, target: Target, method: str) -> None:
    allowed = _routed(resource, target)
    if not allowed:
        raise unknown()
    if target.verb == "watch" and "list" in allowed and "watch" not in allowed:
        raise method_not_supported(resource.group, resource.plural, "watch")
    if method not in METHODS or target.verb not in allowed:
        raise not_allowed()
    if target.is_verb_of_path and method != "GET":
        raise not_allowed()


def _routed(resource: Resource, target: Target) -> set[str]:
    """Give the verbs that a path has, whatever the method; none, and there is no such path."""
    verbs = set(resource.verbs)
    if target.is_nested and not resource.namespaced:
        return set()
    everywhere = resource.namespaced and not target.is_nested
    if target.is_verb_of_path:
        is_path = not target.subresource and not (everywhere and target.name)
        return verbs & {target.verb} if is_path else set()
    if everywhere and target.name:
        return set()
    if target.subresource:
        part = resource.subresources.get(target.subresource)
        if part is None or (target.rest and target.subresource != "proxy"):
            return set()
        return set(part.verbs)
    if target.name:
        return verbs & OF_NAME
    return verbs & (EVERYWHERE if everywhere else OF_COLLECTION)


def _check_custom(resource: Resource, target: Target, method: str) -> None:
    if bool(target.namespace) != resource.namespaced and not (
        resource.namespaced and target.verb in EVERYWHERE
    ):
        raise NoSuchPath
    if target.subresource:
        part = resource.subresources.get(target.subresource)
        if part is None:
            raise not_found(resource.group, resource.plural, target.name)
        allowed = set(part.verbs)
    else:
        allowed = OF_NAME | OF_COLLECTION
    if target.verb not in allowed:
        raise method_not_supported(resource.group, resource.plural, target.verb)
    if target.verb in {"update", "patch"} and not target.name:
        raise BadRequest("name must be provided")


def _check_name(name: str) -> None:
    """Refuse a name that can not be part of a path."""
    if name in {".", ".."}:
        raise BadRequest(f"Name parameter invalid: \"{name}\": may not be '{name}'")
    faults = [f"may not contain '{text}'" for text in FORBIDDEN_IN_NAMES if text in name]
    if faults:
        raise BadRequest(f'Name parameter invalid: "{name}": {";".join(faults)}')


def unknown() -> ApiError:
    """Say that there is no such resource."""
    error = generic(404)
    error.details = {}
    return error


def not_allowed() -> ApiError:
    """Say that the resource is there, and does not have this method."""
    error = generic(405)
    error.details = {}
    return error
