"""Reading a mapping field by field, with errors that name the file and the field."""

import base64
import binascii
from collections.abc import Iterator
from typing import Any

from kedge.client.where.errors import ConfigError, shown

_KINDS = {
    bool: "a boolean",
    int: "a number",
    float: "a number",
    str: "a string",
    list: "a list",
    dict: "a mapping",
    type(None): "nothing",
}


class Fields:
    """One mapping; what is absent or null reads as empty, what is unknown is not looked at."""

    def __init__(self, value: Any, file: str, path: str = "") -> None:
        """Take a mapping or null, found in a file at a path like `users[me].user`."""
        self.file = file
        self.path = path
        if value is not None and not isinstance(value, dict):
            raise self._wrong("", value, "a mapping")
        self._values = {key_text(key): one for key, one in (value or {}).items()}

    def __contains__(self, name: str) -> bool:
        """Tell whether a field has a value."""
        return self._values.get(name) is not None

    def place(self, name: str = "") -> str:
        """Name a field for a message."""
        path = ".".join(part for part in (self.path, name) if part)
        return f"{self.file}: {path}" if path else self.file

    def text(self, name: str) -> str:
        """Give a string, empty if there is none."""
        return self._string(name, self._values.get(name))

    def flag(self, name: str) -> bool:
        """Give a boolean, false if there is none."""
        value = self._values.get(name)
        if value is not None and not isinstance(value, bool):
            raise self._wrong(name, value, "true or false")
        return bool(value)

    def data(self, name: str) -> bytes:
        """Give the bytes of a string in base64."""
        return decoded(self.text(name), self.place(name))

    def texts(self, name: str) -> tuple[str, ...]:
        """Give a list of strings."""
        return tuple(self._string(path, one) for path, one in self._elements(name))

    def inner(self, name: str) -> "Fields | None":
        """Give a mapping within this one, or None."""
        value = self._values.get(name)
        return None if value is None else Fields(value, self.file, self._join(name))

    def every(self, name: str) -> "Iterator[Fields]":
        """Give each mapping of a list; one with a name is called by it in messages."""
        for path, one in self._elements(name):
            fields = Fields(one, self.file, self._join(path))
            named = fields.text("name")
            if named:
                fields.path = self._join(f"{name}[{shown(named)}]")
            yield fields

    def names(self) -> list[str]:
        """Give the names of all fields that have a value."""
        return [name for name in self._values if name in self]

    def raw(self, name: str) -> Any:
        """Give a value as it is."""
        return self._values.get(name)

    def _elements(self, name: str) -> Iterator[tuple[str, Any]]:
        value = self._values.get(name)
        if value is not None and not isinstance(value, list):
            raise self._wrong(name, value, "a list")
        for index, one in enumerate(value or ()):
            yield f"{name}[{index}]", one

    def _string(self, name: str, value: Any) -> str:
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self._wrong(name, value, "a string")
        return value

    def _join(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def _wrong(self, name: str, value: Any, expected: str) -> ConfigError:
        found = _KINDS.get(type(value), "something else")
        return ConfigError(f"{self.place(name)} must be {expected}, not {found}")


def decoded(text: str, name: str) -> bytes:
    """Decode base64, which may be broken into lines; raises ConfigError with this name."""
    try:
        return base64.b64decode(text.replace("\n", "").replace("\r", ""), validate=True)
    except (binascii.Error, ValueError):
        error = ConfigError(f"{name} must be base64")
    raise error


def key_text(key: Any) -> str:
    """Make a key text, as YAML that becomes JSON does."""
    if isinstance(key, bool):
        return "true" if key else "false"
    return "null" if key is None else str(key)
