"""Warning headers (RFC 7234, code 299), as kubectl shows them."""

from collections.abc import Iterator, Sequence

MOST_RUNES = 4096
"""Characters of all warnings together; if there are more, each is cut."""
CUT_RUNES = 256


def warning_headers(texts: Sequence[str]) -> Iterator[str]:
    """Give the values of all headers; those that do not fit are cut, or left out."""
    if sum(map(len, texts)) <= MOST_RUNES:
        yield from map(warning_header, texts)
        return
    total = written = 0
    for text in texts:
        # All up to the one that was too many are told.
        if total > MOST_RUNES and written >= MOST_RUNES:
            return
        total += len(text)
        written += min(len(text), CUT_RUNES)
        yield warning_header(text[:CUT_RUNES])


def warning_header(text: str) -> str:
    """One header's value."""
    clean = "".join(char if char >= " " and char != "\x7f" else " " for char in text)
    escaped = clean.replace("\\", "\\\\").replace('"', '\\"')
    return f'299 - "{escaped}"'
