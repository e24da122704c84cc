"""The head of an answer of HTTP/1.1. Pure.

Nearly nobody asks for a field of it, so they are taken apart when somebody does.
"""

from collections.abc import Iterator, Mapping


class Head(Mapping[str, str]):
    """The fields by their names, in lower case; of several of one name the last counts."""

    __slots__ = ("_lines",)

    def __init__(self, lines: bytes = b"") -> None:
        r"""Keep the lines as they came: each field after a `\r\n`, and the first is none."""
        self._lines = lines

    @property
    def fields(self) -> list[tuple[str, str]]:
        """All fields, in the order in which they came."""
        lines = self._lines.decode("utf-8", "surrogateescape").split("\r\n")[1:]
        parts = (line.partition(":") for line in lines)
        return [(name.lower(), value.strip(" \t")) for name, _, value in parts]

    @property
    def warns(self) -> bool:
        """Whether there is a warning."""
        return b"\r\nwarning:" in self._lines.lower()

    def __getitem__(self, name: str) -> str:
        """Give the value of a field; raises KeyError."""
        return dict(self.fields)[name]

    def __iter__(self) -> Iterator[str]:
        """Give the names."""
        return iter(dict(self.fields))

    def __len__(self) -> int:
        """Count the names."""
        return len(dict(self.fields))
