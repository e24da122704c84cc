"""What a server warns of: the Warning headers of its answers, each told once."""

import logging
import re
from collections.abc import Iterable
from typing import Final

from kedge.kube.foreign import cut

logger = logging.getLogger(__name__)

KNOWN_LIMIT: Final = 1000
"""So many texts are remembered; then all may be told again."""
_HEADER: Final = re.compile(r'299 \S+ "((?:[^"\\]|\\.)*)"')


def texts(headers: Iterable[str]) -> list[str]:
    """Give the texts of Warning headers: `299 - "text"`, and several in one."""
    return [
        re.sub(r"\\(.)", r"\1", found) for header in headers for found in _HEADER.findall(header)
    ]


class Warnings:
    """Logs each warning once: a controller makes the same request again and again."""

    def __init__(self) -> None:
        """Know of none."""
        self._known: set[str] = set()

    def __call__(self, text: str) -> None:
        """Take a warning in."""
        if text in self._known:
            return
        if len(self._known) >= KNOWN_LIMIT:
            self._known.clear()
        self._known.add(text)
        logger.warning("the server warns", extra={"warning": cut(text)})
