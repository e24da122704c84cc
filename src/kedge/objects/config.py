"""The settings of a provider: texts by name, as `spec.config` has them."""

from collections.abc import Mapping, Sequence
from typing import Final

from kedge.kube.foreign import cut
from kedge.objects.errors import PlaceError

_TRUE: Final = ("1", "t", "T", "true", "TRUE", "True")
_FALSE: Final = ("0", "f", "F", "false", "FALSE", "False")
"""What Go's strconv.ParseBool takes, which is what reads these in Velero's plugins."""


class Config:
    """Reads settings, and refuses those that a provider does not have."""

    def __init__(self, texts: Mapping[str, str], provider: str, known: Sequence[str]) -> None:
        """Raise PlaceError if there is a setting that is not known."""
        self._texts = texts
        for name in texts:
            if name not in known:
                raise PlaceError(
                    f"config has an unknown key {cut(name)!r}; {provider} takes: "
                    + ", ".join(sorted(known))
                )

    def text(self, name: str) -> str:
        """Give a setting, or an empty text if it is not set."""
        return self._texts.get(name, "")

    def flag(self, name: str) -> bool:
        """Read a setting that is true or false; not set, it is false."""
        text = self.text(name)
        if text in _TRUE:
            return True
        if text in _FALSE or not text:
            return False
        raise PlaceError(f"config.{name} {cut(text)!r} must be true or false")

    def number(self, name: str, default: int, most: int) -> int:
        """Read a whole number from 1 to the most that is taken."""
        text = self.text(name)
        if not text:
            return default
        if not (text.isascii() and text.isdigit() and len(text) < 20 and 1 <= int(text) <= most):
            raise PlaceError(f"config.{name} {cut(text)!r} must be a number from 1 to {most}")
        return int(text)

    def refuse(self, name: str, why: str) -> None:
        """Raise PlaceError if this is set, since it can not be honoured."""
        if self.text(name):
            raise PlaceError(f"config.{name} can not be used here: {why}")
