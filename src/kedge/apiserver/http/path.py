"""A method and a path become a target: which verb on which resource."""

from dataclasses import dataclass
from urllib.parse import unquote

VERBS = {"POST": "create", "GET": "get", "HEAD": "get", "PUT": "update", "PATCH": "patch"}
OF_NAMESPACE = {"status", "finalize"}


@dataclass(slots=True)
class Target:
    """What a request is aimed at. Without `version` it is a plain path, not a resource."""

    path: str
    verb: str
    group: str = ""
    version: str = ""
    namespace: str = ""
    plural: str = ""
    name: str = ""
    subresource: str = ""
    rest: str = ""
    """What follows the subresource (proxy paths)."""

    @property
    def is_resource(self) -> bool:
        """Whether the path names a resource of an API group."""
        return bool(self.plural)


def target_of(method: str, path: str, watch: bool = False) -> Target:
    """Read a path as kube-apiserver does."""
    target = Target(path, method.lower())
    parts = (
        [unquote(part) for part in path.strip("/").split("/")]
        if "%" in path
        else path.strip("/").split("/")
    )
    if parts[0] == "api" and len(parts) > 2:
        target.version, parts = parts[1], parts[2:]
    elif parts[0] == "apis" and len(parts) > 3:
        target.group, target.version, parts = parts[1], parts[2], parts[3:]
    else:
        return target
    if parts[0] == "watch" and len(parts) > 1:
        watch, parts = True, parts[1:]
    _read_resource(target, parts)
    target.verb = _verb(method, bool(target.name), watch)
    return target


def _read_resource(target: Target, parts: list[str]) -> None:
    if parts[0] == "namespaces" and len(parts) > 1:
        target.namespace = parts[1]
        # `namespaces/x/status` is a part of the namespace, `namespaces/x/pods` is within it.
        if len(parts) > 2 and parts[2] not in OF_NAMESPACE:
            parts = parts[2:]
    target.plural = parts[0]
    if len(parts) > 1:
        target.name = parts[1]
    if len(parts) > 2:
        target.subresource = parts[2]
        target.rest = "/".join(parts[3:])


def _verb(method: str, named: bool, watch: bool) -> str:
    if method == "DELETE":
        return "delete" if named else "deletecollection"
    verb = VERBS.get(method, "")
    if verb != "get":
        return verb
    if watch:
        return "watch"
    return "get" if named else "list"
