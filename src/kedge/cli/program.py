"""What people type for this command: `kedge`, or `kubectl kedge` where kubectl has called it."""

import re
import sys
from contextvars import ContextVar
from typing import Final

NAME: Final = "kedge"
PLUGIN: Final = "kubectl kedge"
_CALLED: Final = ContextVar("called", default=NAME)
CONNECTION: Final = "kedge.connection."
"""Where a click context keeps the options that say where the cluster is: the name is behind it."""
# In texts, a command stands in backticks or quotes, and its name may stand alone.
_QUOTED: Final = re.compile(r"(?<=[`'])kedge(?=[ `'])")
# One that works on objects has a noun and a verb, or for kubectl a verb and a noun.
_ON_OBJECTS: Final = re.compile(r"`((?>kubectl kedge|kedge|kubectl) [a-z-]+ [a-z][^`]*)`")


def called_by_kubectl() -> None:
    """Take note that kubectl has called this command."""
    _CALLED.set(PLUGIN)


def program() -> str:
    """Give the name by which this command was called."""
    return _CALLED.get()


def as_called(text: str, place: str = "") -> str:
    """Write the commands in a text as they are to be typed here, also a second time.

    `place` is the namespace that they are about, if that is not the one that was named.
    """
    called = text if program() == NAME else _QUOTED.sub(PLUGIN, text)
    given = _given() | ({"namespace": place} if place else {})
    return _ON_OBJECTS.sub(lambda found: f"`{_there(given, found[1])}`", called)


def _given() -> dict[str, str]:
    """Give the options that say where the cluster is, as far as they were named."""
    click = sys.modules.get("click")  # without it, nobody has named any
    context = click.get_current_context(silent=True) if click else None
    if context is None:
        return {}
    found = {
        name: str(context.meta.get(f"{CONNECTION}{name}") or "")
        for name in ("namespace", "kubecontext", "kubeconfig")
    }
    return {name: value for name, value in found.items() if value}


def _there(given: dict[str, str], command: str) -> str:
    """Add options to a command that does not have them yet."""
    from shlex import quote

    kubecontext = "--context" if command.startswith("kubectl ") else "--kubecontext"
    flags = {"namespace": "-n", "kubecontext": kubecontext, "kubeconfig": "--kubeconfig"}
    words = [command]
    for name, value in given.items():
        if f" {flags[name]} " not in f"{command} ":
            words += [flags[name], quote(value)]
    return " ".join(words)
