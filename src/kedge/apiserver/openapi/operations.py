"""What can be done with a resource: its operations, with parameters, bodies and answers."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from kedge.apiserver.http.accept import JSON, YAML
from kedge.apiserver.kinds.table import builtin
from kedge.apiserver.openapi.components import DELETE_OPTIONS, PATCH, STATUS
from kedge.apiserver.resource import Resource, Subresource

APPLY: Final = "application/apply-patch+yaml"
PATCHES: Final = ("application/json-patch+json", "application/merge-patch+json")
STRATEGIC: Final = "application/strategic-merge-patch+json"

LIST: Final = (
    "allowWatchBookmarks",
    "continue",
    "fieldSelector",
    "labelSelector",
    "limit",
    "resourceVersion",
    "resourceVersionMatch",
    "sendInitialEvents",
    "timeoutSeconds",
    "watch",
)
WRITE: Final = ("dryRun", "fieldManager", "fieldValidation")
DELETE: Final = (
    "dryRun",
    "gracePeriodSeconds",
    "ignoreStoreReadErrorWithClusterBreakingPotential",
    "orphanDependents",
    "propagationPolicy",
)
DELETE_SOME: Final = tuple(sorted({*LIST, *DELETE} - {"allowWatchBookmarks", "watch"}))
TYPES: Final = {
    **dict.fromkeys(("limit", "timeoutSeconds", "gracePeriodSeconds"), "integer"),
    **dict.fromkeys(
        (
            "allowWatchBookmarks",
            "sendInitialEvents",
            "watch",
            "force",
            "orphanDependents",
            "ignoreStoreReadErrorWithClusterBreakingPotential",
        ),
        "boolean",
    ),
}
"""Types of parameters that are no strings."""
_METHODS: Final = {"get": "get", "update": "put", "patch": "patch", "create": "post"}
_NO_OBJECTS: Final = {"log", "proxy", "exec", "attach", "portforward"}
_ORDER: Final = ("get", "put", "post", "delete", "patch")


@dataclass(frozen=True, slots=True)
class Operation:
    """One method of one path."""

    method: str
    action: str
    id: str
    kind: tuple[str, str, str]
    parameters: tuple[str, ...] = ()
    body: str = ""
    """The component of the body; empty: none."""
    body_required: bool = True
    consumes: tuple[str, ...] = ()
    """Media types of the body, where not any."""
    answers: dict[int, str] = field(default_factory=dict)
    """Components by code."""
    streams: bool = False


Operations = dict[str, list[Operation]]
"""Operations by path."""


def component_of(resource: Resource) -> str:
    """Name the component of a resource's kind."""
    if resource.custom:
        return f"{_reversed(resource.group)}.{resource.version}.{resource.kind}"
    known = builtin().resource(resource.group, resource.version, resource.plural)
    assert known is not None
    return known.type


def list_component_of(resource: Resource) -> str:
    """Name the component of the list of a resource."""
    return component_of(resource).removesuffix(resource.kind) + (
        resource.list_kind or f"{resource.kind}List"
    )


def _reversed(group: str) -> str:
    return ".".join(reversed(group.split(".")))


def tag_of(group: str, version: str) -> str:
    """Name the group of operations that clients are generated for: rbacAuthorization_v1."""
    words = _words(group)
    return f"{words[0] + ''.join(map(_capital, words[1:]))}_{version}"


def _words(group: str) -> list[str]:
    return re.split(r"[.\-]", group.removesuffix(".k8s.io") or "core")


def _capital(word: str) -> str:
    return word[:1].upper() + word[1:]


def operations_of(resource: Resource) -> Operations:
    """List all operations of a resource and of its subresources."""
    found: Operations = {}
    for path, operation in _all(resource):
        found.setdefault(path, []).append(_as_custom(operation) if resource.custom else operation)
    for operations in found.values():
        operations.sort(key=lambda one: _ORDER.index(one.method))
    return found


def _as_custom(operation: Operation) -> Operation:
    # What a real server tells of custom resources is written by another hand.
    changed = replace(operation, streams=False)
    if operation.body and not operation.consumes:
        changed = replace(changed, consumes=(JSON, YAML))
    if operation.action == "deletecollection":
        changed = replace(changed, parameters=LIST)
    return changed


def _all(resource: Resource) -> Iterator[tuple[str, Operation]]:
    root = (
        f"/apis/{resource.group}/{resource.version}"
        if resource.group
        else f"/api/{resource.version}"
    )
    space = "/namespaces/{namespace}" if resource.namespaced else ""
    names = _Names(resource)
    if resource.namespaced and "list" in resource.verbs:
        yield f"{root}/{resource.plural}", replace(names.list(), id=names.everywhere("list"))
    collection = f"{root}{space}/{resource.plural}"
    for verb, make in _COLLECTION.items():
        if verb in resource.verbs:
            yield collection, make(names)
    item = collection + "/{name}"
    for verb, make in _ITEM.items():
        if verb in resource.verbs:
            yield item, make(names)
    for one in resource.subresources.values():
        for operation in names.subresource(one):
            yield f"{item}/{one.name}", operation


class _Names:
    """Makes the operations of one resource."""

    def __init__(self, resource: Resource) -> None:
        self.resource = resource
        self.own = component_of(resource)
        self.kind = (resource.group, resource.version, resource.kind)
        group = "".join(map(_capital, _words(resource.group)))
        self._version = group + _capital(resource.version)
        self._space = "Namespaced" if resource.namespaced else ""

    def id(self, verb: str, middle: str = "", suffix: str = "") -> str:
        return f"{verb}{self._version}{middle}{self._space}{self.resource.kind}{suffix}"

    def everywhere(self, verb: str) -> str:
        return f"{verb}{self._version}{self.resource.kind}ForAllNamespaces"

    def list(self) -> Operation:
        answers = {200: list_component_of(self.resource)}
        return Operation(
            "get", "list", self.id("list"), self.kind, LIST, answers=answers, streams=True
        )

    def create(self) -> Operation:
        answers = dict.fromkeys((200, 201, 202), self.own)
        return Operation(
            "post", "post", self.id("create"), self.kind, WRITE, self.own, answers=answers
        )

    def delete_some(self) -> Operation:
        return Operation(
            "delete",
            "deletecollection",
            self.id("delete", "Collection"),
            self.kind,
            DELETE_SOME,
            DELETE_OPTIONS,
            body_required=False,
            answers={200: STATUS},
        )

    def read(self) -> Operation:
        parameters = ("resourceVersion",) if self.resource.custom else ()
        answers = {200: self.own}
        return Operation("get", "get", self.id("read"), self.kind, parameters, answers=answers)

    def replace(self) -> Operation:
        answers = dict.fromkeys((200, 201), self.own)
        return Operation(
            "put", "put", self.id("replace"), self.kind, WRITE, self.own, answers=answers
        )

    def patch(self) -> Operation:
        strategic = () if self.resource.custom else (STRATEGIC,)
        codes = (200,) if self.resource.custom else (200, 201)
        return Operation(
            "patch",
            "patch",
            self.id("patch"),
            self.kind,
            (*WRITE, "force"),
            PATCH,
            consumes=(*PATCHES, *strategic, APPLY),
            answers=dict.fromkeys(codes, self.own),
        )

    def delete(self) -> Operation:
        given_back = getattr(self.resource.strategy, "returns_deleted", False)
        return Operation(
            "delete",
            "delete",
            self.id("delete"),
            self.kind,
            DELETE,
            DELETE_OPTIONS,
            body_required=False,
            answers=dict.fromkeys((200, 202), self.own if given_back else STATUS),
        )

    def subresource(self, one: Subresource) -> Iterator[Operation]:
        group = one.group or self.resource.group
        version = one.version or self.resource.version
        kind = (group, version, one.kind)
        target = self.own if one.kind == self.resource.kind else _component(*kind)
        if target is None or one.name in _NO_OBJECTS:
            return
        for verb in one.verbs:
            made = _ITEM.get(verb) or _COLLECTION.get(verb)
            if made is None or verb not in _METHODS:
                continue
            plain = made(self)
            suffix = _capital(one.name)
            yield replace(
                plain,
                id=plain.id + suffix,
                kind=self.kind if self.resource.custom else kind,
                body=target if plain.body == self.own else plain.body,
                answers=dict.fromkeys(plain.answers, target),
            )


def _component(group: str, version: str, kind: str) -> str | None:
    return builtin().component_of(f"{group}/{version}" if group else version, kind)


_COLLECTION: Final = {
    "list": _Names.list,
    "create": _Names.create,
    "deletecollection": _Names.delete_some,
}
_ITEM: Final = {
    "get": _Names.read,
    "update": _Names.replace,
    "delete": _Names.delete,
    "patch": _Names.patch,
}
