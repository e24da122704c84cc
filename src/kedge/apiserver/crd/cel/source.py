"""The text of an expression, and errors that point into it."""

MAX_SHOWN = 100
MAX_SNIPPET = 16384


class Source:
    """An expression's text; places in it are offsets in characters."""

    def __init__(self, text: str) -> None:
        """Keep the text and where its lines begin."""
        self.text = text
        self.lines = text.split("\n")
        self._starts = [0]
        for line in self.lines:
            self._starts.append(self._starts[-1] + len(line) + 1)

    def locate(self, at: int) -> tuple[int, int]:
        """Give line, from 1, and column, from 0."""
        line = sum(1 for start in self._starts[1:] if start <= at)
        line = min(line, len(self.lines) - 1)
        return line + 1, at - self._starts[line]


class Issues:
    """What is wrong with an expression."""

    def __init__(self, source: Source) -> None:
        """Begin with nothing."""
        self.source = source
        self.found: list[tuple[int, str]] = []

    def add(self, at: int, message: str) -> None:
        """Note an error at a place."""
        self.found.append((at, message))

    def __str__(self) -> str:
        """Write all errors in the order of their places, each with its line and a caret."""
        found = sorted(self.found, key=lambda one: self.source.locate(one[0]))
        texts = [self._shown(at, message) for at, message in found[:MAX_SHOWN]]
        if len(found) > MAX_SHOWN:
            texts.append(f"{len(found) - MAX_SHOWN} more errors were truncated")
        return "\n".join(texts)

    def _shown(self, at: int, message: str) -> str:
        line, column = self.source.locate(at)
        text = f"ERROR: <input>:{line}:{column + 1}: {message}"
        snippet = self.source.lines[line - 1]
        if len(snippet.encode()) > MAX_SNIPPET:
            return text
        snippet = snippet.replace("\t", " ")
        dots = "".join("\uff0e" if not char.isascii() else "." for char in snippet[:column])
        following = snippet[column : column + 1]
        mark = "^" if following.isascii() else "\uff3e"
        return f"{text}\n | {snippet}\n | {dots}{mark}"
