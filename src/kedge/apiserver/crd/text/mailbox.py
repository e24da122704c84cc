"""Mail addresses as Go's net/mail reads one: `ann@example.com`, `Ann <ann@example.com>`."""

import re

_ATOM = r"[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~\u0080-\U0010ffff]+"
_DOT_ATOM = re.compile(rf"{_ATOM}(?:\.{_ATOM})*")
_LOOSE_ATOM = re.compile(r"[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~.\u0080-\U0010ffff]+")
_QUOTED = re.compile(r'"((?:[\t\x20-\x21\x23-\x5b\x5d-\x7e\u0080-\U0010ffff]|\\[\t\x20-\x7e])*)"')
_LITERAL = re.compile(r"\[[\x21-\x5a\x5e-\x7e]*\]")
_SPACE = re.compile(r"[ \t]*")


class _Reader:
    """A text and how far it has been read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def take(self, pattern: re.Pattern[str]) -> str | None:
        """Read what the pattern matches here."""
        found = pattern.match(self.text, self.at)
        if found is None:
            return None
        self.at = found.end()
        return found[0]

    def skip(self, char: str) -> bool:
        """Read this character; say whether it was there."""
        if self.text[self.at : self.at + 1] != char:
            return False
        self.at += 1
        return True

    @property
    def rest(self) -> str:
        """What has not been read."""
        return self.text[self.at :]


def is_address(text: str) -> bool:
    """Whether the text is one mail address, with or without a name."""
    reader = _Reader(text)
    reader.take(_SPACE)
    plain = _address(reader)
    if plain and _is_end(reader):
        return True
    reader.at = 0
    return _named(reader)


def _named(reader: _Reader) -> bool:
    """Read a phrase, which may be missing, and an address in angle brackets."""
    reader.take(_SPACE)
    if not reader.rest.startswith("<"):
        words = 0
        while not reader.rest.startswith("<"):
            if reader.take(_QUOTED) is None and reader.take(_LOOSE_ATOM) is None:
                return False
            words += 1
            reader.take(_SPACE)
        if not words:
            return False
    reader.skip("<")
    return _address(reader) and reader.skip(">") and _is_end(reader)


def _address(reader: _Reader) -> bool:
    """Read a local part, an at sign and a domain."""
    quoted = reader.take(_QUOTED)
    if quoted is None and reader.take(_DOT_ATOM) is None:
        return False
    if quoted == '""' or not reader.skip("@"):
        return False
    reader.take(_SPACE)
    if reader.rest.startswith("["):
        return reader.take(_LITERAL) is not None
    return reader.take(_DOT_ATOM) is not None


def _is_end(reader: _Reader) -> bool:
    """Whether only spaces and comments are left."""
    reader.take(_SPACE)
    while reader.rest.startswith("("):
        depth, end = 0, None
        for position, char in enumerate(reader.rest):
            depth += (char == "(") - (char == ")")
            if depth == 0:
                end = position
                break
        if end is None:
            return False
        reader.at += end + 1
        reader.take(_SPACE)
    return not reader.rest
