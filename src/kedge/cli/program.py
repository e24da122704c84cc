"""What people type for this command: `kedge`, or `kubectl kedge` where kubectl has called it."""

import re
import sys
from contextvars import ContextVar
from typing import Final

NAME: Final = "kedge"
PLUGIN: Final = "kubectl kedge"
_CALLED: Final = ContextVar("called", default=NAME)
PLACE: Final = "kedge.place"
"""Where a click context keeps the namespace that was named with -n."""
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


def as_called(text: str) -> str:
    """Write the commands in a text as they are to be typed here, also a second time."""
    called = text if program() == NAME else _QUOTED.sub(PLUGIN, text)
    place = _place()
    return _ON_OBJECTS.sub(lambda found: f"`{_in(place, found[1])}`", called) if place else called


def _place() -> str:
    click = sys.modules.get("click")  # without it, nobody has named a namespace
    context = click.get_current_context(silent=True) if click else None
    return str(context.meta.get(PLACE) or "") if context else ""


def _in(place: str, command: str) -> str:
    return command if " -n " in f"{command} " else f"{command} -n {place}"
