"""What people type for this command: `kedge`, or `kubectl kedge` where kubectl has called it."""

import re
from contextvars import ContextVar
from typing import Final

NAME: Final = "kedge"
PLUGIN: Final = "kubectl kedge"
_CALLED: Final = ContextVar("called", default=NAME)
# In texts, a command stands in backticks or quotes, and its name may stand alone.
_QUOTED: Final = re.compile(r"(?<=[`'])kedge(?=[ `'])")


def called_by_kubectl() -> None:
    """Take note that kubectl has called this command."""
    _CALLED.set(PLUGIN)


def program() -> str:
    """Give the name by which this command was called."""
    return _CALLED.get()


def as_called(text: str) -> str:
    """Write the commands in a text as they are to be typed here."""
    return text if program() == NAME else _QUOTED.sub(PLUGIN, text)
