"""A method and a path become a target: which verb on which resource."""

from dataclasses import dataclass
from urllib.parse import unquote

VERBS = {
    "POST": "create",
    "GET": "get",
    "HEAD": "get",
    "PUT": "update",
    "PATCH": "patch",
    "DELETE": "delete",
}
OF_NAMESPACE = {"status", "finalize"}
OF_PATH = {"watch", "proxy"}
"""Verbs that stand in the path, before the resource."""
LEAST_PARTS = {"api": 3, "apis": 4}
"""How long the path of a resource is at least, by its first part."""


class PathError(Exception):
    """A path that says what to do, but not with what; the answer is plain text."""

    def __init__(self, path: str) -> None:
        """Note the path, without its query."""
        super().__init__(path)
        self.path = path

    def text(self, raw_path: str) -> str:
        """Give the answer; `raw_path` has the query, too."""
        why = f"unable to determine kind and namespace from url, {raw_path}"
        return f'Internal Server Error: "{raw_path}": failed to create RequestInfo: {why}\n'


@dataclass(slots=True)
class Target:
    """What a request is aimed at."""

    path: str
    verb: str
    """Of a resource empty where the method means nothing; of a plain path the method itself."""
    is_resource: bool = False
    group: str = ""
    version: str = ""
    namespace: str = ""
    plural: str = ""
    name: str = ""
    subresource: str = ""
    rest: str = ""
    """What follows the subresource."""
    is_nested: bool = False
    """The resource follows `namespaces/NAME/`."""
    is_verb_of_path: bool = False
    """The verb stands in the path."""


def target_of(method: str, path: str, watch: bool = False) -> Target:
    """Read a path as kube-apiserver does. Raises PathError."""
    if "%" in path:
        path = unquote(path)
    parts = path.strip("/").split("/")
    target = Target(path, method.lower())
    if len(parts) < LEAST_PARTS.get(parts[0], len(parts) + 1):
        return target
    target.is_resource = True
    if parts[0] == "apis":
        target.group = parts[1]
        parts = parts[1:]
    target.version, parts = parts[1], parts[2:]
    target.verb = VERBS.get(method, "")
    if parts[0] in OF_PATH:
        if len(parts) < 2:
            raise PathError(path)
        target.verb, target.is_verb_of_path, parts = parts[0], True, parts[1:]
    _read_resource(target, parts)
    if not target.name:
        if target.verb == "get":
            target.verb = "watch" if watch else "list"
        elif target.verb == "delete":
            target.verb = "deletecollection"
    return target


def _read_resource(target: Target, parts: list[str]) -> None:
    if parts[0] == "namespaces" and len(parts) > 1:
        target.namespace = parts[1]
        # `namespaces/x/status` is a part of the namespace, `namespaces/x/pods` is within it.
        if len(parts) > 2 and parts[2] not in OF_NAMESPACE:
            parts = parts[2:]
            target.is_nested = True
    target.plural = parts[0]
    if len(parts) > 1:
        target.name = parts[1]
    if len(parts) > 2 and target.verb != "proxy":
        target.subresource = parts[2]
        target.rest = "/".join(parts[3:])
