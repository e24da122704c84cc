"""How the standards name containers and values in their messages."""

from collections.abc import Callable, Iterable

from kedge.apiserver.builtin.pods.surroundings import all_containers
from kedge.apiserver.resource import Object

Finding = tuple[str, str]
"""What is wrong in few words, and the details; two empty texts where nothing is."""
NOTHING: Finding = ("", "")


def quoted(names: Iterable[str]) -> str:
    """Join names, each in quotes."""
    return ", ".join(f'"{name}"' for name in names)


def counted(word: str, names: list[str], plural: str = "") -> str:
    """Name a thing or several: `container "a"`, `containers "a", "b"`."""
    return f"{word if len(names) == 1 else plural or f'{word}s'} {quoted(names)}"


def bad_containers(spec: Object, is_bad: Callable[[Object], bool]) -> list[str]:
    """List the names of containers that break a rule."""
    return [one.get("name", "") for one in all_containers(spec) if is_bad(one)]


def setters(spec: Object, is_bad: Callable[[Object], bool]) -> list[str]:
    """Name the pod and the containers whose security context breaks a rule."""
    found = ["pod"] if is_bad(context_of(spec)) else []
    containers = bad_containers(spec, lambda one: is_bad(context_of(one)))
    if containers:
        found.append(counted("container", containers))
    return found


def context_of(holder: Object) -> Object:
    """Give the security context of a pod's spec or a container."""
    context: Object = holder.get("securityContext") or {}
    return context
