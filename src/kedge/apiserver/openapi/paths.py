"""Paths of operations as OpenAPI 3 and OpenAPI 2 write them."""

from typing import Any, Final

from kedge.apiserver.openapi.components import V2, V3, Document
from kedge.apiserver.openapi.operations import TYPES, Operation, Operations, tag_of

CUSTOM: Final = ("application/json", "application/yaml")
SERVED: Final = (*CUSTOM, "application/vnd.kubernetes.protobuf")
STREAMS: Final = (
    "application/json;stream=watch",
    "application/vnd.kubernetes.protobuf;stream=watch",
)
BUILT_IN: Final = "io.k8s."
_TEXTS: Final = {200: "OK", 201: "Created", 202: "Accepted"}
_UNAUTHORIZED: Final = {"description": "Unauthorized"}


def _shared(path: str, operations: list[Operation]) -> list[str]:
    """Name the parameters that all operations of a path have, those in the path itself included."""
    common = set(operations[0].parameters).intersection(*(one.parameters for one in operations))
    common |= {name for name in ("name", "namespace") if f"{{{name}}}" in path} | {"pretty"}
    return sorted(common)


def _produced(operation: Operation) -> list[str]:
    """Name the media types of the answers; custom kinds are not written as protobuf."""
    if not all(target.startswith(BUILT_IN) for target in operation.answers.values()):
        return [*CUSTOM, STREAMS[0]] if operation.streams else list(CUSTOM)
    return [*SERVED, *STREAMS] if operation.streams else list(SERVED)


def _kind(operation: Operation) -> Document:
    group, version, kind = operation.kind
    return {"group": group, "version": version, "kind": kind}


def paths3(operations: Operations, group: str, version: str) -> Document:
    """Write paths for OpenAPI 3."""
    tag = tag_of(group, version)
    found: Document = {}
    for path in sorted(operations):
        shared = _shared(path, operations[path])
        item: Document = {one.method: _operation3(one, tag, shared) for one in operations[path]}
        item["parameters"] = [_parameter3(name) for name in shared]
        found[path] = item
    return found


def _operation3(one: Operation, tag: str, shared: list[str]) -> Document:
    found: Document = {"tags": [tag], "operationId": one.id}
    own = [_parameter3(name) for name in one.parameters if name not in shared]
    if own:
        found["parameters"] = own
    if one.body:
        media = sorted(one.consumes) or ["*/*"]
        content = {name: {"schema": V3.reference(one.body)} for name in media}
        found["requestBody"] = {"content": content} | (
            {"required": True} if one.body_required else {}
        )
    answers: Document = {}
    for code, target in one.answers.items():
        media = sorted(_produced(one))
        content = {name: {"schema": V3.reference(target)} for name in media}
        answers[str(code)] = {"description": _TEXTS[code], "content": content}
    found["responses"] = answers | {"401": _UNAUTHORIZED}
    found["x-kubernetes-action"] = one.action
    found["x-kubernetes-group-version-kind"] = _kind(one)
    return found


def _parameter3(name: str) -> Document:
    found: Document = {"name": name, "in": "query"}
    if name in {"name", "namespace"}:
        found |= {"in": "path", "required": True}
    return found | {"schema": {"type": TYPES.get(name, "string"), "uniqueItems": True}}


def paths2(operations: Operations, group: str, version: str) -> Document:
    """Write paths for OpenAPI 2."""
    tag = tag_of(group, version)
    found: Document = {}
    for path in sorted(operations):
        shared = _shared(path, operations[path])
        item: Document = {one.method: _operation2(one, tag, shared) for one in operations[path]}
        item["parameters"] = [_parameter2(name) for name in shared]
        found[path] = item
    return found


def _operation2(one: Operation, tag: str, shared: list[str]) -> Document:
    found: Document = {
        "consumes": list(one.consumes) or ["*/*"],
        "produces": _produced(one),
        "schemes": ["https"],
        "tags": [tag],
        "operationId": one.id,
    }
    own: list[Any] = [_body2(one)] if one.body else []
    own += [_parameter2(name) for name in one.parameters if name not in shared]
    if own:
        found["parameters"] = own
    answers: Document = {
        str(code): {"description": _TEXTS[code], "schema": V2.reference(target)}
        for code, target in one.answers.items()
    }
    found["responses"] = answers | {"401": _UNAUTHORIZED}
    found["x-kubernetes-action"] = one.action
    found["x-kubernetes-group-version-kind"] = _kind(one)
    return found


def _body2(one: Operation) -> Document:
    body: Document = {"name": "body", "in": "body", "schema": V2.reference(one.body)}
    return body | ({"required": True} if one.body_required else {})


def _parameter2(name: str) -> Document:
    found: Document = {"uniqueItems": True, "type": TYPES.get(name, "string"), "name": name}
    if name in {"name", "namespace"}:
        return found | {"in": "path", "required": True}
    return found | {"in": "query"}
